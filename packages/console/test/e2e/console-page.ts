import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
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

  static async open(browser: Browser, address: string, options: BrowserContextOptions = {}): Promise<ConsolePage> {
    const context = await browser.newContext({ locale: 'en-GB', ...options });
    const page = await context.newPage();
    // Not as a script of the page, whose policy allows no other than its own.
    await page.addInitScript({ content: axe });
    return new ConsolePage(page, address);
  }

  /** Opens a place of the console, such as `indexes/notes`. */
  async go(place: string): Promise<void> {
    await this.page.goto(`${this.#address}/console/#/${place}`);
  }

  /** Makes the page ask the server again, as one that somebody comes back to. */
  async comeBack(): Promise<void> {
    await this.page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  }

  /** Expects the page as it is now to be usable by everybody. */
  async expectAccessible(): Promise<void> {
    const violations = await this.page.evaluate(async () => {
      const { axe: run } = globalThis as unknown as { axe: { run: () => Promise<any> } };
      const { violations } = await run.run();
      return violations.map(({ id, nodes }: any) => [
        id,
        ...nodes.map(({ html, any }: any) => [html, any[0]?.message]),
      ]);
    });
    expect(violations, this.page.url()).toEqual([]);
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
