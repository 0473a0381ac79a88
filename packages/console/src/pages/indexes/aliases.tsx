import { AliasForm, useAliasChange } from '../../aliases/alias-form.js';
import { Button } from '../../parts/button.js';
import { FailureNotice } from '../../parts/notice.js';
import { t } from '../../strings/strings.js';

interface AliasesProps {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly onChange: () => void;
}

/** The aliases of an index. */
export function Aliases({ name, aliases, onChange }: AliasesProps) {
  const change = useAliasChange(onChange);
  return (
    <section class="panel" aria-labelledby="aliases">
      <header class="panel-head">
        <h2 id="aliases">{t.indexes.aliasesTitle}</h2>
      </header>
      <div class="panel-body">
        {change.failure !== undefined && <FailureNotice failure={change.failure} />}
        {aliases.length === 0 ? (
          <p class="muted">{t.indexes.aliasesNone}</p>
        ) : (
          <ul class="alias-list">
            {aliases.map((one) => (
              <li key={one}>
                <code>{one}</code>
                <Button
                  size="small"
                  tone="quiet"
                  aria-label={t.aliases.remove(one)}
                  onClick={() => change.run(one, null)}
                >
                  {t.remove}
                </Button>
              </li>
            ))}
          </ul>
        )}
        <AliasForm change={change} of={name} />
      </div>
    </section>
  );
}
