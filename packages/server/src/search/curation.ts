import {
  beginsWithWords,
  COMPARED_LENGTH_MAX,
  hasWords,
  normalizedQuery,
  type schemas,
  synonymsOfQuery,
} from '@pelorus/contract';
import type { IndexDefinition } from '../services/definition.js';
import { withDefaults } from './search-defaults.js';
import type { Query, SearchRequest } from './shape.js';
import { isCustomVector } from './values.js';

type Curation = schemas.Curation;
type Rule = schemas.SearchRule;
type Pinned = NonNullable<SearchRequest['pinned']>;

/** Most documents that a search pins by the rules of its index. */
const PINNED_MAX = 100;

/** A search as the rules and search defaults of its index make it. */
export interface CuratedSearch {
  readonly request: SearchRequest;
  /** Filters of rules. */
  readonly addedFilters: readonly string[];
  /** Terms that words of the query are also looked for by. */
  readonly synonyms: readonly string[];
  /** The members of the answer that tell of it. */
  readonly told: {
    readonly rules?: readonly string[];
    readonly redirect?: string;
    readonly searchDefaults?: readonly string[];
  };
}

/** A search that no rule is about. */
export function uncurated(request: SearchRequest): CuratedSearch {
  return { request, addedFilters: [], synonyms: [], told: {} };
}

/** A rule as searches need it. */
interface PreparedRule {
  readonly rule: Rule;
  /** The words of its condition; null where it names none. */
  readonly words: string | null;
  /** The time in which it holds, in milliseconds of the epoch. */
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Kept as long as a definition counts. */
const known = new WeakMap<Curation, readonly PreparedRule[]>();

function preparedRules(curation: Curation): readonly PreparedRule[] {
  const found = known.get(curation);
  if (found !== undefined) return found;
  const rules = curation.rules.map((rule) => {
    const { query, from, until } = rule.condition;
    return {
      rule,
      words: query == null ? null : normalizedQuery(query),
      fromMs: from == null ? Number.NEGATIVE_INFINITY : Date.parse(from),
      untilMs: until == null ? Number.POSITIVE_INFINITY : Date.parse(until),
    };
  });
  known.set(curation, rules);
  return rules;
}

/**
 * The search that the rules and search defaults of its index make of a request. All conditions are about the request as
 * it came; of several rules that replace the query, redirect, or pin a document, the first counts.
 */
export function curatedSearch(
  request: SearchRequest,
  { curation }: Pick<IndexDefinition, 'curation'>,
  nowMs: number,
): CuratedSearch {
  if (curation === undefined || request.rules === false) return uncurated(request);
  const text = textOf(request);
  const asked = text === undefined || text.length > COMPARED_LENGTH_MAX ? undefined : normalizedQuery(text);
  const met = preparedRules(curation).filter((one) => isMet(one, asked, request.filter ?? null, nowMs));
  const applied = met.map(({ rule }) => rule);
  const said = <Name extends keyof Rule['consequence']>(name: Name) =>
    applied.map(({ consequence }) => consequence[name]).filter((value) => value != null);
  const [replaced] = said('query');
  const [redirect] = said('redirect');
  const query = replaced ?? text;
  const pinned = request.reRanker == null ? pinnedOf([request.pinned ?? [], ...said('pinned')]) : [];
  const hidden = [request.hidden ?? [], ...said('hidden')].flat();
  const changed = {
    ...request,
    ...(pinned.length > 0 && { pinned }),
    ...(hidden.length > 0 && { hidden }),
  };
  const filled = withDefaults(changed, curation.searchDefaults ?? {});
  return {
    request: replaced === undefined ? filled.request : withText(filled.request, replaced),
    addedFilters: said('filter'),
    synonyms: query === undefined ? [] : synonymsOfQuery(curation.synonyms, query),
    told: {
      ...(applied.length > 0 && { rules: applied.map(({ id }) => id) }),
      ...(redirect !== undefined && { redirect }),
      ...(request.explain === true && filled.names.length > 0 && { searchDefaults: filled.names }),
    },
  };
}

function isMet(
  { rule: { condition }, words, fromMs, untilMs }: PreparedRule,
  asked: string | undefined,
  filter: string | null,
  nowMs: number,
): boolean {
  if (nowMs < fromMs || nowMs >= untilMs) return false;
  if (condition.filter != null && condition.filter.trim() !== filter?.trim()) return false;
  if (words === null) return true;
  if (asked === undefined) return false;
  switch (condition.match ?? 'equals') {
    case 'contains':
      return hasWords(asked, words);
    case 'beginsWith':
      return beginsWithWords(asked, words);
    default:
      return asked === words;
  }
}

/** Each document once, at its first place. */
function pinnedOf(lists: readonly Pinned[]): Pinned {
  const first = new Map<string, Pinned[number]>();
  for (const pinned of lists.flat()) {
    const id = pinned._id.normalize();
    if (!first.has(id)) first.set(id, pinned);
  }
  return [...first.values()].slice(0, PINNED_MAX);
}

/** The text of a query that rules are about; undefined where it has none. */
function textOf({ q, hybridParameters }: SearchRequest): string | undefined {
  if (q != null) return queryText(q);
  const { queryLexical, queryTensor } = hybridParameters ?? {};
  return queryLexical ?? (queryTensor == null ? undefined : queryText(queryTensor));
}

function queryText(query: Query): string | undefined {
  if (typeof query === 'string') return query;
  return isCustomVector(query) ? (query.customVector.content ?? undefined) : undefined;
}

/** The request with another text in place of its own: a vector of its own stays. */
function withText(request: SearchRequest, text: string): SearchRequest {
  const { q, hybridParameters } = request;
  const replaced = <Of extends Query>(query: Of | null | undefined) => {
    if (query == null || queryText(query) === undefined) return query;
    return typeof query === 'string' || !isCustomVector(query)
      ? text
      : { customVector: { ...query.customVector, content: text } };
  };
  if (q != null) return { ...request, q: replaced(q) as Query };
  const { queryLexical, queryTensor } = hybridParameters ?? {};
  return {
    ...request,
    hybridParameters: {
      ...hybridParameters,
      ...(queryLexical != null && { queryLexical: text }),
      ...(queryTensor != null && { queryTensor: replaced(queryTensor) }),
    },
  } as SearchRequest;
}
