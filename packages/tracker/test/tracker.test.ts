import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { beforeEach, describe, expect, test } from 'vitest';

/** The script that pages run, as its source has it. */
const script = stripTypeScriptTypes(readFileSync(fileURLToPath(new URL('../src/tracker.ts', import.meta.url)), 'utf8'));

interface Tracker {
  search(query: string, ids: readonly string[], queryId?: string | null, view?: { filtered?: boolean }): void;
  collection(id: string, ids: readonly string[], view?: { filtered?: boolean }): void;
  more(ids: readonly string[]): void;
  click(docId: string, title: string): void;
  addToCart(docId: string, title: string, currency: string): void;
  filterApplied(): void;
  variantChanged(): void;
  consent(given: boolean): void;
  flush(): Promise<void>;
}

/** Entries that the browser keeps, and events that the server was sent; tabs of one browser have both together. */
let stored: Map<string, string>;
let events: { eventId: string; eventType: string; docId?: string; sessionId: string }[];
let clock: number;

beforeEach(() => {
  stored = new Map();
  events = [];
  clock = Date.parse('2026-11-26T12:00:00Z');
});

/** A page that was loaded just now. */
function load({ consent = true, mayStore = true, wantsNone = false } = {}): Tracker {
  class PageDate extends Date {
    static override now = () => clock;
  }
  const page = {
    localStorage: {
      getItem: (name: string) => stored.get(name) ?? null,
      setItem: (name: string, value: string) => {
        if (!mayStore) throw new Error('there is no room');
        stored.set(name, value);
      },
      removeItem: (name: string) => stored.delete(name),
    },
    crypto: { randomUUID },
    navigator: { userAgent: 'test', globalPrivacyControl: wantsNone, sendBeacon: () => true },
    document: { referrer: '', visibilityState: 'visible', addEventListener: () => undefined },
    location: { href: 'https://shop.example/' },
    fetch: async (_url: string, { body }: { body: string }) => {
      // Each page sends the events that wait in the storage; the server takes each event once.
      const known = new Set(events.map(({ eventId }) => eventId));
      events.push(...(JSON.parse(body).events as typeof events).filter(({ eventId }) => !known.has(eventId)));
      return { ok: true, status: 200 };
    },
    ...{ setTimeout: () => 0, clearTimeout: () => undefined, Date: PageDate },
  };
  const options = { url: '/events', customerId: 'shop', consent };
  return runInNewContext(`${script}\npelorusTracker(${JSON.stringify(options)})`, page) as Tracker;
}

async function sent(...trackers: Tracker[]): Promise<string[]> {
  for (const tracker of trackers) await tracker.flush();
  return events.map(({ eventType, docId }) => `${eventType}${docId === undefined ? '' : ` ${docId}`}`);
}

describe('the page of a product', () => {
  test('tells of a cart with a product that the last view of the session showed, and of no other', async () => {
    const list = load();
    list.search('boots', ['p1', 'p2'], 'q');
    expect(await sent(list)).toEqual(['SearchEvent']);
    const product = load();
    product.addToCart('p2', 'Boot', 'EUR');
    product.addToCart('p9', 'Hat', 'EUR');
    expect(await sent(product)).toEqual(['SearchEvent', 'AddToCartEvent p2']);
    expect(new Set(events.map(({ sessionId }) => sessionId)).size).toBe(1);
  });

  test('tells nothing once the session is over', async () => {
    load().search('boots', ['p1']);
    clock += 30 * 60 * 1000;
    const product = load();
    product.addToCart('p1', 'Boot', 'EUR');
    expect(await sent(product)).not.toContain('AddToCartEvent p1');
  });

  test.each(['filterApplied', 'variantChanged'] as const)(
    'stays silent after %s on the page before it',
    async (change) => {
      const list = load();
      list.search('boots', ['p1']);
      list[change]();
      const product = load();
      product.addToCart('p1', 'Boot', 'EUR');
      expect(await sent(list, product)).toEqual(['SearchEvent']);
      const next = load();
      next.collection('sale', ['p1']);
      const again = load();
      again.click('p1', 'Boot');
      expect(await sent(next, again)).toEqual(['SearchEvent', 'CollectionViewEvent', 'ClickEvent p1']);
    },
  );

  test('silences the pages that follow where a variant is chosen on it', async () => {
    load().search('boots', ['p1']);
    const product = load();
    product.variantChanged();
    product.addToCart('p1', 'Boot', 'EUR');
    const reloaded = load();
    reloaded.addToCart('p1', 'Boot', 'EUR');
    expect(await sent(product, reloaded)).toEqual(['SearchEvent']);
  });
});

