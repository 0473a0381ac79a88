import { useState } from 'preact/hooks';
import { Button } from '../parts/button.js';
import { Checkbox, Field } from '../parts/field.js';
import { t } from '../strings/strings.js';
import { ChangeFailure } from './change-failure.js';
import type { ShownChoices } from './choices.js';
import type { Synonyms } from './curator.js';

interface SynonymFormProps {
  readonly shown: ShownChoices;
  /** The query whose words the form begins with. */
  readonly query: string;
  readonly onDone?: () => void;
}

/** Adds words that mean the same as those of a query. */
export function SynonymForm({ shown, query, onDone }: SynonymFormProps) {
  const { choices, change, isChanging } = shown;
  const [word, setWord] = useState(query);
  const [others, setOthers] = useState('');
  const [isOneWay, setOneWay] = useState(false);
  const terms = others
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  const isReady = choices !== undefined && word.trim() !== '' && terms.length > 0;
  const submit = async (event: Event) => {
    event.preventDefault();
    if (!isReady) return;
    const own = word.trim();
    const entry: Synonyms = isOneWay ? { from: own, terms } : { terms: [own, ...terms] };
    if (!(await change({ synonyms: [...choices.synonyms, entry] }, t.curation.synonymsAdded(own), 'synonyms'))) return;
    setOthers('');
    onDone?.();
  };
  return (
    <form class="stack" onSubmit={submit}>
      <ChangeFailure shown={shown} editor="synonyms" title={t.curation.failed.synonyms} />
      <p class="field-hint">{t.curation.synonymsReach}</p>
      <div class="inline-form">
        <Field label={t.curation.word}>
          {(control) => (
            <input
              {...control}
              type="text"
              autocomplete="off"
              value={word}
              onInput={({ currentTarget }) => setWord(currentTarget.value)}
            />
          )}
        </Field>
        <Field label={t.curation.sameAs} hint={t.curation.sameAsHint}>
          {(control) => (
            <input
              {...control}
              type="text"
              autocomplete="off"
              value={others}
              onInput={({ currentTarget }) => setOthers(currentTarget.value)}
            />
          )}
        </Field>
      </div>
      <Checkbox
        label={t.curation.oneWay}
        hint={t.curation.oneWayHint}
        checked={isOneWay}
        onChange={({ currentTarget }) => setOneWay(currentTarget.checked)}
      />
      <div class="actions">
        <Button type="submit" isBusy={isChanging} disabled={!isReady}>
          {t.curation.synonymsAdd}
        </Button>
      </div>
    </form>
  );
}
