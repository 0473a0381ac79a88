import { formatNumber, t } from '../../strings/strings.js';
import { isBrowsing, type Method, type Query } from './request.js';
import type { Answer, MethodResult, MethodResults } from './searches.js';

/** Tells why no counts are shown: nothing was found, or no field has values to count. */
export const countsLackOf = (answer: Pick<Answer, 'hits'> | undefined): string =>
  answer?.hits.length === 0 ? t.search.facetsNoHits : t.search.facetsNone;

export const totalOf = ({ totalHits, hits }: Pick<Answer, 'totalHits' | 'hits'>): number => totalHits ?? hits.length;

/** The number of hits: words find documents or do not, and every document with a vector is near, more or less. */
export const hitsCounted = (method: Method, answer: Pick<Answer, 'totalHits' | 'hits'>): string =>
  method === 'LEXICAL' ? t.search.total(formatNumber(totalOf(answer))) : t.search.nearestHits(answer.hits.length);

/** Tells that a query finds nothing by a method; fewer words may find something where it has several. */
export function noHitsOf(method: Method, { q, filter }: Pick<Query, 'q' | 'filter'>): string {
  if (filter.trim() !== '') return t.search.noHitsFiltered[method];
  return method === 'LEXICAL' && !/\s/.test(q.trim()) ? t.search.noHitsOfOneWord : t.search.noHits[method];
}

/** The answer whose counts are shown, with the documents that they are of. */
interface Counted {
  readonly answer: Answer | undefined;
  /** The method that found them; undefined where nothing is counted. */
  readonly method: Method | undefined;
}

/** The counts of documents that have the words, where they are shown and there are any, else those of the nearest. */
export function countedOf(methods: readonly Method[], results: MethodResults): Counted {
  const counted = methods.filter((method) => results[method].answer?.facets !== undefined);
  const method = counted.find((one) => one === 'LEXICAL' && !hasFoundNothing(results.LEXICAL)) ?? counted[0];
  return { answer: method && results[method].answer, method };
}

/** The documents that are counted, in a sentence. */
export function countsOf(method: Method, query: Query): string {
  if (!isBrowsing(query)) return t.search.countsOf[method];
  return query.filter.trim() === '' ? t.search.countsOfAll : t.search.countsOfFiltered;
}

/** Tells that a search is answered, and has no hits. */
export const hasFoundNothing = ({ answer }: MethodResult): boolean => answer?.hits.length === 0;