test('a page goes by its own view, whatever another tab shows meanwhile', async () => {
  const [one, other] = [load(), load()];
  one.search('boots', ['p1']);
  other.search('hats', ['h1']);
  one.click('p1', 'Boot');
  one.click('h1', 'Hat');
  other.click('h1', 'Hat');
  await sent(one, other);
  expect(events.filter(({ docId }) => docId !== undefined).map(({ docId }) => docId)).toEqual(['p1', 'h1']);
});

describe('a view that shows more', () => {
  test('has its clicks and carts counted, also on the page of a product, and is told once', async () => {
    const page = load();
    page.search('boots', ['p1'], 'q');
    page.more(['p2', 'p3']);
    page.more(['p4']);
    for (const id of ['p1', 'p2', 'p4', 'p5']) page.click(id, 'Boot');
    const product = load();
    product.addToCart('p3', 'Boot', 'EUR');
    expect(await sent(page, product)).toEqual([
      ...['SearchEvent', 'ClickEvent p1', 'ClickEvent p2', 'ClickEvent p4', 'AddToCartEvent p3'],
    ]);
  });

  test('has none counted where the view before counts none, or there is none', async () => {
    const page = load();
    page.more(['p2']);
    page.click('p2', 'Boot');
    page.search('boots', ['p1'], 'q', { filtered: true });
    page.more(['p2']);
    page.click('p2', 'Boot');
    page.search('boots', ['p1'], 'q');
    page.filterApplied();
    page.more(['p2']);
    page.click('p2', 'Boot');
    expect(await sent(page)).toEqual(['SearchEvent', 'SearchEvent']);
  });
});

describe('a view that is filtered', () => {
  test('is told, and its clicks and carts are not, until one that is not', async () => {
    const page = load();
    page.search('boots', ['p1']);
    page.filterApplied();
    page.search('boots', ['p1'], 'q', { filtered: true });
    page.click('p1', 'Boot');
    page.collection('sale', ['p1'], { filtered: true });
    page.addToCart('p1', 'Boot', 'EUR');
    page.search('boots', ['p1'], null, { filtered: false });
    page.click('p1', 'Boot');
    expect(await sent(page)).toEqual([
      ...['SearchEvent', 'SearchEvent', 'CollectionViewEvent', 'SearchEvent', 'ClickEvent p1'],
    ]);
  });
});

describe('storage', () => {
  test('has nothing before consent, what is shown from then on, and nothing after it is taken back', async () => {
    const page = load({ consent: false });
    page.search('boots', ['p1']);
    page.click('p1', 'Boot');
    expect([...stored.keys()]).toEqual([]);
    page.consent(true);
    const product = load();
    product.addToCart('p1', 'Boot', 'EUR');
    expect(await sent(product)).toEqual(['AddToCartEvent p1']);
    product.consent(false);
    expect([...stored.keys()]).toEqual([]);
  });

  test('has nothing where the browser wants no tracking', () => {
    const page = load({ wantsNone: true });
    page.search('boots', ['p1']);
    page.filterApplied();
    expect([...stored.keys()]).toEqual([]);
  });

  test('a storage that is full, or holds something else, leaves a page what it shows itself', async () => {
    const page = load({ mayStore: false });
    page.search('boots', ['p1']);
    page.click('p1', 'Boot');
    expect(await sent(page)).toEqual(['SearchEvent', 'ClickEvent p1']);
    for (const noise of ['[', '7', '{}', '["x","p1"]', 'null']) {
      stored.set('pelorus.shown', noise);
      load().addToCart('p1', 'Boot', 'EUR');
    }
    expect(await sent(page)).toHaveLength(2);
  });

  test('holds a thousand products of a view at most', () => {
    load().search(
      'all',
      Array.from({ length: 5_000 }, (_, at) => `p${at}`),
    );
    expect(JSON.parse(stored.get('pelorus.shown') ?? '')).toHaveLength(1_001);
  });
});
