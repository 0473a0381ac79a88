import { useState } from 'preact/hooks';
import { Button } from '../parts/button.js';
import { Field } from '../parts/field.js';
import { t } from '../strings/strings.js';
import { ChangeFailure } from './change-failure.js';
import { arrangementOf, type ShownChoices } from './choices.js';

interface RedirectFormProps {
  readonly shown: ShownChoices;
  readonly query: string;
  readonly onDone?: () => void;
}

/** Sends those who ask a query to an address. */
export function RedirectForm({ shown, query, onDone }: RedirectFormProps) {
  const { choices, change, isChanging } = shown;
  const arrangement = choices === undefined ? undefined : arrangementOf(choices, query);
  const [typed, setTyped] = useState<string>();
  if (arrangement === undefined) return null;
  const redirect = typed ?? arrangement.redirect;
  const save = async (next: string) => {
    const done = next === '' ? t.curation.redirectRemoved(query) : t.curation.redirectSet(query);
    if (!(await change({ query, arrangement: { ...arrangement, redirect: next } }, done, 'redirect'))) return;
    setTyped(undefined);
    onDone?.();
  };
  const submit = (event: Event) => {
    event.preventDefault();
    if (redirect.trim() !== '') save(redirect.trim());
  };
  return (
    <form class="stack" onSubmit={submit}>
      <ChangeFailure shown={shown} editor="redirect" query={query} title={t.curation.failed.redirect(query)} />
      <div class="inline-form">
        <Field label={t.curation.redirectLabel} hint={t.curation.redirectHint}>
          {(control) => (
            <input
              {...control}
              type="text"
              inputMode="url"
              autocomplete="off"
              spellcheck={false}
              value={redirect}
              onInput={({ currentTarget }) => setTyped(currentTarget.value)}
            />
          )}
        </Field>
        <div class="actions">
          <Button type="submit" isBusy={isChanging} disabled={redirect.trim() === ''}>
            {t.curation.redirectSave}
          </Button>
          {arrangement.redirect !== '' && <Button onClick={() => save('')}>{t.curation.redirectRemove}</Button>}
        </div>
      </div>
    </form>
  );
}
