/** The choices of the shopper: a query, filters and an order. Its address holds them, so that a view can be linked to. */
export interface View {
  readonly q: string;
  readonly category: readonly string[];
  readonly colour: readonly string[];
  /** The name of one of `BANDS`. */
  readonly price: readonly string[];
  /** Keys of `ONLY`. */
  readonly only: readonly string[];
  /** One of `SORTS`. */
  readonly sort: string;
}

/** The members of a view that narrow it. */
export const FILTERS = ['category', 'colour', 'price', 'only'] as const;
export type FilterName = (typeof FILTERS)[number];

interface Band {
  readonly name: string;
  readonly from?: number;
  readonly to?: number;
}

export const BANDS: readonly Band[] = [
  { name: 'Under €25', to: 25 },
  { name: '€25 to €50', from: 25, to: 50 },
  { name: '€50 to €100', from: 50, to: 100 },
  { name: '€100 to €250', from: 100, to: 250 },
  { name: '€250 and more', from: 250 },
];

export const ONLY: Readonly<Record<string, { readonly label: string; readonly term: string }>> = {
  available: { label: 'In stock', term: 'stock > 0' },
  liked: { label: '4 stars and more', term: 'rating >= 4' },
};

export const SORTS: Readonly<Record<string, { readonly label: string; readonly fields?: readonly object[] }>> = {
  relevance: { label: 'Best match' },
  cheap: { label: 'Price, low to high', fields: [{ fieldName: 'price', order: 'asc' }] },
  dear: { label: 'Price, high to low', fields: [{ fieldName: 'price', order: 'desc' }] },
  rating: { label: 'Rating', fields: [{ fieldName: 'rating' }, { fieldName: 'reviewCount' }] },
};

/** The order of the first view, which has neither a query nor a filter to go by. */
const MOST_REVIEWED = { fields: [{ fieldName: 'reviewCount', order: 'desc' }] };
/**
 * Hits of a query that are shown and counted: by meaning every product is found, and the best of them are what was asked
 * for.
 */
export const BEST = 120;
/** Rows that a list of filters shows. */
const FACET_ROWS = 12;

export function viewOf(address: string): View {
  const parameters = new URLSearchParams(address);
  const all = (name: string) => parameters.getAll(name).filter((value) => value !== '');
  const sort = parameters.get('sort') ?? '';
  return {
    q: parameters.get('q') ?? '',
    category: all('category'),
    colour: all('colour'),
    price: all('price').filter((value) => BANDS.some(({ name }) => name === value)),
    only: all('only').filter((value) => Object.hasOwn(ONLY, value)),
    sort: Object.hasOwn(SORTS, sort) ? sort : 'relevance',
  };
}

/** The part of the address that a view is read from again. */
export function addressOf(view: View): string {
  const parameters = new URLSearchParams();
  if (view.q !== '') parameters.set('q', view.q);
  for (const name of FILTERS) for (const value of view[name]) parameters.append(name, value);
  if (view.sort !== 'relevance') parameters.set('sort', view.sort);
  return parameters.size === 0 ? '/' : `/?${parameters}`;
}

export const isFiltered = (view: View): boolean => FILTERS.some((name) => view[name].length > 0);
export const isHome = (view: View): boolean => view.q.trim() === '' && !isFiltered(view) && view.sort === 'relevance';
export const withoutFilters = (view: View): View => ({ ...view, category: [], colour: [], price: [], only: [] });

/** A view with one choice more, or without it where it is there. */
export function toggled(view: View, name: FilterName, value: string): View {
  const chosen = view[name];
  return { ...view, [name]: chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value] };
}

/** The search of a view. Words match as they are typed: by their beginnings, and with typos. */
export function requestOf(view: View, limit: number, offset: number): object {
  const terms = Object.fromEntries(FILTERS.map((name) => [name, termsOf(view, name)]));
  const filter = Object.values(terms).flat().join(' AND ');
  const fields = SORTS[view.sort]?.fields;
  const sortBy = fields === undefined ? (isHome(view) ? MOST_REVIEWED : undefined) : { fields };
  // Each list counts as if nothing were chosen in it.
  const counted = (name: FilterName, facet: object) => ({
    ...facet,
    ...(terms[name]?.length !== 0 && { excludeTerms: terms[name] }),
  });
  return {
    ...(view.q.trim() !== '' && { q: view.q, prefix: 'last', typoTolerance: true }),
    ...(filter !== '' && { filter }),
    ...(sortBy !== undefined && { sortBy }),
    ...{ limit, offset },
    facets: {
      ...(view.q.trim() !== '' && { maxDepth: BEST }),
      fields: {
        category: counted('category', { type: 'string', maxResults: 100 }),
        colour: counted('colour', { type: 'string', maxResults: FACET_ROWS }),
        price: counted('price', { type: 'number', ranges: BANDS }),
      },
    },
  };
}

function termsOf(view: View, name: FilterName): string[] {
  const chosen = view[name];
  if (chosen.length === 0) return [];
  if (name === 'only') return chosen.map((value) => ONLY[value]?.term ?? '').filter((term) => term !== '');
  if (name === 'price')
    return [
      `(${BANDS.filter((band) => chosen.includes(band.name))
        .map(rangeOf)
        .join(' OR ')})`,
    ];
  return [`${name} IN (${chosen.map((value) => `(${value.replace(/[\\)]/g, '\\$&')})`).join(', ')})`];
}

/** Prices have two digits behind the point. */
function rangeOf({ from, to }: Band): string {
  return `price:[${from ?? '*'} TO ${to === undefined ? '*' : (to - 0.01).toFixed(2)}]`;
}
