import type { engine, Problem, schemas } from '@pelorus/contract';
import { joinedTruncated, truncated } from '@pelorus/contract';
import { dateSeconds } from '@pelorus/engine';
import { broken, brokenTogether, type Place, wrong } from '../validation/problems.js';
import { readNumber, unreadable } from '../validation/scalars.js';
import { computedNameText, distanceName, isComputedName } from './distance-name.js';
import type { SearchRequest } from './shape.js';

type Facets = schemas.Facets;
type FacetField = schemas.FacetField;
type Range = NonNullable<FacetField['ranges']>[number];
type Limit = NonNullable<Range['from']>;

const maxResultsDefault = 100;
const maxResultsMax = 10_000;
const orderDefault = 'desc';
/** Most characters that are looked at for excluded terms: those of the filter, for each term that differs. */
const LOOKED_AT_MAX = 2 ** 24;

/** The problems of the facets in the shape of the body. */
export function* facetProblems({ facets, filter }: SearchRequest): Generator<Problem> {
  if (facets == null) return;
  const place = ['body', 'facets'];
  yield* maxResultsProblems(facets.maxResults, place);
  if (facets.maxDepth != null && facets.maxDepth <= 0) {
    yield broken([...place, 'maxDepth'], "'maxDepth' must be greater than 0");
  }
  const fields = Object.entries(facets.fields);
  for (const [name, field] of fields) {
    const at = [...place, 'fields', truncated(name)];
    if (isComputedName(name)) yield broken(at, computedNameText(name));
    yield* fieldProblems(field, at);
  }
  yield* excludedProblems(fields, filter);
}

function* maxResultsProblems(maxResults: number | null | undefined, place: readonly string[]): Generator<Problem> {
  if (maxResults == null) return;
  const loc = [...place, 'maxResults'];
  if (maxResults <= 0) yield broken(loc, "'maxResults' must be greater than 0");
  if (maxResults > maxResultsMax) yield broken(loc, `'maxResults' must be less than or equal to ${maxResultsMax}`);
}

function* fieldProblems(field: FacetField, place: readonly string[]): Generator<Problem> {
  yield* maxResultsProblems(field.maxResults, place);
  if (field.type === 'distance' && field.from == null) {
    yield broken([...place, 'from'], "'distance' facets need the place that distances are from");
  }
  if (field.type !== 'distance' && field.from != null) {
    yield broken([...place, 'from'], "'from' can only be used for 'distance' facets");
  }
  if (field.interval != null && field.type !== 'date') {
    yield broken([...place, 'interval'], "'interval' can only be used for 'date' facets");
  }
  if (field.ranges == null) return;
  if (field.type !== 'number' && field.type !== 'distance' && field.type !== 'date') {
    yield broken([...place, 'ranges'], "Ranges can only be used for 'number' facets");
  }
  if (field.type === 'date' && field.interval != null) {
    yield broken([...place, 'interval'], "'interval' cannot be used with 'ranges'");
  }
  const limits = [...limitProblems(field.type, field.ranges, [...place, 'ranges'])];
  yield* limits;
  if (limits.length > 0) return;
  const problem = rangesProblem(measured(field.type, field.ranges));
  if (problem !== undefined) yield broken([...place, 'ranges'], problem);
}

function* limitProblems(
  type: FacetField['type'],
  ranges: readonly Range[],
  place: readonly string[],
): Generator<Problem> {
  for (const [i, range] of ranges.entries()) {
    for (const name of ['from', 'to'] as const) {
      const limit = range[name];
      if (limit == null || measure(type, limit) !== undefined) continue;
      const loc = [...place, i, name];
      const text = `'${name}' must be a date such as 2024-02-29, received '${truncated(String(limit))}'`;
      yield type === 'date' ? broken(loc, text) : wrong('type_error.float', placeAt(loc));
    }
  }
}

function placeAt(loc: readonly (string | number)[]): Place {
  const [first = '', ...rest] = loc;
  return rest.reduce<Place>((parent, key) => ({ parent, key }), { parent: null, key: first });
}

/** The number that a limit stands for: of a date its first moment in Unix seconds; undefined for none. */
function measure(type: FacetField['type'], limit: Limit): number | undefined {
  if (type === 'date') return dateSeconds(String(limit)) ?? undefined;
  const number = readNumber(limit);
  return number === unreadable ? undefined : number;
}

