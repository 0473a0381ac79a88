import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium, visitPage } from './chromium.js';
import { DrivenPage } from './driven-page.js';
import { emptyFolder, freePort, ServerProcess } from './server-process.js';

const TRACKER = readFileSync(fileURLToPath(new URL('../../../tracker/dist/tracker.js', import.meta.url)), 'utf8');
const KEY = 'the-admin-key-of-a-test-0123456789';
const CUSTOMER = 'boots';
const PHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 800 };

const chromium = findChromium();
if (chromium === undefined) {
  console.warn('SKIPPED: no Chromium on the path nor in PELORUS_CHROMIUM, so the tracker is not tested');
}

test('the tracker has less than 4 kB as it travels', () => {
  expect(gzipSync(TRACKER).length).toBeLessThan(4_096);
});

/** A page that runs a script with the tracker and then posts what came of it to where it came from. */
class TrackingSite {
  readonly origin: string;
  readonly outcome: Promise<unknown>;
  readonly #server: Server;

  private constructor(server: Server, outcome: Promise<unknown>) {
    this.#server = server;
    this.outcome = outcome;
    this.origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  }

  static async open(script: string): Promise<TrackingSite> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const outcome = new Promise((resolve) => {
      server.on('request', async (request, response) => {
        if (request.method === 'POST') {
          const parts: Buffer[] = [];
          for await (const part of request) parts.push(part as Buffer);
          response.end();
          resolve(JSON.parse(Buffer.concat(parts).toString()));
        } else if (request.url === '/tracker.js') response.end(TRACKER);
        else {
          response.setHeader('content-type', 'text/html');
          response.end(
            `<script src="/tracker.js"></script><script type="module">${script}; await fetch('/', { method: 'POST', body: JSON.stringify(seen) });</script>`,
          );
        }
      });
    });
    return new TrackingSite(server, outcome);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

describe.skipIf(chromium === undefined)('the tracker in a real browser', () => {
  const data = emptyFolder('tracker');
  let server: ServerProcess;

  beforeAll(async () => {
    server = await ServerProcess.start(['--hosted', '--data', data], { env: { PELORUS_ADMIN_KEY: KEY } });
  });
  afterAll(async () => {
    await server?.end();
    rmSync(data, { recursive: true, force: true });
  });

  const call = async (method: string, path: string, body?: object): Promise<any> => {
    const headers = { 'x-api-key': KEY, 'content-type': 'application/json' };
    const response = await fetch(`${server.address}${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return await response.json();
  };

  /** Runs a script in a page whose tracker may send to the server; what the script leaves in `seen`. */
  async function visit(script: string, customerId: string): Promise<any> {
    const site = await TrackingSite.open(script.replace('{address}', server.address));
    try {
      const order = { kind: 'tracking', name: customerId, customerId, origins: [site.origin], allowsNoOrigin: false };
      const { secret } = await call('POST', '/api/v2/keys', order);
      const page = `${site.origin}/#${encodeURIComponent(secret)}`;
      return await visitPage(chromium as string, page, site.outcome);
    } finally {
      await site.close();
    }
  }

  const begin = (customerId: string, more = '') => `
    const tracker = pelorusTracker({
      url: '{address}', key: decodeURIComponent(location.hash.slice(1)), customerId: '${customerId}', source: 'web_prod', ${more}
    });
    const seen = {};`;

  test('tells of what the current view showed, and of nothing else', async () => {
    // All of it within a millisecond, as on a fast machine.
    await visit(
      `const now = Date.now(); Date.now = () => now;
      ${begin(CUSTOMER, 'consent: true')}
      tracker.click('early', 'Before any search');
      tracker.search('boots', ['a', 'b']);
      tracker.click('a', 'Boot A');
      tracker.click('elsewhere', 'Not in the view');
      tracker.addToCart('b', 'Boot B', 'EUR');
      tracker.filterApplied();
      tracker.click('a', 'Boot A');
      tracker.search('hats', ['h']);
      tracker.click('a', 'Of the view before');
      tracker.variantChanged();
      tracker.addToCart('h', 'Hat', 'EUR');
      tracker.collection('sale', ['a']);
      tracker.click('a', 'Boot A');
      tracker.purchase([{ docId: 'b', title: 'Boot B', quantity: 2, price: 10.5 }], 'EUR');
      await tracker.flush();`,
      CUSTOMER,
    );
    const about = `customerId=${CUSTOMER}&days=1`;
    const metrics = async (context: string) => {
      const answer = await call('GET', `/api/v1/analytics/summary?${about}&context=${context}`);
      return answer.metrics;
    };
    await expect
      .poll(() => metrics('searches'), { timeout: 60_000 })
      .toMatchObject({
        totalQueries: 2,
        totalClicks: 1,
        totalAddToCarts: 1,
        totalPurchases: 2,
        totalRevenue: { EUR: 21 },
        totalSessions: 1,
      });
    expect(await metrics('collections')).toMatchObject({ totalQueries: 1, totalClicks: 1 });
    const { results } = await call('GET', `/api/v1/analytics/labels?${about}&context=searches`);
    expect(results.map(({ label }: any) => label)).toContain('user_source:web_prod');
  });

  test('stores and sends nothing before consent, and forgets when it is taken back', async () => {
    const seen = await visit(
      `${begin('silent')}
      tracker.search('boots', ['a']);
      await tracker.flush();
      seen.before = localStorage.length;
      seen.shopper = tracker.shopper();
      tracker.consent(true);
      tracker.search('hats', ['h']);
      await tracker.flush();
      seen.during = localStorage.length;
      const [first, second] = [tracker.shopper(), tracker.shopper()];
      seen.isSame = first.userId === second.userId && first.sessionId === second.sessionId;
      tracker.consent(false);
      tracker.search('gloves', ['g']);
      await tracker.flush();
      seen.after = localStorage.length;`,
      'silent',
    );
    expect(seen).toEqual({ before: 0, shopper: {}, during: 4, isSame: true, after: 0 });
    const terms = async () => {
      const { results } = await call('GET', '/api/v1/analytics/terms?customerId=silent&days=1&context=searches');
      return results.map(({ term }: any) => term);
    };
    await expect.poll(terms, { timeout: 60_000 }).toEqual(['hats']);
  });

  test('a key of another origin sends nothing', async () => {
    const site = await TrackingSite.open(
      `${begin('foreign', 'consent: true')}
      tracker.search('boots', ['a']);
      await tracker.flush();
      seen.waiting = JSON.parse(localStorage.getItem('pelorus.waiting')).length;`.replace('{address}', server.address),
    );
    const order = { kind: 'tracking', name: 'foreign', customerId: 'foreign', origins: ['https://shop.example'] };
    const { secret } = await call('POST', '/api/v2/keys', { ...order, allowsNoOrigin: false });
    await visitPage(chromium as string, `${site.origin}/#${secret}`, site.outcome);
    await site.close();
    const { metrics } = await call('GET', '/api/v1/analytics/summary?customerId=foreign&days=1&context=searches');
    expect(metrics.totalQueries).toBe(0);
  });

  test('the sample shop is made by one command, and its page searches and tells', async () => {
    const port = await freePort();
    const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
    const args = [main, 'shop', 'demo', '--url', server.address, '--name', 'sample', '--page', String(port)];
    const env = { ...process.env, PELORUS_API_KEY: KEY };
    const shop = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      await opened(shop);
      const page = await (await fetch(`http://localhost:${port}/`)).text();
      expect(page).toContain('The sample shop</a></h1>');
      expect((await fetch(`http://localhost:${port}/elsewhere`)).status).toBe(404);
      const { indexId, trackingKey } = JSON.parse(/id="shop">(\{.*\})</.exec(page)?.[1] as string);
      const origin = `http://localhost:${port}`;
      const found = await fetch(`${server.address}/api/v1/indexes/sample/search`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-svc-index-id': indexId, origin },
        body: JSON.stringify({ q: 'something warm for a snowy mountain', limit: 3 }),
      });
      expect(found.headers.get('access-control-allow-origin')).toBe(origin);
      const { hits, totalHits } = (await found.json()) as any;
      expect(hits).toHaveLength(3);
      expect(totalHits).toBeGreaterThan(100);
      expect(hits[0]).toMatchObject({ _id: expect.any(String), productTitle: expect.any(String) });
      expect(trackingKey).toMatch(/^svc_t_/);
      await useShop(origin);
      await pageThroughShop(origin);
    } finally {
      shop.kill('SIGKILL');
      await once(shop, 'close');
    }
  });

