import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { buildSite } from '../../../../scripts/docs/site.mjs';
import { findChromium } from './chromium.js';
import { DrivenPage } from './driven-page.js';
import { emptyFolder } from './server-process.js';

const chromium = findChromium();
if (chromium === undefined) {
  console.warn(
    'SKIPPED: no Chromium on the path nor in PELORUS_CHROMIUM, so the site of the documentation is not opened',
  );
}

describe.skipIf(chromium === undefined)('the site of the documentation in a real browser', () => {
  test('is searched without a server, and asks nothing of anybody', async () => {
    const folder = emptyFolder('site');
    buildSite(folder);
    const page = await DrivenPage.open(chromium as string, { width: 1280, height: 800 });
    try {
      await page.goTo(pathToFileURL(join(folder, 'index.html')).href);
      await page.until("document.querySelector('article h1')?.textContent === 'Pelorus'");
      await page.value("document.querySelector('#q').focus()");
      await page.type('words with typos');
      await page.until("document.querySelector('#found a b')?.textContent.includes('Words with typos')");
      await page.value("document.querySelector('#found a').click()");
      await page.until("location.pathname.endsWith('docs/interface/lexical.html')");
      expect(await page.value('decodeURIComponent(location.hash)')).toBe('#search-47-words-with-typos');
      await page.until("document.querySelector('#contents [aria-current]')?.textContent === 'Lexical search'");
      expect(page.complaints).toEqual([]);
      expect(page.requests.filter((url) => !url.startsWith('file:') && !url.startsWith('about:'))).toEqual([]);
    } finally {
      await page.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