/** Checks that the terms which fields leave out of the filter are in it. */
function* excludedProblems(
  fields: readonly (readonly [name: string, field: FacetField])[],
  filter: string | null | undefined,
): Generator<Problem> {
  const excluding = fields.filter(([, { excludeTerms }]) => (excludeTerms?.length ?? 0) > 0);
  if (excluding.length === 0) return;
  if (filter == null) {
    yield brokenTogether('Exclude terms can only be used when a filter string is provided.');
    return;
  }
  const terms = [...new Set(excluding.flatMap(([, { excludeTerms }]) => excludeTerms ?? []))];
  if (terms.length * filter.length > LOOKED_AT_MAX) {
    yield broken(
      ['body', 'facets', 'fields'],
      `excludeTerms may name at most ${Math.floor(LOOKED_AT_MAX / filter.length)} different terms where the filter has ${filter.length} characters, received ${terms.length}`,
    );
    return;
  }
  const written = comparable(filter);
  const absent = new Set(terms.filter((term) => !appears(comparable(term), written)));
  for (const [name, { excludeTerms }] of excluding) {
    const missing = (excludeTerms ?? []).filter((term) => absent.has(term));
    if (missing.length === 0) continue;
    const listed = joinedTruncated(missing.map((term) => `'${truncated(term)}'`));
    yield brokenTogether(
      `Facet field '${truncated(name)}' has exclude terms [${listed}] that do not appear in the filter string. All exclude terms must be present in the filter for proper filtering.`,
    );
  }
}

/** A text without blanks behind the commas of lists, its letters composed: neither tells terms apart. */
function comparable(text: string): string {
  return text.normalize().replace(/, +/g, ',');
}

/** A negated term is named `NOT (a:b)`, however the filter writes it. */
function appears(term: string, filter: string): boolean {
  return filter.includes(term) || (/^NOT \(.*\)$/s.test(term) && filter.includes(`NOT ${term.slice(5, -1)}`));
}

/** A range with the numbers that its limits stand for. */
interface Measured {
  readonly from: number | null;
  readonly to: number | null;
  readonly name: string;
  readonly range: Range;
}

/** Ranges, ascending by their lower ends, and so by their upper ones where they do not overlap. */
function measured(type: FacetField['type'], ranges: readonly Range[]): Measured[] {
  const number = (limit: Limit | null | undefined) => (limit == null ? null : (measure(type, limit) ?? null));
  const all = ranges.map((range): Measured => {
    const [from, to] = [number(range.from), number(range.to)];
    const name = type === 'date' ? nameOfDates(range) : nameOfNumbers(from, to);
    return { from, to, name: range.name ?? name, range };
  });
  const from = (range: Measured) => range.from ?? Number.NEGATIVE_INFINITY;
  return all.toSorted((a, b) => from(a) - from(b) || 0);
}

function rangesProblem(ranges: readonly Measured[]): string | undefined {
  if (ranges.some(({ from, to }) => from != null && to != null && to <= from)) {
    return "'to' value must be greater than 'from' value";
  }
  for (const [i, next] of ranges.entries()) {
    const range = ranges[i - 1];
    if (range === undefined) continue;
    if (range.to == null) return "Open-ended ranges (missing 'to' value) will overlap with subsequent ranges";
    if (next.from == null) return "Open-ended ranges (missing 'from' value) will overlap with previous ranges";
    if (next.from < range.to) return 'Range configurations must not overlap';
  }
  const names = ranges.map(({ name }) => name);
  return new Set(names).size < names.length ? 'Names of ranges must not repeat' : undefined;
}

function nameOfNumbers(from: number | null, to: number | null): string {
  return `${from == null ? '-Inf' : floatText(from)}:${to == null ? 'Inf' : floatText(to)}`;
}

/** As they are written. */
function nameOfDates({ from, to }: Range): string {
  return `${from ?? '-Inf'}:${to ?? 'Inf'}`;
}

/** A float as clients know it in the names of ranges: `10.0`, `0.5`, `1e+16`, `1e-05`. */
function floatText(number: number): string {
  const magnitude = Math.abs(number);
  if (magnitude !== 0 && (magnitude < 1e-4 || magnitude >= 1e16)) {
    return number.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
  }
  return Number.isInteger(number) ? `${number}.0` : String(number);
}

/** The facets of the plan. */
export function facetsOf({ facets }: SearchRequest): engine.Facets | null {
  if (facets == null) return null;
  const fields = Object.entries(facets.fields).map(([name, field]) => facetOf(name, field, facets));
  return { fields, maxDepth: facets.maxDepth ?? null };
}

function facetOf(name: string, field: FacetField, all: Facets): engine.Facet {
  const ranges = field.ranges && measured(field.type, field.ranges);
  return {
    field: field.from == null ? name : distanceName(name, field.from),
    kind: field.type === 'distance' ? 'number' : field.type,
    maxResults: field.maxResults ?? all.maxResults ?? maxResultsDefault,
    order: field.order ?? all.order ?? orderDefault,
    ranges: field.type !== 'date' && ranges ? ranges.map(({ name, from, to }) => ({ name, from, to })) : null,
    dates: field.type === 'date' ? datesOf(field, ranges) : null,
    excludeTerms: field.excludeTerms ?? [],
  };
}

function datesOf({ interval }: FacetField, ranges: readonly Measured[] | null | undefined): engine.FacetDates | null {
  if (ranges == null) return interval == null ? null : { interval, ranges: null };
  const text = (limit: Limit | null | undefined) => (limit == null ? null : String(limit));
  const planned = ranges.map(({ name, range }) => ({ name, from: text(range.from), to: text(range.to) }));
  return { interval: null, ranges: planned };
}
