import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findChromium, visitPage } from '../../../cli/test/e2e/chromium.js';
import { at, blocks } from '../../../cli/test/e2e/page.js';
import { emptyFolder, ServerProcess } from '../../../cli/test/e2e/server-process.js';
import { counted, PRODUCTS, type Product } from '../shop.js';

const chromium = findChromium();
if (chromium === undefined) {
  console.warn('SKIPPED: no Chromium on the path nor in PELORUS_CHROMIUM, so no page of InstantSearch is tried');
}

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** The state of the page that somebody sees. */
interface Shown {
  readonly found: number;
  readonly hits: readonly (readonly [title: string, price: number])[];
  readonly marked: readonly string[];
  readonly brands: Readonly<Record<string, number>>;
  readonly page: number;
}

/** A step of somebody at the page: a script, and what is to be seen after it. */
interface Step {
  readonly script: string;
  readonly shown: Shown;
}

/** The page as printed, for a server at `address`, with a script that takes the steps and reports what is seen. */
function pageOf(address: string, steps: readonly Step[]): string {
  const [page = ''] = blocks('docs/instantsearch.md', 'html');
  const driver = `
    const report = (seen) => fetch('/report', { method: 'POST', body: JSON.stringify(seen) });
    addEventListener('unhandledrejection', ({ reason }) => report([String(reason?.stack ?? reason)]));
    const all = (selector) => [...document.querySelectorAll(selector)];
    const text = (selector) => document.querySelector(selector)?.textContent ?? '';
    const shown = () => ({
      found: Number(text('#stats').replace(/ result.*/, '').replace(/\\D/g, '') || '0'),
      hits: all('#hits .ais-Hits-item').map((item) => [
        item.querySelector('b').textContent, Number(item.querySelector('i').textContent)]),
      marked: [...new Set(all('#hits mark').map((mark) => mark.textContent))],
      brands: Object.fromEntries(all('#brands .ais-RefinementList-item').map((item) => [
        item.querySelector('.ais-RefinementList-labelText').textContent,
        Number(item.querySelector('.ais-RefinementList-count').textContent)])),
      page: Number(text('#pages .ais-Pagination-item--selected')),
    });
    const type = (input, value) => {
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, value);
      input.dispatchEvent(new Event('input', { bubbles: true }));
    };
    const sorted = (value) => JSON.stringify(value, (_, inner) =>
      inner !== null && typeof inner === 'object' && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner);
    const steps = ${JSON.stringify(steps).replaceAll('<', '\\u003c')};
    const until = async (isSo) => {
      // Only what is wrong waits to the end.
      for (const started = performance.now(); !isSo() && performance.now() - started < 60_000; ) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    const seen = [];
    await until(() => all('#hits .ais-Hits-item').length > 0);
    for (const { script, shown: expected } of steps) {
      new Function('all', 'type', script)(all, type);
      await until(() => sorted(shown()) === sorted(expected));
      seen.push(shown());
      if (sorted(seen.at(-1)) !== sorted(expected)) break;
    }
    await report(seen);`;
  const listener =
    "addEventListener('error', ({ message }) => fetch('/report', { method: 'POST', body: JSON.stringify([message]) }));";
  return `<script>${listener}</script>${at(address, page)}<script type="module">${driver}</script>`;
}

/** Serves the page at `/`, and packages as npm lays them out. */
class Site {
  readonly seen: Promise<Shown[]>;
  readonly #server: Server;
  page = '';

