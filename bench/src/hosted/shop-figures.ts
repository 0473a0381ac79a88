import { mkdirSync } from 'node:fs';
import { FiguresFile, Sums } from '@pelorus/events/figures';

/** A shop whose figures are made up. */
export interface ShopPlan {
  /** Events of shoppers, over all days. */
  shopEvents: number;
  products: number;
  terms: number;
  days: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Shares of the events; the others are purchases. */
const SHARES = { searches: 0.4, clicks: 0.45, carts: 0.1 };
/** Products on a page of hits, each of which is an impression. */
const SHOWN = 10;
/** The price of every order, in ten-thousandths of a euro. */
const PRICE = 199_900;

/**
 * Writes figures of a shop as its events would have left them, in which terms and products are as frequent as their rank
 * says (Zipf). The first day and the last have hours; the events of each other day are those of its noon.
 */
export function writeShopFigures(
  folder: string,
  customer: string,
  { shopEvents, products, terms, days }: ShopPlan,
  say: (line: string) => void,
): void {
  mkdirSync(folder, { recursive: true });
  const figures = new FiguresFile(folder);
  const random = randomNumbers();
  const term = ranked(terms, random);
  const product = ranked(products, random);
  const now = Date.now();
  const today = now - (now % DAY_MS);
  const perHour = shopEvents / days / 24;
  const write = (start: number, count: number) => {
    figures.advance(
      hourOf(customer, start, Math.round(count), term, product),
      new Date(start).toISOString().slice(0, 7),
      0,
    );
  };
  for (let start = today - days * DAY_MS; start <= today; start += DAY_MS) {
    say(`writing figures of ${new Date(start).toISOString().slice(0, 10)}`);
    const hasHours = start === today || start === today - days * DAY_MS;
    if (!hasHours) write(start + DAY_MS / 2, perHour * 24);
    else for (let hour = start; hour < start + DAY_MS && hour <= now; hour += HOUR_MS) write(hour, perHour);
  }
  say('packing figures');
  while (figures.packed.packNext(now));
  figures.close();
}

/** The sums that the events of an hour add to the figures. */
function hourOf(customer: string, start: number, count: number, term: () => number, product: () => number): Sums {
  const terms = new Tally();
  const products = new Tally();
  for (let i = 0; i < count; i += 1) {
    const part = i / count;
    if (part < SHARES.searches) {
      const found = Number(i % 20 > 0);
      terms.add(term(), { queries: 1, sessions: Number(i % 5 > 0), found, empty: 1 - found });
      for (let shown = 0; shown < SHOWN * found; shown += 1) products.add(product(), { impressions: 1 });
    } else if (part < SHARES.searches + SHARES.clicks) {
      terms.add(term(), { clicks: 1, clicked: 1 });
      products.add(product(), { clicks: 1 });
    } else if (part < SHARES.searches + SHARES.clicks + SHARES.carts) {
      terms.add(term(), { carts: 1, carted: 1 });
      products.add(product(), { carts: 1 });
    } else {
      terms.add(term(), { purchases: 1, bought: 1, orders: 1, revenue: PRICE });
      products.add(product(), { purchases: 1, revenue: PRICE });
    }
  }
  const sums = new Sums();
  const key = [customer, 'searches', '', 'h', start];
  for (const [rank, { orders = 0, revenue = 0, ...counts }] of terms.ordered()) {
    sums.add('terms', [...key, `what they look for ${rank}`, ''], counts, 1);
    sums.add('totals', [...key, ''], counts, 1);
    if (orders === 0) continue;
    sums.add('terms', [...key, `what they look for ${rank}`, 'EUR'], { orders, revenue }, 1);
    sums.add('totals', [...key, 'EUR'], { orders, revenue }, 1);
  }
  for (const [rank, { revenue = 0, ...counts }] of products.ordered()) {
    const { clicks = 0, carts = 0, purchases = 0 } = counts;
    sums.add('products', [...key, `product-${rank}`, ''], counts, 1);
    if (revenue > 0) sums.add('products', [...key, `product-${rank}`, 'EUR'], { revenue }, 1);
    sums.add('actions', [customer, 'h', start, `product-${rank}`], { events: clicks + carts + purchases }, 1);
  }
  return sums;
}

/** Counts by rank. */
class Tally {
  readonly #counts = new Map<number, Record<string, number>>();

  add(rank: number, counts: Readonly<Record<string, number>>): void {
    const sums = this.#counts.get(rank) ?? {};
    this.#counts.set(rank, sums);
    for (const name in counts) sums[name] = (sums[name] ?? 0) + (counts[name] as number);
  }

  /** In the order of names, in which rows are written fastest. */
  ordered(): [string, Record<string, number>][] {
    const rows = [...this.#counts].map(([rank, counts]): [string, Record<string, number>] => [String(rank), counts]);
    return rows.sort(([a], [b]) => (a < b ? -1 : 1));
  }
}

/** Ranks from 0 up to `count`, each as frequent as one by it (Zipf). */
function ranked(count: number, random: () => number): () => number {
  const shares = new Float64Array(count);
  let sum = 0;
  for (let rank = 0; rank < count; rank += 1) {
    sum += 1 / (rank + 1);
    shares[rank] = sum;
  }
  return () => {
    const at = random() * sum;
    let [low, high] = [0, count - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((shares[middle] as number) < at) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

/** From 0 to 1, the same at every run (SplitMix32). */
function randomNumbers(): () => number {
  let state = 1;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}