  /** Searches, filters and buys as a shopper does, in a real browser. */
  async function useShop(origin: string): Promise<void> {
    const page = await DrivenPage.open(chromium as string, PHONE, 'dark');
    const cards = "document.querySelectorAll('#results .card:not(.waiting)')";
    const events = async () => {
      const about = 'customerId=sample&days=1&context=searches';
      return (await call('GET', `/api/v1/analytics/summary?${about}`)).metrics;
    };
    try {
      await page.goTo(`${origin}/`);
      await page.until(`${cards}.length === 24 && document.querySelectorAll('#departments li').length === 20`);
      expect(await page.value('localStorage.length')).toBe(0);

      await expectAccessible(page);

      // Two words as one types them, one with a typo and one unfinished.
      await page.value("document.querySelector('#q').focus()");
      await page.type('gooseneck ketle');
      await page.until("document.querySelector('#heading').textContent.includes('ketle')");
      await page.until(`/Gooseneck .*Kettle/.test(${cards}[0].querySelector('h3').textContent)`);
      expect(await page.value(`${cards}[0].querySelector('.price').textContent`)).toMatch(/^€\d+\.\d\d$/);
      await page.until(`${cards}[0].querySelector('img').naturalWidth > 0`);

      // A filter that is chosen stays in the address, and holds.
      await page.value("document.querySelector('[id=category-Kitchen]').click()");
      await page.until("location.search.includes('category=Kitchen')");
      await page.until("document.querySelectorAll('#filters-body fieldset:first-child input:checked').length === 1");

      await page.value("document.querySelector('#consent [value=yes]').click()");
      expect(await page.value("document.querySelector('#consent').hidden")).toBe(true);
      await page.value("document.querySelector('#filters-none').click()");
      await page.until("!location.search.includes('category') && !document.querySelector('#results[aria-busy]')");
      await page.value(`${cards}[0].querySelector('.title').click()`);
      await page.until("document.querySelectorAll('#product .small .card').length === 4");
      await expectAccessible(page);
      await page.value("document.querySelector('#product .whole .buy').click()");
      await page.value("document.querySelector('#product .close').click()");
      await page.value("document.querySelector('#basket-open').click()");
      await page.value("document.querySelector('#basket [id^=more-]').focus()");
      await page.value('document.activeElement.click()');
      expect(await page.value("document.querySelector('#basket .amount').textContent")).toBe('−2+');
      expect(await page.value("document.querySelector('#basket-count').textContent")).toBe('2');
      expect(await page.value("document.activeElement.getAttribute('aria-label')")).toMatch(/^More .*Kettle/);
      await expectAccessible(page);
      expect(
        await page.value(
          "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('#basket'))",
        ),
      ).toBe(0);
      await page.value("document.querySelector('#basket .wide').click()");
      expect(await page.value("document.querySelector('#basket .thanks').textContent")).toContain('Thank you');
      // A view before it may have counted meanwhile; what was chosen counts once.
      while ((await events()).totalPurchases < 2) await new Promise((resolve) => setTimeout(resolve, 100));
      expect(await events()).toMatchObject({ totalClicks: 1, totalAddToCarts: 2, totalPurchases: 2 });
      expect(await page.value("document.activeElement.getAttribute('aria-label')")).toBe('Close');
      await page.value('document.activeElement.click()');
      await expectFocusKept(page);

      // Filters that leave nothing, and the way out.
      await page.goTo(`${origin}/?q=tent&colour=none`);
      await page.until("document.querySelector('.nothing h3')?.textContent === 'Nothing was found'");
      await expectAccessible(page);
      await page.value("document.querySelector('.nothing .buy').click()");
      await page.until(`${cards}.length === 24`);

      const hosts = new Set(page.requests.map((url) => new URL(url).origin));
      expect([...hosts].sort()).toEqual([server.address, origin].sort());
      expect(page.complaints).toEqual([]);
    } finally {
      await page.close();
    }
  }

