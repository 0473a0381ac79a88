import { useState } from 'preact/hooks';
import { announce } from '../../parts/announcer.js';
import { Button } from '../../parts/button.js';
import { Field } from '../../parts/field.js';
import { FailureNotice } from '../../parts/notice.js';
import { useAction } from '../../server/load.js';
import { t } from '../../strings/strings.js';

interface AliasesProps {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly onChange: () => void;
}

/** The aliases of an index. */
export function Aliases({ name, aliases, onChange }: AliasesProps) {
  const [alias, setAlias] = useState('');
  const change = useAction(async (client, changed: string, isSet: boolean) => {
    if (isSet) await client.setAlias(changed, name);
    else await client.deleteAlias(changed);
    announce(isSet ? t.indexes.aliasAdded(changed) : t.indexes.aliasRemoved(changed));
    onChange();
  });
  const add = async (event: Event) => {
    event.preventDefault();
    if (alias.trim() !== '' && (await change.run(alias.trim(), true))) setAlias('');
  };
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
                  aria-label={t.indexes.aliasRemove(one)}
                  onClick={() => change.run(one, false)}
                >
                  {t.remove}
                </Button>
              </li>
            ))}
          </ul>
        )}
        <form class="inline-form" onSubmit={add}>
          <Field label={t.indexes.aliasLabel}>
            {(control) => (
              <input
                {...control}
                type="text"
                autocomplete="off"
                spellcheck={false}
                value={alias}
                onInput={({ currentTarget }) => setAlias(currentTarget.value)}
              />
            )}
          </Field>
          <Button type="submit" isBusy={change.isRunning}>
            {t.indexes.aliasAdd}
          </Button>
        </form>
      </div>
    </section>
  );
}
