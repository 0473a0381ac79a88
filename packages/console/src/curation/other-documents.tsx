import { useState } from 'preact/hooks';
import { Button } from '../parts/button.js';
import { Field } from '../parts/field.js';
import { FailureNotice } from '../parts/notice.js';
import { useLoad } from '../server/load.js';
import { t } from '../strings/strings.js';
import { movedFirst, unpinned } from './arrangement.js';
import type { FoundHit } from './curator.js';
import type { ArrangingProps } from './hidden-documents.js';

/** Finds documents that are not among the hits of a query, by their words or an id, to be pinned or hidden for it. */
export function OtherDocuments({ curator, arrangement, arrange, isChanging }: ArrangingProps) {
  const [typed, setTyped] = useState('');
  const [sought, setSought] = useState('');
  const found = useLoad(
    async (client, signal) => (sought === '' ? undefined : curator.seek(client, sought, signal)),
    [curator.key, sought],
  );
  const { pinned, hidden } = arrangement;
  const pin = ({ id, title, hiddenBy }: FoundHit) =>
    arrange(
      { pinned: movedFirst(pinned, id, curator.places), hidden: hidden.filter((one) => one !== hiddenBy) },
      t.curation.pinnedAt(title),
    );
  const hide = ({ id, title, hiddenBy }: FoundHit) =>
    arrange({ pinned: unpinned(pinned, id), hidden: [...hidden, hiddenBy] }, t.curation.isHidden(title));
  return (
    <details class="panel-body other-documents">
      <summary>{t.curation.other}</summary>
      <div class="stack">
        <form
          class="inline-form"
          onSubmit={(event) => {
            event.preventDefault();
            setSought(typed.trim());
          }}
        >
          <Field label={t.curation.otherLabel} hint={t.curation.otherHint}>
            {(control) => (
              <input
                {...control}
                type="search"
                autocomplete="off"
                value={typed}
                onInput={({ currentTarget }) => setTyped(currentTarget.value)}
              />
            )}
          </Field>
          <Button type="submit" disabled={typed.trim() === ''}>
            {t.curation.otherFind}
          </Button>
        </form>
        {found.failure !== undefined && <FailureNotice failure={found.failure} retry={found.reload} />}
        <div role="status">{found.data?.length === 0 && <p class="muted">{t.curation.otherNone(sought)}</p>}</div>
        {found.data !== undefined && found.data.length > 0 && (
          <ul class="hidden-documents" aria-label={t.curation.otherFound}>
            {found.data.map((one) => (
              <li key={one.id}>
                <span class="arranged-title">
                  {one.title} {one.details !== '' && one.details !== one.title && `${one.details} `}
                  <code class="faint">{one.id}</code>
                </span>
                {pinned.some(({ id }) => id === one.id) ? (
                  <span class="badge">{t.curation.pinned}</span>
                ) : (
                  <Button
                    size="small"
                    aria-disabled={isChanging}
                    aria-label={t.curation.firstOf(one.title)}
                    onClick={() => pin(one)}
                  >
                    {t.curation.first}
                  </Button>
                )}
                {!hidden.includes(one.hiddenBy) && (
                  <Button
                    size="small"
                    tone="quiet"
                    aria-disabled={isChanging}
                    aria-label={t.curation.hideOf(one.title)}
                    onClick={() => hide(one)}
                  >
                    {t.curation.hide}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </div>
    </details>
  );
}
