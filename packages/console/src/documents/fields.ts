/** The kind of the values of a field. */
export type FieldKind = 'text' | 'number' | 'truth' | 'texts' | 'numbers' | 'map' | 'mixed';

/** A field as some documents show it. */
export interface KnownField {
  readonly name: string;
  readonly kind: FieldKind;
  /** Values that filters can name, the most frequent first. */
  readonly values: readonly string[];
  /** The number of documents that have it. */
  readonly count: number;
  /** Tells whether its values are short and repeat, so that counts of them say something. */
  readonly repeats: boolean;
  /** Tells whether all of its values are dates, as texts. */
  readonly isDate: boolean;
}

type Document = Readonly<Record<string, unknown>>;

/** The longest text that a filter can match, unless an index says otherwise. */
const FILTER_TEXT_MAX = 50;
const VALUES_MAX = 30;
/** The share of different values among all of a field above which counts of them say nothing. */
const DIFFERENT_MAX = 0.75;
/** The share of values too long for a filter above which a field is taken for one of texts to be read. */
const LONG_MAX = 0.1;

/** The fields of a document, in their order: members that the server adds begin with `_`. */
export const fieldNames = (document: Document): string[] =>
  Object.keys(document).filter((name) => !name.startsWith('_'));

export function kindOf(value: unknown): FieldKind {
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'truth';
  if (!Array.isArray(value)) return 'map';
  return value.every((one) => typeof one === 'number') && value.length > 0 ? 'numbers' : 'texts';
}

/** The fields that documents have, in the order in which they come first. */
export function fieldsOf(documents: readonly Document[]): readonly KnownField[] {
  const seen = new Map<string, Seen>();
  for (const document of documents) {
    for (const name of fieldNames(document)) {
      const field = seen.get(name) ?? { kinds: new Set(), values: new Map(), count: 0, longCount: 0 };
      seen.set(name, field);
      const value = document[name];
      field.kinds.add(kindOf(value));
      field.count += 1;
      for (const one of Array.isArray(value) ? value : [value]) {
        const text = filterText(one);
        if (text !== undefined) field.values.set(text, (field.values.get(text) ?? 0) + 1);
        else if (typeof one === 'string' && one !== '') field.longCount += 1;
      }
    }
  }
  return [...seen].map(([name, { kinds, values, count, longCount }]) => {
    const [kind = 'mixed'] = kinds;
    const ordered = [...values].sort(([, a], [, b]) => b - a);
    return {
      ...{ name, count, kind: kinds.size > 1 ? 'mixed' : kind },
      values: ordered.slice(0, VALUES_MAX).map(([value]) => value),
      repeats: isRepeated(values, longCount),
      isDate: kinds.size === 1 && kind === 'text' && longCount === 0 && [...values.keys()].every(isDate),
    };
  });
}

/** The values of a field, as documents are gone through. */
interface Seen {
  readonly kinds: Set<FieldKind>;
  readonly values: Map<string, number>;
  count: number;
  /** The number of values that are too long for a filter. */
  longCount: number;
}

function isRepeated(values: ReadonlyMap<string, number>, longCount: number): boolean {
  const shortCount = [...values.values()].reduce((sum, count) => sum + count, 0);
  return (
    shortCount > 0 && values.size <= shortCount * DIFFERENT_MAX && longCount <= (shortCount + longCount) * LONG_MAX
  );
}

/** Tells whether a text is a day or an instant, as filters and orders read them. */
export const isDate = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/.test(text) &&
  !Number.isNaN(Date.parse(text));

/** A value as a filter names it; undefined of one that no term can match. */
function filterText(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value.length <= FILTER_TEXT_MAX && value !== '' ? value : undefined;
}

/** A term of a filter that matches documents with this value. */
export function filterTerm(name: string, value: string): string {
  const field = name.replace(/[\\\s:()]/g, '\\$&');
  if (/^[^\s()\\:,[\]{}"*<>]+$/.test(value)) return `${field}:${value}`;
  return `${field}:(${value.replace(/[\\)]/g, '\\$&')})`;
}

/** A filter that the documents of an index can have, to be shown as an example. */
export function exampleOf(fields: readonly KnownField[]): string {
  const [worded] = fields.filter(({ kind, repeats }) => repeats && (kind === 'text' || kind === 'texts'));
  const [numbered] = fields.filter(({ kind }) => kind === 'number');
  const terms = [
    ...(worded === undefined ? [] : [filterTerm(worded.name, worded.values[0] ?? '')]),
    ...(numbered === undefined ? [] : [`${filterTerm(numbered.name, 'x').slice(0, -1)}[10 TO 20]`]),
  ];
  return terms.length === 0 ? 'brand:acme AND price:[10 TO 20]' : terms.join(' AND ');
}

/** A filter with one more term that must hold. */
export function withTerm(filter: string, term: string): string {
  const before = filter.trim();
  if (before === '') return term;
  if (before.split(' AND ').includes(term)) return before;
  return / OR /.test(before) ? `(${before}) AND ${term}` : `${before} AND ${term}`;
}
