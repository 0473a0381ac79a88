import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { ServerProcess } from '../../../cli/test/e2e/server-process.js';
import { brokenPlaces } from './looks/geometry.js';
import { steady } from './looks/steady.js';
import { describeConsole } from './own-console.js';

const VIEWS = {
  light: { colorScheme: 'light', width: 1280, height: 800 },
  dark: { colorScheme: 'dark', width: 1280, height: 800 },
  phone: { colorScheme: 'light', width: 390, height: 844 },
} as const;
type View = keyof typeof VIEWS;

interface Shown {
  readonly place: string;
  /** Waits until all is there. */
  readonly ready: (page: Page) => Promise<unknown>;
}

const PLACES: Readonly<Record<string, Shown>> = {
  search: {
    place: 'search/shop?q=kettle&method=LEXICAL',
    ready: (page) => page.locator('.hit').first().waitFor(),
  },
  rules: {
    place: 'indexes/shop/rules',
    ready: (page) => page.getByText('in force').waitFor(),
  },
  rule: {
    place: 'indexes/shop/rules',
    ready: async (page) => {
      await page.getByText('in force').waitFor();
      await page.getByRole('button', { name: 'Edit the rule steel' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  data: {
    place: 'data/shop',
    ready: (page) => page.getByText('1 to 5 of 5').waitFor(),
  },
};

const documents = Array.from({ length: 5 }, (_, place) => ({
  ...{ _id: `p${place}`, title: `Kettle of ${'very '.repeat(place)}good steel`, price: place + 0.5 },
  ...{
    brand: place % 2 === 0 ? 'Birch & Beam' : 'acme',
    description: 'It boils, whistles and pours. '.repeat(place + 1),
  },
}));
const rules = [
  {
    id: 'steel',
    condition: { query: 'steel', match: 'contains', until: '2099-01-01T00:00:00Z' },
    consequence: { pinned: [{ _id: 'p1', position: 1 }], hidden: ['p2'], filter: 'brand:acme' },
  },
];

const fill = async (server: ServerProcess) => {
  await server.ok('POST', '/indexes/shop', { model: 'random/small' });
  await server.ok('POST', '/indexes/shop/documents', { documents, tensorFields: ['title'] });
  await server.ok('PUT', '/indexes/shop/curation', { rules, synonyms: [{ terms: ['kettle', 'boiler'] }] });
};

/** Shows the page in a view, with boxes for letters. */
async function show(page: Page, view: View): Promise<void> {
  const { colorScheme, ...size } = VIEWS[view];
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.locator('[aria-busy=true], .skeleton').first().waitFor({ state: 'detached' });
  await steady(page);
}

describeConsole('the looks of the console', { fill }, (own) => {
  const openPlace = async (name: string): Promise<Page> => {
    const { place, ready } = PLACES[name] as Shown;
    const page = await own.open('');
    // Moments are told in the zone of the browser.
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setTimezoneOverride', { timezoneId: 'UTC' });
    // A full disk of this machine is told on every page.
    await page.route('**/health', (route) => route.fulfill({ json: { status: 'green' } }));
    await own.shown.go(place);
    await page.reload();
    await ready(page);
    return page;
  };

  test.each(Object.keys(PLACES))('%s has no part over another one, cut, or beside the screen', async (name) => {
    const page = await openPlace(name);
    for (const view of Object.keys(VIEWS) as View[]) {
      await show(page, view);
      expect(await brokenPlaces(page), `${name} ${view}`).toEqual([]);
    }
  });

  test('a part over another one, one that is cut, and one beside the screen are found', async () => {
    const page = await openPlace('search');
    await show(page, 'light');
    const brokenBy = async (selector: string, change: string): Promise<string> => {
      await page.evaluate(
        ([selector, style]) => {
          (document.querySelector(selector as string) as HTMLElement).style.cssText = style as string;
        },
        [selector, change],
      );
      const broken = await brokenPlaces(page);
      await page.evaluate((selector) => {
        (document.querySelector(selector) as HTMLElement).style.cssText = '';
      }, selector);
      return broken.join();
    };
    expect(await brokenBy('form button', '')).toBe('');
    expect(await brokenBy('form button', 'position: relative; left: -60px')).toMatch(/are over each other/);
    expect(await brokenBy('h1', 'position: fixed; top: 20px; left: 20px')).toMatch(/are over each other/);
    expect(await brokenBy('h1', 'width: 40px; overflow: hidden; white-space: nowrap')).toMatch(/is cut/);
    expect(await brokenBy('h1', 'margin-left: 3000px')).toMatch(/beside the screen/);
  });
});