  constructor() {
    const { promise, resolve: resolveSeen } = Promise.withResolvers<Shown[]>();
    this.seen = promise;
    this.#server = createServer((incoming, response) => {
      const { pathname } = new URL(incoming.url ?? '/', 'http://site');
      if (pathname === '/report') return void json(incoming).then((seen) => resolveSeen(seen as Shown[]));
      if (pathname === '/') return void response.setHeader('content-type', 'text/html').end(this.page);
      const file = resolve(join(ROOT, pathname));
      if (!file.startsWith(join(ROOT, 'node_modules'))) return void response.writeHead(404).end();
      response.setHeader('content-type', 'text/javascript').end(readFileSync(file));
    });
  }

  async open(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

let folder: string;
let site: Site;
let origin: string;
let server: ServerProcess;

beforeAll(async () => {
  folder = emptyFolder('instantsearch');
  site = new Site();
  origin = await site.open();
  server = await ServerProcess.start(['--data', folder, '--allowed-origins', origin]);
  await server.ok('POST', '/indexes/products', { model: 'random/small' });
  for (let start = 0; start < PRODUCTS.length; start += 100) {
    const documents = PRODUCTS.slice(start, start + 100);
    await server.ok('POST', '/indexes/products/documents', { documents, tensorFields: ['title'] });
  }
});
afterAll(async () => {
  await server?.end();
  await site?.close();
  rmSync(folder, { recursive: true, force: true });
});

const HITS_PER_PAGE = 20;
const cheapest = (products: readonly Product[]) => products.toSorted((a, b) => a.price - b.price);

/** The right state for products in the order of their prices; brands are counted in `all`. */
function shownOf(
  products: readonly Product[],
  all: readonly Product[],
  page = 1,
  marked: readonly string[] = [],
): Shown {
  const start = (page - 1) * HITS_PER_PAGE;
  const hits = cheapest(products).slice(start, start + HITS_PER_PAGE);
  return {
    found: products.length,
    hits: hits.map(({ title, price }) => [title, price] as const),
    marked,
    brands: counted(all, ({ brand }) => brand),
    page,
  };
}

test.skipIf(chromium === undefined)('the page as printed finds what plain loops find', async () => {
  const lamps = PRODUCTS.filter(({ title }) => title.endsWith('lamp'));
  const ofZed = (products: readonly Product[]) => products.filter(({ brand }) => brand === 'Zed & Sons');
  // Well inside of the prices that are left: the form takes no others, and their ends for no limit.
  const [low, high] = [1, -3].map((place) => Math.round(cheapest(ofZed(lamps)).at(place)?.price ?? 0));
  const within = (products: readonly Product[]) =>
    products.filter(({ price }) => price >= (low as number) && price <= (high as number));
  const order = `const select = all('#order select')[0];
    select.value = 'products:price:asc'; select.dispatchEvent(new Event('change', { bubbles: true }));`;
  const brand = `all('#brands .ais-RefinementList-item').find((item) =>
      item.querySelector('.ais-RefinementList-labelText').textContent === 'Zed & Sons').querySelector('input').click();`;
  const range = `type(all('#price .ais-RangeInput-input--min')[0], '${low}'); type(all('#price .ais-RangeInput-input--max')[0], '${high}');
    setTimeout(() => all('#price form')[0].requestSubmit());`;
  const steps: Step[] = [
    { script: order, shown: shownOf(PRODUCTS, PRODUCTS) },
    {
      script: `all('#pages .ais-Pagination-link').find((link) => link.textContent === '2').click();`,
      shown: shownOf(PRODUCTS, PRODUCTS, 2),
    },
    { script: `type(all('#search input')[0], 'lamp');`, shown: shownOf(lamps, lamps, 1, ['lamp']) },
    { script: brand, shown: shownOf(ofZed(lamps), lamps, 1, ['lamp']) },
    { script: range, shown: shownOf(within(ofZed(lamps)), within(lamps), 1, ['lamp']) },
    { script: `type(all('#search input')[0], '');`, shown: shownOf(within(ofZed(PRODUCTS)), within(PRODUCTS)) },
  ];
  site.page = pageOf(server.address, steps);
  const seen = await visitPage(chromium as string, `${origin}/`, site.seen);
  expect(seen).toEqual(steps.map(({ shown }) => shown));
  expect(within(ofZed(lamps)).length).toBeGreaterThan(0);
});
