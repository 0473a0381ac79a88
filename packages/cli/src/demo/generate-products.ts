import { categories } from './categories.js';
import type { Category, Family, Kind } from './category.js';
import type { Product } from './product.js';
import { Random } from './random.js';

/** The number of makers that sell each kind of thing. */
const PRODUCTS_PER_KIND = 4;

const FIRST_LISTED = Date.UTC(2024, 0, 8) / 1000;
const LAST_LISTED = Date.UTC(2026, 8, 30) / 1000;
const LAST_CHANGED = Date.UTC(2026, 10, 1) / 1000;

/**
 * The sample catalogue: every kind of thing in `catalogue/`, each by several makers, in a fixed order.
 * The same on every machine and in every run.
 */
export function generateProducts(): Product[] {
  const random = new Random(8882);
  const products = categories.flatMap((category) =>
    category.families.flatMap((family) =>
      family.kinds.flatMap((kind) => productsOfKind(category, family, kind, random)),
    ),
  );
  return products.map((product, i) => ({ _id: `product-${String(i + 1).padStart(4, '0')}`, ...product }));
}

type Unnumbered = Omit<Product, '_id'>;

function productsOfKind(category: Category, family: Family, kind: Kind, random: Random): Unnumbered[] {
  const brands = random.shuffled(category.brands);
  const series = random.shuffled(category.series);
  const colours = random.shuffled(category.colours);
  const details = random.shuffled(pairs(family.details));
  return Array.from({ length: PRODUCTS_PER_KIND }, (_, i) => ({
    title: `${at(brands, i)} ${at(series, i)} ${kind.title}`,
    description: description(kind.lead, at(details, i), at(random.shuffled(category.closings), 0)),
    brand: at(brands, i),
    category: category.name,
    subcategory: family.name,
    colour: at(colours, i),
    price: price(family, random),
    ...popularity(random),
    stock: random.chance(0.08) ? 0 : random.int(1, 240),
    tags: tags(family, random),
    ...dates(random),
  }));
}

/**
 * The details stand between the sentences of the lead, so that a passage of two sentences, which is what
 * gets a vector, differs from maker to maker.
 */
function description(lead: string, [first, second]: [string, string], closing: string): string {
  const [opening, ...rest] = lead.split(/(?<=[.?]) /);
  return [opening, first, ...rest, second, closing].join(' ');
}

/** Reads a list in a circle. */
function at<T>(items: readonly T[], i: number): T {
  return items[i % items.length] as T;
}

/** Every pair of distinct sentences, in the order they were written. */
function pairs(sentences: readonly string[]): [string, string][] {
  return sentences.flatMap((first, i) => sentences.slice(i + 1).map((second): [string, string] => [first, second]));
}

/** Squared, so that cheap things outnumber dear ones; then ended as shops end prices. */
function price({ price: { low, high } }: Family, random: Random): number {
  const whole = Math.round(low + (high - low) * random.next() ** 2);
  const ending = random.shuffled([0, 0.5, 0.9, 0.95, 0.99])[0] as number;
  return Number((whole + ending).toFixed(2));
}

function popularity(random: Random): Pick<Product, 'rating' | 'reviewCount'> {
  const rating = Number((5 - 2.4 * random.next() ** 1.7).toFixed(1));
  return { rating, reviewCount: Math.round(900 * random.next() ** 3) + 1 };
}

function tags(family: Family, random: Random): string[] {
  const extra = [random.chance(0.12) && 'bestseller', random.chance(0.1) && 'sale', random.chance(0.15) && 'gift idea'];
  return [...new Set([...family.tags, ...extra.filter((tag) => tag !== false)])];
}

function dates(random: Random): Pick<Product, 'createdAt' | 'updatedAt'> {
  const createdAt = random.int(FIRST_LISTED, LAST_LISTED);
  return { createdAt, updatedAt: random.int(createdAt, LAST_CHANGED) };
}