  /** Goes on to later pages of a view: one search, whose products all count. */
  async function pageThroughShop(origin: string): Promise<void> {
    const page = await DrivenPage.open(chromium as string, DESK);
    const shown = "[...document.querySelectorAll('#results .card:not(.waiting) img')].map(({ src }) => src)";
    const more = async (count: number) => {
      await page.value("document.querySelector('#more').focus()");
      await page.value('document.activeElement.click()');
      await page.until(`${shown}.length === ${count}`);
      expect(new Set(await page.value(shown)).size).toBe(count);
    };
    const askers = () => page.value('window.asked.map(({ userId, sessionId }) => [userId, sessionId])');
    const clicks = async () => {
      const path = '/api/v1/analytics/summary?customerId=sample&days=1&context=searches';
      return (await call('GET', path)).metrics.totalClicks;
    };
    try {
      // An idea with a typo shows at once what it means.
      await page.goTo(`${origin}/?q=kettel`);
      await page.until(`${shown}.length === 24`);
      const first =
        "[...document.querySelectorAll('#results .title')].slice(0, 4).map(({ textContent }) => textContent)";
      expect(await page.value(first)).toEqual(Array(4).fill(expect.stringContaining('Kettle')));
      await page.goTo(`${origin}/?q=warm`);
      await page.until("document.querySelector('#heading')?.textContent.includes('warm')");
      await page.until(`${shown}.length === 24`);
      await page.value(`(() => {
        window.asked = [];
        const { fetch } = window;
        window.fetch = (url, options) => {
          if (String(url).endsWith('/search')) window.asked.push(JSON.parse(options.body));
          return fetch(url, options);
        };
      })()`);
      // A page of a view that began before consent is asked for as the first one was.
      await page.value("document.querySelector('#consent [value=yes]').click()");
      await more(48);
      expect(await askers()).toEqual([[null, null]]);
      expect(await page.value('document.activeElement === document.querySelectorAll("#results .title")[24]')).toBe(
        true,
      );

      await page.value('window.asked.length = 0');
      await page.value("document.querySelector('#q').focus()");
      await page.type('er');
      await page.until("document.querySelector('#heading').textContent.includes('warmer')");
      await page.until(`!document.querySelector('#results[aria-busy]') && ${shown}.length === 24`);
      await more(48);
      await more(72);
      const names = await askers();
      expect(names.length).toBeGreaterThanOrEqual(3);
      expect(names[0]).toEqual([expect.any(String), expect.any(String)]);
      expect(new Set(names.map(String)).size).toBe(1);
      const before = await clicks();
      await page.value("document.querySelectorAll('#results .title')[60].click()");
      await page.until("document.querySelector('#product').open");
      while ((await clicks()) <= before) await new Promise((resolve) => setTimeout(resolve, 100));

      // A shopper who takes it back is not named any more, and sees a view of nobody.
      await page.value('window.asked.length = 0');
      await page.value("document.querySelector('#product .close').click()");
      await page.value("document.querySelector('#consent-again').click()");
      await page.value("document.querySelector('#consent [value=no]').click()");
      await page.until(`!document.querySelector('#results[aria-busy]') && ${shown}.length === 24`);
      await more(48);
      expect(await askers()).toEqual([
        [null, null],
        [null, null],
      ]);
      expect(page.complaints).toEqual([]);
    } finally {
      await page.close();
    }
  }
});

