import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Field } from '../parts/field.js';
import { t } from '../strings/strings.js';
import { exampleOf, type KnownField } from './fields.js';
import { type Completion, completed, completionsOf, type Typed, typedAt } from './filter-completion.js';
import './documents.css';

interface FilterInputProps {
  readonly filter: string;
  readonly fields: readonly KnownField[];
  readonly onInput: (filter: string) => void;
  readonly error?: string | undefined;
}

/** A filter with completions of its fields and values, which the arrows choose and Enter or Tab takes. */
export function FilterInput({ filter, fields, onInput, error }: FilterInputProps) {
  const input = useRef<HTMLInputElement>(null);
  const list = useId();
  const [typed, setTyped] = useState<Typed>();
  const [chosen, setChosen] = useState(-1);
  const cursor = useRef<number>();
  const offered = typed === undefined ? [] : completionsOf(filter, typed, fields);
  // Before the next key: it must stand where the cursor is put.
  useLayoutEffect(() => {
    if (cursor.current === undefined) return;
    input.current?.setSelectionRange(cursor.current, cursor.current);
    cursor.current = undefined;
  }, [filter]);
  const look = () => {
    setTyped(typedAt(input.current?.value ?? '', input.current?.selectionStart ?? 0));
    setChosen(-1);
  };
  const take = (completion: Completion) => {
    if (typed === undefined) return;
    const next = completed(filter, typed, completion);
    cursor.current = next.cursor;
    onInput(next.filter);
    setTyped(completion.isWhole ? undefined : typedAt(next.filter, next.cursor));
    setChosen(-1);
    input.current?.focus();
  };
  const press = (event: KeyboardEvent) => {
    const { key } = event;
    if (key === 'ArrowDown' && typed === undefined) return look();
    if (offered.length === 0) return;
    const picked = offered[chosen];
    if (key === 'ArrowDown') setChosen((chosen + 1) % offered.length);
    else if (key === 'ArrowUp') setChosen((chosen <= 0 ? offered.length : chosen) - 1);
    else if (key === 'Escape') setTyped(undefined);
    else if ((key === 'Enter' || key === 'Tab') && picked !== undefined) take(picked);
    else return;
    event.preventDefault();
  };
  return (
    <div class="filter">
      <Field label={t.documents.filter} hint={t.documents.filterHint(exampleOf(fields))} error={error}>
        {(control) => (
          <input
            {...control}
            ref={input}
            class="mono"
            type="text"
            role="combobox"
            aria-expanded={offered.length > 0}
            aria-controls={list}
            aria-autocomplete="list"
            aria-activedescendant={chosen >= 0 ? `${list}-${chosen}` : undefined}
            autocomplete="off"
            spellcheck={false}
            value={filter}
            onInput={({ currentTarget }) => {
              onInput(currentTarget.value);
              look();
            }}
            onFocus={look}
            onBlur={() => setTyped(undefined)}
            onKeyDown={press}
          />
        )}
      </Field>
      <div
        id={list}
        class="completions"
        role="listbox"
        aria-label={t.documents.completions}
        hidden={offered.length === 0}
      >
        {offered.map((completion, place) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input, which keeps the focus, has the keys
          <div
            key={completion.text}
            id={`${list}-${place}`}
            role="option"
            tabIndex={-1}
            aria-selected={place === chosen}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => take(completion)}
          >
            {completion.label}
          </div>
        ))}
      </div>
    </div>
  );
}
