import type { Page } from 'playwright-core';

/** Places at which a page is broken: parts over each other, cut texts, parts beside the screen. */
export function brokenPlaces(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    /** Pixels that roundings may differ by. */
    const SLACK = 2;
    const root = document.querySelector('dialog[open]') ?? document.body;
    const faults: string[] = [];
    const nameOf = (element: Element) => {
      const told = (element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 40);
      return `${element.tagName.toLowerCase()}${element.className ? `.${element.className}` : ''} “${told}”`;
    };
    // Texts for screen readers, and links that are seen once they have the focus, are clipped to nothing.
    const isClipped = (element: Element): boolean =>
      getComputedStyle(element).clipPath === 'inset(50%)' ||
      (element.parentElement !== null && isClipped(element.parentElement));
    const isShown = (element: Element) => element.checkVisibility() && !isClipped(element);
    const scrolls = (element: Element | null): boolean => {
      for (let at = element; at !== null; at = at.parentElement) {
        if (/auto|scroll/.test(getComputedStyle(at).overflowX)) return true;
      }
      return false;
    };
    const overlap = (one: DOMRect, other: DOMRect) =>
      Math.min(one.right, other.right) - Math.max(one.left, other.left) > SLACK &&
      Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > SLACK;

    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth) faults.push(`the page is ${scrollWidth} pixels wide on a screen of ${clientWidth}`);

    const elements = [...root.querySelectorAll('*')].filter(isShown);
    for (const element of elements) {
      const style = getComputedStyle(element);
      const isCut = /hidden|clip/.test(style.overflowX) && element.scrollWidth > element.clientWidth + SLACK;
      const isInline = style.display === 'inline' || element instanceof SVGElement;
      if (isCut && !isInline && style.textOverflow !== 'ellipsis') faults.push(`${nameOf(element)} is cut`);
    }

    const texts: { readonly owner: Element; readonly box: DOMRect }[] = [];
    for (const owner of elements) {
      for (const node of owner.childNodes) {
        if (node.nodeType !== Node.TEXT_NODE || (node.textContent ?? '').trim() === '') continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        for (const box of range.getClientRects()) if (box.width > 1 && box.height > 1) texts.push({ owner, box });
      }
    }
    for (const { owner, box } of texts) {
      if (box.right > innerWidth + SLACK && !scrolls(owner)) faults.push(`${nameOf(owner)} is beside the screen`);
    }
    const parts = elements
      .filter((element) => element.matches('a, button, input, select, textarea, summary, [role=button]'))
      .map((owner) => ({ owner, box: owner.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 1 && box.height > 1);
    const isWithin = (one: Element, other: Element) => one.contains(other) || other.contains(one);
    for (const group of [texts, parts]) {
      for (const [at, one] of group.entries()) {
        for (const other of group.slice(at + 1)) {
          if (one.owner === other.owner || !overlap(one.box, other.box)) continue;
          if (group === parts && isWithin(one.owner, other.owner)) continue;
          // A part that scrolled out of view lies behind others, which is no fault.
          if (scrolls(one.owner) || scrolls(other.owner)) continue;
          faults.push(`${nameOf(one.owner)} and ${nameOf(other.owner)} are over each other`);
        }
      }
    }
    return [...new Set(faults)];
  });
}
