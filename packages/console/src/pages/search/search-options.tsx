import type { types } from '@pelorus/client';
import { Checkbox, Field } from '../../parts/field.js';
import { t } from '../../strings/strings.js';
import { GroupChoice } from './group-choice.js';
import { LIMITS } from './query-address.js';
import { PREFIXES, type Prefix, type Query } from './request.js';

interface SearchOptionsProps {
  readonly query: Query;
  /** Undefined until they are known. */
  readonly settings: types.IndexSettingsResponse | undefined;
  /** Changes the query that is asked next. */
  readonly onChange: (changes: Partial<Query>) => void;
  readonly onAsk: (query: Query) => void;
}

/** The choices about a search that most people leave as they are. */
export function SearchOptions({ query, settings, onChange, onAsk }: SearchOptionsProps) {
  return (
    <details class="search-options">
      <summary>{t.search.options}</summary>
      <div class="form-grid">
        <Field label={t.search.limit}>
          {(control) => (
            <select
              {...control}
              value={String(query.limit)}
              onChange={({ currentTarget }) => onAsk({ ...query, limit: Number(currentTarget.value) })}
            >
              {LIMITS.map((limit) => (
                <option key={limit}>{limit}</option>
              ))}
            </select>
          )}
        </Field>
        <Field label={t.search.alpha(query.alpha)} hint={t.search.alphaHint}>
          {(control) => (
            <input
              {...control}
              type="range"
              min="0"
              max="1"
              step="0.05"
              value={query.alpha}
              onInput={({ currentTarget }) => onChange({ alpha: Number(currentTarget.value) })}
              onChange={({ currentTarget }) => onAsk({ ...query, alpha: Number(currentTarget.value) })}
            />
          )}
        </Field>
        <Field label={t.search.prefix}>
          {(control) => (
            <select
              {...control}
              value={query.prefix}
              onChange={({ currentTarget }) => onAsk({ ...query, prefix: currentTarget.value as Prefix })}
            >
              {PREFIXES.map((one) => (
                <option key={one} value={one}>
                  {t.search.prefixes[one]}
                </option>
              ))}
            </select>
          )}
        </Field>
        {settings !== undefined && (
          <GroupChoice settings={settings} group={query.group} onChoose={(group) => onAsk({ ...query, group })} />
        )}
        <div class="stack">
          <Checkbox
            label={t.search.typos}
            checked={query.allowsTypos}
            onChange={({ currentTarget }) => onAsk({ ...query, allowsTypos: currentTarget.checked })}
          />
          <Checkbox
            label={t.search.corrects}
            hint={t.search.correctsHint}
            checked={query.corrects}
            onChange={({ currentTarget }) => onAsk({ ...query, corrects: currentTarget.checked })}
          />
        </div>
      </div>
    </details>
  );
}
