import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../parts/button.js';
import { Checkbox, Field } from '../parts/field.js';
import { t } from '../strings/strings.js';
import { ChangeFailure } from './change-failure.js';
import type { ShownChoices } from './choices.js';
import type { Synonyms } from './curator.js';
import { termsOf, withEntry, wordsOf } from './synonyms.js';

interface SynonymFormProps {
  readonly shown: ShownChoices;
  /** The query whose words the form begins with. */
  readonly query: string;
  /** The entry that is changed; undefined where one is added. */
  readonly edited?: Synonyms | undefined;
  readonly onDone?: () => void;
}

/** Adds words that mean the same as those of a query, or changes them. */
export function SynonymForm({ shown, query, edited, onDone }: SynonymFormProps) {
  const { choices, change, isChanging } = shown;
  const [first = '', ...rest] = edited === undefined ? [query] : wordsOf(edited);
  const [word, setWord] = useState(first);
  const [others, setOthers] = useState(rest.join(', '));
  const [isOneWay, setOneWay] = useState(edited?.from != null);
  const terms = termsOf(others);
  const begin = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (edited !== undefined) begin.current?.focus();
  }, [edited]);
  const isReady = choices !== undefined && word.trim() !== '' && terms.length > 0;
  const submit = async (event: Event) => {
    event.preventDefault();
    if (!isReady) return;
    const own = word.trim();
    const entry: Synonyms = {
      ...(edited?.phrases != null && { phrases: edited.phrases }),
      ...(isOneWay ? { from: own, terms } : { terms: [own, ...terms] }),
    };
    const done = edited === undefined ? t.curation.synonymsAdded(own) : t.curation.synonymsChanged(own);
    if (!(await change({ synonyms: withEntry(choices.synonyms, entry, edited) }, done, 'synonyms'))) return;
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
              ref={begin}
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
              onPaste={(event) => {
                const pasted = event.clipboardData?.getData('text') ?? '';
                if (!/[\r\n]/.test(pasted)) return;
                // A control of one line would join the words of several.
                event.preventDefault();
                const { currentTarget: box } = event;
                const line = pasted.trim().replaceAll(/\s*[\r\n]\s*/g, ', ');
                box.setRangeText(line, box.selectionStart ?? 0, box.selectionEnd ?? 0, 'end');
                setOthers(box.value);
              }}
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
          {edited === undefined ? t.curation.synonymsAdd : t.curation.synonymsSave}
        </Button>
        {edited !== undefined && <Button onClick={onDone}>{t.cancel}</Button>}
      </div>
    </form>
  );
}
