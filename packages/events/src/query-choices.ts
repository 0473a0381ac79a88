import type Database from 'better-sqlite3';
import { startOf } from './contributions.js';
import { DAY_MS } from './event.js';
import type { QueryChoices } from './event-store.js';
import { ROWS_MAX, userOf } from './signals.js';

/** Most products of a query: those that most users chose. */
const PRODUCTS_MAX = 50;

interface ChoiceRow {
  readonly start: number;
  readonly term: string;
  readonly doc: string;
  readonly shopper: number;
  readonly clicks: number;
  readonly carts: number;
  readonly purchases: number;
}

/** The most that a user did with a product after a query. */
const STRENGTH = { click: 1, cart: 2, purchase: 3 } as const;

/**
 * The choices after queries in the days since `since`: of the queries after which at least `usersMin` users chose something,
 * those of most users, then by name. A user counts once for a query and product, by the strongest action.
 */
export function queryChoices(
  db: Database.Database,
  customer: string,
  { since, usersMin, limit }: { since: number; usersMin: number; limit: number },
): QueryChoices[] {
  const rows = db.prepare<[string, number, number], ChoiceRow>(
    'SELECT * FROM choices WHERE customer = ? AND start >= ? ORDER BY start DESC LIMIT ?',
  );
  /** By query and product, the strength by user. */
  const queries = new Map<string, Map<string, Map<number, number>>>();
  for (const row of rows.iterate(customer, startOf(since, DAY_MS), ROWS_MAX)) {
    const strength = strengthOf(row);
    // An empty query browses.
    if (strength === 0 || row.term === '') continue;
    const products = valueIn(queries, row.term, () => new Map<string, Map<number, number>>());
    const users = valueIn(products, row.doc, () => new Map<number, number>());
    const user = userOf(row);
    users.set(user, Math.max(users.get(user) ?? 0, strength));
  }
  return [...queries]
    .map(([query, products]) => ({ query, products, users: usersOf(products) }))
    .filter(({ users }) => users >= usersMin)
    .sort((a, b) => b.users - a.users || (a.query < b.query ? -1 : 1))
    .slice(0, limit)
    .map(({ query, users, products }) => ({ query, users, products: chosen(products) }));
}

function strengthOf({ clicks, carts, purchases }: ChoiceRow): number {
  if (purchases > 0) return STRENGTH.purchase;
  if (carts > 0) return STRENGTH.cart;
  return clicks > 0 ? STRENGTH.click : 0;
}

function usersOf(products: ReadonlyMap<string, ReadonlyMap<number, number>>): number {
  const users = new Set<number>();
  for (const ofProduct of products.values()) for (const user of ofProduct.keys()) users.add(user);
  return users.size;
}

function chosen(products: ReadonlyMap<string, ReadonlyMap<number, number>>): QueryChoices['products'] {
  const countOf = (users: ReadonlyMap<number, number>, strength: number) =>
    [...users.values()].filter((one) => one === strength).length;
  return [...products]
    .sort(([a, x], [b, y]) => y.size - x.size || (a < b ? -1 : 1))
    .slice(0, PRODUCTS_MAX)
    .map(([docId, users]) => ({
      docId,
      clicked: countOf(users, STRENGTH.click),
      carted: countOf(users, STRENGTH.cart),
      bought: countOf(users, STRENGTH.purchase),
    }));
}

function valueIn<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}
