import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { findChromium } from '../../../cli/test/e2e/chromium.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export const chromiumPath = findChromium();
if (chromiumPath === undefined) {
  console.warn('SKIPPED: no Chromium on the path nor in PELORUS_CHROMIUM, so the console is not tried in a browser');
}

const flags = [
  '--no-first-run',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-breakpad',
  '--disable-crash-reporter',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
];

/** Only what hangs meets it: a machine ten times as slow as a developer's passes. */
export const PATIENCE_MS = 300_000;

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: chromiumPath as string, args: flags, timeout: PATIENCE_MS });

const PHONE = { width: 390, height: 844 };
/** The width of the narrowest screen on which nothing has to be moved sideways. */
const NARROWEST = 360;

interface Watched {
  slowestInteractionMs: number;
}

/** Notes in the page how long its interactions take until the next paint. */
function watchInteractions(): void {
  const watched = globalThis as unknown as Watched;
  watched.slowestInteractionMs = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) {
      watched.slowestInteractionMs = Math.max(watched.slowestInteractionMs, duration);
    }
  }).observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit);
}

/** The console in a window of its own, with what went wrong there. */
export class ConsolePage {
  readonly page: Page;
  readonly #address: string;
  /** Lines that a developer would see as errors or warnings. */
  readonly #complaints: string[] = [];
  /** Addresses that were asked for outside of the server. */
  readonly #foreign: string[] = [];

  private constructor(page: Page, address: string) {
    this.page = page;
    this.#address = address;
    page.setDefaultTimeout(PATIENCE_MS);
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) this.#complaints.push(message.text());
    });
    page.on('pageerror', (error) => this.#complaints.push(String(error.stack)));
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(`${address}/`) && !/^(data|blob):/.test(url)) this.#foreign.push(url);
    });
  }

  static async open(browser: Browser, address: string): Promise<ConsolePage> {
    const context = await browser.newContext({ locale: 'en-GB', colorScheme: 'light', reducedMotion: 'reduce' });
    const page = await context.newPage();
    // Not as a script of the page, whose policy allows no other than its own.
    await page.addInitScript({ content: axe });
    await page.addInitScript(watchInteractions);
    return new ConsolePage(page, address);
  }

  /** Opens a place of the console, such as `indexes/notes`. */
  async go(place: string): Promise<void> {
    await this.page.goto(`${this.#address}/console/#/${place}`);
  }

  /** Gives the key that the server asks for. */
  async useKey(key: string): Promise<void> {
    const dialog = this.page.getByRole('dialog');
    await dialog.getByText('This server asks for a key').waitFor();
    await dialog.getByLabel('API key').fill(key);
    await dialog.getByRole('button', { name: 'Use this key' }).click();
    await dialog.waitFor({ state: 'detached' });
  }

  /** Makes the page ask the server again, as one that somebody comes back to. */
  async comeBack(): Promise<void> {
    await this.page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  }

  /** Expects the page as it is now to be usable by everybody, on a desk and on a phone, in light and in dark. */
  async expectAccessible(): Promise<void> {
    const { page } = this;
    const whole = page.viewportSize();
    expect(await this.#violations(), `${page.url()} in light`).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await this.#violations(['color-contrast']), `${page.url()} in dark`).toEqual([]);
    await page.setViewportSize(PHONE);
    expect(await this.#violations(['color-contrast']), `${page.url()} in dark on a phone`).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    expect(await this.#violations(), `${page.url()} in light on a phone`).toEqual([]);
    await page.setViewportSize({ width: NARROWEST, height: PHONE.height });
    expect(await page.evaluate(() => document.documentElement.scrollWidth), page.url()).toBeLessThanOrEqual(NARROWEST);
    if (whole !== null) await page.setViewportSize(whole);
  }

  /** Breaches of rules, of all when none is named. */
  #violations(rules?: readonly string[]): Promise<unknown[]> {
    return this.page.evaluate(async (only) => {
      const { axe: run } = globalThis as unknown as { axe: { run: (options: object) => Promise<any> } };
      const options = only === undefined ? {} : { runOnly: { type: 'rule', values: only } };
      const { violations } = await run.run({ ...options, resultTypes: ['violations'] });
      return violations.map(({ id, nodes }: any) => [
        id,
        ...nodes.map(({ html, any }: any) => [html, any[0]?.message]),
      ]);
    }, rules);
  }

  /**
   * Milliseconds from the slowest key or click so far to the next paint, to 8; 0 where none took 16. A figure to print: no
   * test is decided by it.
   */
  slowestInteractionMs(): Promise<number> {
    return this.page.evaluate(() => (globalThis as unknown as Watched).slowestInteractionMs);
  }

  /**
   * Writes a picture of the page for the site of the documentation, where `PELORUS_CONSOLE_PICTURES` names a folder.
   *
   * @param part the anchor of the part of docs/console.md that it belongs to
   */
  async picture(part: string): Promise<void> {
    const { PELORUS_CONSOLE_PICTURES: folder } = process.env;
    if (folder) await this.page.screenshot({ path: join(folder, `${part}.png`) });
  }

  /** Expects that nothing went wrong that nobody would see, and that nothing left the server. */
  expectClean(allowed?: RegExp): void {
    expect(this.#complaints.filter((line) => allowed?.test(line) !== true)).toEqual([]);
    expect(this.#foreign).toEqual([]);
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}
