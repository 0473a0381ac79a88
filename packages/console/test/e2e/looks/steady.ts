import type { Page } from 'playwright-core';
import { boxFont } from './box-font.js';

/**
 * Gives texts the font of boxes, numbers one digit, and hides what tells the time or the state of the machine. Letters of
 * geometric precision lie where they are computed to, however the machine smooths and hints its fonts, and a moment that is
 * chosen is written in the language of the machine.
 */
export async function steady(page: Page): Promise<void> {
  await page.evaluate(async (font) => {
    const bytes = Uint8Array.from(atob(font), (letter) => letter.charCodeAt(0));
    const face = new FontFace('Boxes', bytes, { weight: '1 1000' });
    document.fonts.add(await face.load());
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`
      *, ::before, ::after {
        font-family: Boxes !important;
        font-synthesis: none !important;
        text-rendering: geometricPrecision !important;
        animation: none !important;
        transition: none !important;
        caret-color: transparent !important;
      }
      ::-webkit-datetime-edit { display: none; }
      .side-version, .column-title .faint { visibility: hidden; }`);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      const steadied = (text.nodeValue ?? '').replace(/\d+(?:[.,:]\d+)*/g, '0');
      if (steadied !== text.nodeValue) text.nodeValue = steadied;
    }
    await document.fonts.ready;
    // The menu stays in view: its place tells how far the page is scrolled.
    scrollTo(0, 0);
    const painted = () => new Promise((resolve) => requestAnimationFrame(resolve));
    await painted();
    await painted();
  }, boxFont().toString('base64'));
}