/** Expects the focus to stay among the controls of the basket, which is empty, as its lines change. */
async function expectFocusKept(page: DrivenPage): Promise<void> {
  const focused = () => page.value("document.activeElement.getAttribute('aria-label')");
  const press = async (id: string, line: number) => {
    await page.value(`document.querySelector('#basket li:nth-child(${line}) [id^=${id}-]').focus()`);
    await page.value('document.activeElement.click()');
  };
  const there = "[...document.querySelectorAll('#results .card:not(.sold)')].slice(0, 3)";
  const titles = await page.value(
    `${there}.map((one) => (one.querySelector('.buy').click(), one.querySelector('.title').textContent))`,
  );
  await page.value("document.querySelector('#basket-open').click()");
  await press('more', 1);
  await press('less', 1);
  expect(await page.value("document.querySelector('#basket .amount').textContent")).toBe('−1+');
  expect(await focused()).toBe(`More ${titles[0]}`);
  await press('remove', 1);
  expect(await focused()).toBe(`Remove ${titles[1]}`);
  await press('remove', 2);
  expect(await focused()).toBe(`Remove ${titles[1]}`);
  await press('remove', 1);
  expect(await focused()).toBe('Close');
}

/** Expects the page as it is now to be usable by everybody; it is left as on a phone, in the dark. */
async function expectAccessible(page: DrivenPage): Promise<void> {
  for (const [size, scheme] of [
    [DESK, 'light'],
    [PHONE, 'light'],
    [PHONE, 'dark'],
  ] as const) {
    await page.show(size, scheme);
    expect(await page.violations(), `${size.width} px wide, ${scheme}`).toEqual([]);
  }
}

/** Resolves when the command says that its page is open. */
async function opened(shop: ChildProcess): Promise<void> {
  let said = '';
  for await (const text of shop.stdout as NonNullable<ChildProcess['stdout']>) {
    said += text;
    if (said.includes('The shop is open at')) return;
  }
  throw new Error(`the command ended before its page was open:\n${said}`);
}
