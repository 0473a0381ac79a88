import { byId, element } from './elements.js';
import type { Answer, Counts } from './shop.js';
import { BANDS, type FilterName, isFiltered, ONLY, SORTS, toggled, type View, withoutFilters } from './view.js';

const LABELS: Readonly<Record<FilterName, string>> = {
  category: 'Department',
  price: 'Price',
  colour: 'Colour',
  only: 'Only',
};

/** Shows the lists of filters with their counts. */
export function showFilters(view: View, { facets = {} }: Answer, change: (view: View) => void): void {
  const focused = document.activeElement?.id;
  const list = (name: FilterName, rows: readonly (readonly [value: string, label: string, count?: number])[]) =>
    element(
      'fieldset',
      {},
      element('legend', {}, LABELS[name]),
      ...rows.map(([value, label, count]) => {
        const isChosen = view[name].includes(value);
        const id = `${name}-${value}`;
        const flip = () => change(toggled(view, name, value));
        return element(
          'label',
          {},
          element('input', { type: 'checkbox', id, checked: isChosen, change: flip }),
          element('span', {}, label),
          count !== undefined && element('span', { class: 'count' }, count.toLocaleString('en')),
        );
      }),
    );
  const counted = (name: 'category' | 'colour') => {
    const counts = facets[name] ?? {};
    // A chosen value stays, though nothing may be left of it.
    const values = [...new Set([...Object.keys(counts), ...view[name]])];
    return values.map((value) => [value, value, countOf(counts, value)] as const);
  };
  const prices = facets.price ?? {};
  const bands = BANDS.filter(({ name }) => countOf(prices, name) > 0 || view.price.includes(name));
  byId('filters-body').replaceChildren(
    list('category', counted('category')),
    list(
      'price',
      bands.map(({ name }) => [name, name, countOf(prices, name)] as const),
    ),
    list('colour', counted('colour')),
    list(
      'only',
      Object.entries(ONLY).map(([value, { label }]) => [value, label] as const),
    ),
  );
  byId('filters-none').hidden = !isFiltered(view);
  // A list that is drawn anew keeps the place of who goes through it by keys.
  if (focused !== undefined && focused !== '') document.getElementById(focused)?.focus();
}

const countOf = (counts: Counts, value: string): number => counts[value]?.count ?? 0;

/** Fills the choice of orders, and binds the controls that are always there. */
export function bindControls(view: () => View, change: (view: View) => void): void {
  const sort = byId<HTMLSelectElement>('sort');
  sort.replaceChildren(...Object.entries(SORTS).map(([value, { label }]) => element('option', { value }, label)));
  sort.value = view().sort;
  sort.addEventListener('change', () => change({ ...view(), sort: sort.value }));
  byId('filters-none').addEventListener('click', () => change(withoutFilters(view())));
}
