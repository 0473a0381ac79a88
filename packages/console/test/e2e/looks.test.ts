import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { ServerProcess } from '../../../cli/test/e2e/server-process.js';
import { brokenPlaces } from './looks/geometry.js';
import { differingBlocks, inBlocks, type Picture, pngOf, taken } from './looks/picture.js';
import { steady } from './looks/steady.js';
import { describeConsole } from './own-console.js';

const REFERENCES = fileURLToPath(new URL('looks/references', import.meta.url));
/** The pictures as they are now, written where one is another than its reference. */
const TAKEN = fileURLToPath(new URL('../../../../target/pictures', import.meta.url));
/** Whoever changes how the console looks writes new references, and looks at them. */
const isWriting = Boolean(process.env.PELORUS_WRITE_PICTURES);
/** The blocks of 4 by 4 pixels that may be others: roundings and smoothed edges change fewer, and the least button is more. */
const DIFFERING_MAX = 60;

/** Names the browser that took the references: another one may draw its controls in another way. */
const DRAWER = join(REFERENCES, 'browser.txt');

/** Tells, loudly where not, whether the pictures of a page can be compared with the references. */
function isSameDrawer(page: Page): boolean {
  const drawer = `${process.platform} ${page.context().browser()?.version().split('.', 1)[0] ?? ''}`;
  if (isWriting) writeFileSync(DRAWER, `${drawer}\n`);
  const known = readFileSync(DRAWER, 'utf8').trim();
  if (drawer !== known) console.warn(`SKIPPED: the pictures are of Chromium on ${known}, and this is ${drawer}`);
  return drawer === known;
}

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
  /** Those of which there are pictures. */
  readonly pictures: readonly View[];
}

const PLACES: Readonly<Record<string, Shown>> = {
  search: {
    place: 'search/shop?q=kettle&method=LEXICAL',
    ready: (page) => page.locator('.hit').first().waitFor(),
    pictures: ['light', 'dark', 'phone'],
  },
  rules: {
    place: 'indexes/shop/rules',
    ready: async (page) => {
      await page.getByText('in force').waitFor();
      await page.getByText('kettle, boiler').first().waitFor();
    },
    pictures: ['light', 'phone'],
  },
  rule: {
    place: 'indexes/shop/rules',
    ready: async (page) => {
      await page.getByText('in force').waitFor();
      await page.getByRole('button', { name: 'Edit the rule steel' }).click();
      await page.getByRole('dialog').waitFor();
    },
    pictures: ['dark', 'phone'],
  },
  data: {
    place: 'data/shop',
    ready: async (page) => {
      await page.getByText('1 to 5 of 5').waitFor();
      await page.getByText('Such as brand:(Birch & Beam)').waitFor();
    },
    pictures: ['light', 'phone'],
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

const WELL = {
  status: 'green',
  inference: { status: 'green' },
  backend: { status: 'green', memoryIsAvailable: true, storageIsAvailable: true },
};

/** Shows the page in a view, with boxes for letters. */
async function show(page: Page, view: View): Promise<void> {
  const { colorScheme, ...size } = VIEWS[view];
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.locator('[aria-busy=true], .skeleton').first().waitFor({ state: 'detached' });
  await steady(page);
}

/** The tries after which a picture that is still another one counts: what loads late moves what stands below it. */
const TRIES_MAX = 8;

/** The picture of a page once it is the one that is wanted, or, where none is, the one before. */
async function likePicture(page: Page, view: View, decoder: Page, wanted?: Picture): Promise<Picture> {
  let before = wanted;
  for (let tries = 1; ; tries += 1) {
    await show(page, view);
    const now = await taken(page, decoder);
    if ((before !== undefined && differingBlocks(before, now) <= DIFFERING_MAX) || tries === TRIES_MAX) return now;
    before = wanted ?? now;
  }
}

describeConsole('the looks of the console', { fill }, (own) => {
  const openPlace = async (name: string): Promise<Page> => {
    const { place, ready } = PLACES[name] as Shown;
    const page = await own.open('');
    // Moments are told in the zone of the browser.
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setTimezoneOverride', { timezoneId: 'UTC' });
    // A full disk of this machine is told on every page.
    await page.route(`${own.server.address}/health`, (route) => route.fulfill({ json: WELL }));
    await own.shown.go(place);
    await page.reload();
    await ready(page);
    await page.getByText('Health: all well').waitFor();
    return page;
  };

  test.each(Object.keys(PLACES))(
    '%s looks as its pictures do, with no part over another one, cut, or beside the screen',
    async (name) => {
      const page = await openPlace(name);
      const { pictures } = PLACES[name] as Shown;
      const decoder = await page.context().newPage();
      await page.bringToFront();
      for (const view of Object.keys(VIEWS) as View[]) {
        await show(page, view);
        expect(await brokenPlaces(page), `${name} ${view}`).toEqual([]);
        if (!pictures.includes(view) || !isSameDrawer(page)) continue;
        const reference = join(REFERENCES, `${name}-${view}.png`);
        if (isWriting) writeFileSync(reference, await pngOf(decoder, await likePicture(page, view, decoder)));
        const wanted = await inBlocks(decoder, readFileSync(reference));
        const now = await likePicture(page, view, decoder, wanted);
        const differing = differingBlocks(wanted, now);
        if (differing > DIFFERING_MAX) {
          mkdirSync(TAKEN, { recursive: true });
          writeFileSync(join(TAKEN, `${name}-${view}.png`), await pngOf(decoder, now));
        }
        const told = `${reference} is not ${join(TAKEN, `${name}-${view}.png`)}`;
        expect(differing, told).toBeLessThanOrEqual(DIFFERING_MAX);
      }
    },
  );

  test('a picture with a part that is gone, moved or of another colour is another one', async () => {
    const page = await openPlace('search');
    const decoder = await page.context().newPage();
    await page.bringToFront();
    await show(page, 'light');
    const before = await likePicture(page, 'light', decoder);
    const other = async (change: string): Promise<Picture> => {
      await page.evaluate((style) => {
        (document.querySelector('form button') as HTMLElement).style.cssText = style;
      }, change);
      return taken(page, decoder);
    };
    expect(differingBlocks(before, await other(''))).toBeLessThanOrEqual(DIFFERING_MAX);
    expect(differingBlocks(before, await other('visibility: hidden'))).toBeGreaterThan(DIFFERING_MAX);
    expect(differingBlocks(before, await other('position: relative; left: -60px'))).toBeGreaterThan(DIFFERING_MAX);
    expect(differingBlocks(before, await other('background: #8a4b08'))).toBeGreaterThan(DIFFERING_MAX);
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
