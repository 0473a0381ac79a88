// The values of a facet that fit what somebody types.

import type { FacetTypes } from './facet-types.js';
import { type FacetResult, givenParameters, type SearchRequest, type SearchResult } from './parameters.js';
import type { Service } from './service.js';
import { type TranslationOptions, translated } from './translation.js';

const FACET_HITS = 10;
const FACET_HITS_MAX = 100;
/** Values that are looked at, those of most documents. */
const VALUES_MAX = 10_000;

/** Finds the values of a facet, of the documents that a request finds, of which a word begins with what was typed. */
export async function facetValues(
  { indexName, params: asGiven }: SearchRequest,
  service: Service,
  types: FacetTypes,
  options: TranslationOptions,
): Promise<FacetResult> {
  const params = givenParameters(asGiven);
  const { facetName, facetQuery = '', maxFacetHits = FACET_HITS, ...search } = params;
  if (facetName === undefined) throw new TypeError('a search for the values of a facet names it in facetName');
  const request = { ...search, facets: [facetName], hitsPerPage: 0, page: 0, maxValuesPerFacet: VALUES_MAX };
  const { queries, result } = await translated({ indexName, params: request }, types, options);
  const { facets, processingTimeMS }: SearchResult = result(await service.search(queries));
  const before = params.highlightPreTag ?? '<em>';
  const after = params.highlightPostTag ?? '</em>';
  const typed = folded(facetQuery.trim());
  const counts = Object.entries(facets[facetName] ?? {}).sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const facetHits = counts.flatMap(([value, count]) => {
    const place = placeOf(value, typed);
    if (place === null) return [];
    const [start, end] = place;
    const marked = `${value.slice(0, start)}${before}${value.slice(start, end)}${after}${value.slice(end)}`;
    return [{ value, highlighted: end > start ? marked : value, count }];
  });
  const shown = facetHits.slice(0, Math.min(maxFacetHits, FACET_HITS_MAX));
  return { facetHits: shown, exhaustiveFacetsCount: counts.length < VALUES_MAX, processingTimeMS };
}

/** A text without case and marks over letters, as many characters as the text itself. */
function folded(text: string): string {
  const fold = (character: string) => {
    const plain = character
      .normalize('NFD')
      .replace(/\p{M}+/gu, '')
      .toLowerCase();
    return plain.length === character.length ? plain : character;
  };
  return [...text].map(fold).join('');
}

/** Where a word of `value` begins with `typed`; null where none does. */
function placeOf(value: string, typed: string): [start: number, end: number] | null {
  const text = folded(value);
  for (let at = text.indexOf(typed); at >= 0; at = text.indexOf(typed, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] as string)) return [at, at + typed.length];
  }
  return null;
}
