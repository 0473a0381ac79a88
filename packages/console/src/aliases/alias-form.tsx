import { useState } from 'preact/hooks';
import { announce } from '../parts/announcer.js';
import { Button } from '../parts/button.js';
import { Field } from '../parts/field.js';
import { type Action, useAction } from '../server/load.js';
import { t } from '../strings/strings.js';

/** Lets an alias stand for an index, or deletes it where that is null, and tells of it. */
export function useAliasChange(onChange: () => void): Action<[aliasName: string, indexName: string | null]> {
  return useAction(async (client, aliasName: string, indexName: string | null) => {
    await client.changeAliases([{ aliasName, indexName }]);
    announce(indexName === null ? t.aliases.removed(aliasName) : t.aliases.moved(aliasName, indexName));
    onChange();
  });
}

interface AliasFormProps {
  readonly change: Action<[aliasName: string, indexName: string | null]>;
  /** The index that it stands for, or those to choose from. */
  readonly of: string | readonly string[];
}

/** Adds an alias. */
export function AliasForm({ change, of }: AliasFormProps) {
  const [alias, setAlias] = useState('');
  const [chosen, setChosen] = useState('');
  const index = typeof of === 'string' ? of : chosen;
  const add = async (event: Event) => {
    event.preventDefault();
    if (alias.trim() !== '' && index !== '' && (await change.run(alias.trim(), index))) setAlias('');
  };
  return (
    <form class="inline-form" onSubmit={add}>
      <Field label={t.aliases.label}>
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
      {typeof of !== 'string' && (
        <Field label={t.operations.index}>
          {(control) => (
            <select {...control} value={index} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
              <option value="">{t.documents.chooseIndex}</option>
              {of.map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      <Button type="submit" isBusy={change.isRunning} disabled={alias.trim() === '' || index === ''}>
        {t.aliases.add}
      </Button>
    </form>
  );
}
