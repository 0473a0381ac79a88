import { Button } from '../parts/button.js';
import { useLoad } from '../server/load.js';
import { t } from '../strings/strings.js';
import type { Arrangement } from './arrangement.js';
import type { Curator } from './curator.js';

export interface ArrangingProps {
  readonly curator: Curator;
  readonly arrangement: Arrangement;
  /** Changes what is said of the query, and tells of it by `done`. */
  readonly arrange: (next: Partial<Arrangement>, done: string) => void;
  /** Tells whether a change is under way, beside which there is no other. */
  readonly isChanging: boolean;
}

/** The documents that are hidden for a query, by their titles; each can be shown again. */
export function HiddenDocuments({ curator, arrangement: { hidden }, arrange, isChanging }: ArrangingProps) {
  const titles = useLoad(
    async (client, signal) =>
      hidden.length === 0 ? new Map<string, string>() : curator.titlesOf(client, hidden, signal),
    [curator.key, ...hidden],
  );
  if (hidden.length === 0) return null;
  return (
    <div class="panel-body">
      <h3>{t.curation.hidden}</h3>
      <ul class="hidden-documents">
        {hidden.map((id) => {
          // A document that is gone, or whose title is not told, has its id alone.
          const title = titles.data?.get(id) ?? id;
          return (
            <li key={id}>
              <span class="arranged-title">
                {title} {title !== id && <code class="faint">{id}</code>}
              </span>
              <Button
                size="small"
                tone="quiet"
                aria-label={t.curation.showAgain(title)}
                aria-disabled={isChanging}
                onClick={() => arrange({ hidden: hidden.filter((one) => one !== id) }, t.curation.shownAgain(title))}
              >
                {t.curation.show}
              </Button>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
