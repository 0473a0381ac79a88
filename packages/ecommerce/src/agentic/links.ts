import type { Category } from './discovery.js';
import { PRODUCTS_SHOWN } from './words.js';

/** A place in a message that leads to a category or a product, so that pages can make it clickable. */
export interface Link {
  /** From this place of the whole message, in UTF-16 code units, to that before `end`. */
  readonly start: number;
  readonly end: number;
  readonly target: 'category' | 'product';
  /** The id of the category or the product. */
  readonly id: string;
}

type Target = Pick<Link, 'target' | 'id'>;

/** Longer titles are not looked for: nobody says them in full. */
const TITLE_LENGTH_MAX = 200;

/**
 * The places where `text` names a found category or product: whole titles in any case, the longest where several begin
 * at one place. A title of several products means the best of them, and one of a category and a product the category.
 * @param from words before it, such as those of the shopper, lead nowhere, and so do titles that reach behind `to`
 */
export function linksIn(text: string, categories: readonly Category[], from = 0, to = text.length): Link[] {
  const targets = targetsOf(categories);
  if (targets.size === 0) return [];
  const titles = [...targets.keys()].toSorted((a, b) => b.length - a.length).map(escaped);
  const mention = new RegExp(`(?<![\\p{L}\\p{N}])(?:${titles.join('|')})(?![\\p{L}\\p{N}])`, 'giu');
  return [...text.matchAll(mention)].flatMap(({ 0: title, index }): Link[] => {
    const target = targets.get(title.toLowerCase());
    const end = index + title.length;
    return index < from || end > to || target === undefined ? [] : [{ start: index, end, ...target }];
  });
}

/** By titles in lower case. Only products that a language model is shown are among them. */
function targetsOf(categories: readonly Category[]): Map<string, Target> {
  const targets = new Map<string, Target>();
  const add = (title: unknown, target: Target) => {
    if (typeof title !== 'string' || title.trim() === '' || title.length > TITLE_LENGTH_MAX) return;
    const name = title.trim().toLowerCase();
    if (!targets.has(name)) targets.set(name, target);
  };
  for (const { id, title } of categories) if (id !== '') add(title, { target: 'category', id });
  for (const { hits } of categories) {
    for (const { _id, productTitle } of hits.slice(0, PRODUCTS_SHOWN))
      add(productTitle, { target: 'product', id: _id });
  }
  return targets;
}

function escaped(title: string): string {
  return title.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
