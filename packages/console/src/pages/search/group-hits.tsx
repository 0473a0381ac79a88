import type { types } from '@pelorus/client';
import { fieldNames } from '../../documents/fields.js';
import { titleField } from '../../documents/title.js';
import { formatNumber, formatPrecise, t } from '../../strings/strings.js';

const FACTS_MAX = 4;
const FACT_MAX = 50;

/** The other hits of the group that a hit stands for, each by its title and by what tells it from that hit. */
export function GroupHits({ hit }: { hit: types.Hit }) {
  const { _groupHits: others = [], _groupCount: count } = hit;
  // Where a field orders hits, scores are places.
  const isScored = hit._explanation !== undefined;
  if (others.length === 0 && (count === undefined || count <= 1)) return null;
  return (
    <div class="group-hits">
      {count !== undefined && <p class="faint">{t.search.groupCount(count)}</p>}
      {others.length > 0 && (
        <ol aria-label={t.search.groupOthers(titleOf(hit))}>
          {others.map((other) => (
            <li key={other._id}>
              <span>{titleOf(other)}</span> <code class="faint">{other._id}</code>{' '}
              {differences(other, hit).map((name) => (
                <span key={name}>
                  <span class="hit-fact-name">{name}</span> {textOf(other[name])}{' '}
                </span>
              ))}
              {isScored && (
                <span class="number faint" title={t.search.groupScore}>
                  {formatPrecise(other._score)}
                </span>
              )}
            </li>
          ))}
        </ol>
      )}
      {isScored && others.some(({ _score }) => _score > hit._score) && (
        <p class="field-hint">{t.search.groupScoresHigher}</p>
      )}
    </div>
  );
}

type Document = Readonly<Record<string, unknown>> & { readonly _id: string };

function titleOf(document: Document): string {
  const field = titleField(document);
  return field === undefined ? document._id : String(document[field]);
}

/** The fields of a document whose short values the other one does not have. */
export function differences(document: Document, other: Document): readonly string[] {
  const title = titleField(document);
  return fieldNames(document)
    .filter((name) => name !== title && textOf(document[name]) !== textOf(other[name]))
    .filter((name) => textOf(document[name]).length <= FACT_MAX)
    .slice(0, FACTS_MAX);
}

function textOf(value: unknown): string {
  if (typeof value === 'number') return formatNumber(value);
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
