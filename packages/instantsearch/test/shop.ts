// A small catalogue, and what a search of it finds by plain loops.

import type { AddressInfo } from 'node:net';
import { openService } from '../../server/test/operations/service.js';

export interface Product {
  readonly _id: string;
  readonly title: string;
  readonly brand?: string;
  readonly tags?: readonly string[];
  readonly price: number;
  readonly rating?: number;
}

const BRANDS = ['Acme', 'Zed & Sons', 'Über', 'a:b (c) "d"', '-minus', 'x\\y'];
const TAGS = ['new', 'on sale', 'NOT', 'a, b'];
const NOUNS = ['lamp', 'boot', 'kettle', 'chair', 'clock'];
const COLOURS = ['red', 'blue', 'green'];

let state = 20_261_126;

/** A number below `count`, of a sequence that is the same each time (mulberry32). */
function below(count: number): number {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) % count;
}

/** 240 products, the same each time. */
export const PRODUCTS: readonly Product[] = Array.from({ length: 240 }, (_, n) => ({
  _id: `p${n}`,
  title: `${COLOURS[below(3)]} ${NOUNS[below(5)]}`,
  ...(below(9) > 0 && { brand: BRANDS[below(6)] as string }),
  tags: TAGS.filter(() => below(2) > 0),
  price: ((n * 37) % 101) / 2,
  ...(below(4) > 0 && { rating: below(6) }),
}));

export interface Shop {
  readonly url: string;
  /** @throws Error for an answer that tells of one */
  post(path: string, body: object): Promise<void>;
  close(): Promise<void>;
}

/** A server with the catalogue in its index `products`. */
export async function openShop(env: Record<string, string> = {}): Promise<Shop> {
  const { app, close } = await openService(env);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const answer = (await response.json()) as { errors?: boolean };
    if (!response.ok || answer.errors === true) throw new Error(JSON.stringify(answer));
  };
  await post('/indexes/products', { model: 'random/small' });
  for (let at = 0; at < PRODUCTS.length; at += 100) {
    await post('/indexes/products/documents', { documents: PRODUCTS.slice(at, at + 100), tensorFields: ['title'] });
  }
  return { url, post, close };
}

/** How often each value occurs, of lists each element. */
export function counted(
  products: readonly Product[],
  valuesOf: (product: Product) => string | readonly string[] | undefined,
): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of products.flatMap((product) => valuesOf(product) ?? [])) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}
