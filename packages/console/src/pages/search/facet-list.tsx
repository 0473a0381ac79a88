import { useState } from 'preact/hooks';
import { formatNumber, formatPrecise, t } from '../../strings/strings.js';
import { countsLackOf, countsOf } from './counts.js';
import type { Method, Query } from './request.js';
import type { Answer } from './searches.js';

interface FacetListProps {
  /** The answer whose counts are shown. */
  readonly answer: Answer | undefined;
  /** The method that found what is counted; undefined where nothing is counted. */
  readonly method: Method | undefined;
  /** The query that was asked. */
  readonly query: Query;
  readonly onChoose: (field: string, value: string) => void;
}

interface Count {
  readonly count: number;
}

interface Numbers extends Count {
  readonly min?: number;
  readonly max?: number;
  readonly avg?: number;
}

/** Counts of values, each of which becomes a term of the filter by a click. */
export function FacetList({ answer, method, query, onChoose }: FacetListProps) {
  const shown = Object.entries(answer?.facets ?? {}).filter(([, counts]) => Object.keys(counts).length > 0);
  const [isWide] = useState(() => matchMedia('(min-width: 78rem)').matches);
  return (
    <aside class="facets" aria-label={t.search.facets}>
      <details open={isWide}>
        <summary>{t.search.facets}</summary>
        {shown.length > 0 && method !== undefined && <p class="field-hint">{countsOf(method, query)}</p>}
        {shown.length === 0 && <p class="field-hint">{countsLackOf(answer)}</p>}
        <div class="facet-groups">
          {shown.map(([field, counts]) => (
            <section key={field} aria-label={field}>
              <h2 class="facet-name">{field}</h2>
              {isNumbers(counts) ? (
                <Range {...counts} />
              ) : (
                <Values field={field} counts={counts as Readonly<Record<string, Count>>} onChoose={onChoose} />
              )}
            </section>
          ))}
        </div>
      </details>
    </aside>
  );
}

const isNumbers = (counts: unknown): counts is Numbers => typeof (counts as Count).count === 'number';

function Range({ count, min, max, avg }: Numbers) {
  if (count === 0 || min === undefined || max === undefined || avg === undefined)
    return <p class="field-hint">{t.none}</p>;
  return <p class="field-hint">{t.search.range(formatPrecise(min), formatPrecise(max), formatPrecise(avg))}</p>;
}

interface ValuesProps {
  readonly field: string;
  readonly counts: Readonly<Record<string, Count>>;
  readonly onChoose: (field: string, value: string) => void;
}

function Values({ field, counts, onChoose }: ValuesProps) {
  return (
    <ul>
      {Object.entries(counts).map(([value, { count }]) => (
        <li key={value}>
          <button type="button" class="facet-value" onClick={() => onChoose(field, value)}>
            <span>{value}</span>
            <span class="facet-count">
              {formatNumber(count)}
              <span class="unseen"> {t.search.documentsCounted(count)}</span>
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
