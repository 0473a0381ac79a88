import { invalidArgument, type PelorusError, truncated } from '@pelorus/contract';
import { filterFields } from '@pelorus/engine';
import type { Settings } from './settings.js';
import type { ShopSearch } from './shop-search.js';

/** Fields that every hit has. */
const ALWAYS: ReadonlySet<string> = new Set(['_id', '_score']);

type Fields = Pick<Settings, 'publicFields'>;

/** Tells whether pages may see a member of products, or an entry of one that is a map, as `map.key`. */
export function isPublic({ publicFields }: Fields, name: string): boolean {
  if (publicFields == null || ALWAYS.has(name)) return true;
  return publicFields.some((field) => name === field || name.startsWith(`${field}.`));
}

/** Returns the part of a product that pages may see. */
export function publicPart<Product extends object>(settings: Fields, product: Product): Product {
  if (settings.publicFields == null) return product;
  return Object.fromEntries(Object.entries(product).filter(([name]) => isPublic(settings, name))) as Product;
}

/** @throws PelorusError `invalid_argument` for a name that pages may not see */
export function checkPublic(settings: Fields, names: readonly string[] | null | undefined, member: string): void {
  for (const [place, name] of (names ?? []).entries()) {
    if (!isPublic(settings, name)) throw notPublic(`${member}[${place}]`, name);
  }
}

/**
 * Checks the filter of a page, which tells of a field by what it lets through.
 * @throws PelorusError `invalid_argument`, of what is no filter too
 */
export function checkPublicFilter(settings: Fields, filter: string | null | undefined): void {
  if (settings.publicFields == null || filter == null || filter.trim() === '') return;
  const other = filterFields(filter).find((name) => !isPublic(settings, name));
  if (other !== undefined) throw notPublic('filter', other);
}

/**
 * Checks the members by which a page sorts and counts. The `sortFields` and `facetFields` of the settings were named
 * for pages.
 * @throws PelorusError `invalid_argument`
 */
export function checkPublicOrder(settings: Settings, { sortBy, facets }: Pick<ShopSearch, 'sortBy' | 'facets'>): void {
  for (const [place, { fieldName }] of (sortBy?.fields ?? []).entries()) {
    if (isPublic(settings, fieldName) || settings.sortFields?.includes(fieldName)) continue;
    throw notPublic(`sortBy.fields[${place}].fieldName`, fieldName);
  }
  const counted = new Set(Object.keys(settings.facetFields ?? {}));
  for (const name of Object.keys(facets?.fields ?? {})) {
    if (!isPublic(settings, name) && !counted.has(name)) throw notPublic('facets.fields', name);
  }
}

/**
 * Checks that no facet is counted without the default filter of the shop, whose terms could be excluded by their words.
 * @throws PelorusError `invalid_argument`
 */
export function checkExcludedTerms({ defaultFilter }: Settings, { facets }: Pick<ShopSearch, 'facets'>): void {
  if (facets == null || defaultFilter == null || defaultFilter.trim() === '') return;
  const own = new Set(filterFields(defaultFilter).map(compared));
  for (const [name, { excludeTerms }] of Object.entries(facets.fields)) {
    for (const [place, term] of (excludeTerms ?? []).entries()) {
      const other = fieldsOfTerm(term).find((field) => own.has(compared(field)));
      if (other === undefined) continue;
      const expected = "a term of the search's own filter, of a field that the shop's defaultFilter does not name";
      throw invalidArgument(
        `facets.fields.${truncated(name)}.excludeTerms[${place}] must be ${expected}, but it is '${truncated(term)}'`,
      );
    }
  }
}

/** A name that looks the same is taken for the same: rather one term too many is refused. */
function compared(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}

/** The fields of a term. A text that is no filter is no term of one, and excludes nothing. */
function fieldsOfTerm(term: string): readonly string[] {
  try {
    return filterFields(term);
  } catch {
    return [];
  }
}

function notPublic(member: string, name: string): PelorusError {
  return invalidArgument(`${member} must be among the publicFields of this shop, but it is '${truncated(name)}'`);
}
