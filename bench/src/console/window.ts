import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Page } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const FLAGS = ['--no-first-run', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'];
const PATIENCE_MS = 300_000;

/** The least duration that a browser tells of, and the step of those that it tells. */
export const LEAST_TOLD_MS = 16;

interface Watched {
  /** The longest event of each interaction. */
  interactions: Map<number, number>;
}

/** A browser's `PerformanceEventTiming`. */
interface EventTiming {
  interactionId: number;
  duration: number;
}

/** The observer of a browser, whose events those of Node know nothing of. */
type EventObserver = new (
  told: (list: { getEntries(): EventTiming[] }) => void,
) => { observe(options: { type: 'event'; durationThreshold: number }): void };

/** A Chromium: the one that `PELORUS_CHROMIUM` names, else the first on the path; undefined where there is none. */
export function findChromium({ PELORUS_CHROMIUM: named, PATH = '' } = process.env): string | undefined {
  if (named) return named;
  return PATH.split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** Shows a place of the console in a browser of its own, for as long as `work` takes. */
export async function inWindow<Outcome>(
  executablePath: string,
  url: string,
  work: (page: Page) => Promise<Outcome>,
): Promise<Outcome> {
  const browser = await chromium.launch({ executablePath, args: FLAGS, timeout: PATIENCE_MS });
  try {
    const context = await browser.newContext({ locale: 'en-GB' });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    await page.addInitScript(watchInteractions, LEAST_TOLD_MS);
    await page.goto(url);
    return await work(page);
  } finally {
    await browser.close();
  }
}

/** Milliseconds of each interaction so far until the next paint, of those that took the least that is told. */
export function interactionsMs(page: Page): Promise<number[]> {
  return page.evaluate(() => [...(globalThis as unknown as Watched).interactions.values()]);
}

/** Forgets the interactions so far. */
export function forgetInteractions(page: Page): Promise<void> {
  return page.evaluate(() => (globalThis as unknown as Watched).interactions.clear());
}

function watchInteractions(durationThreshold: number): void {
  const interactions = new Map<number, number>();
  (globalThis as unknown as Watched).interactions = interactions;
  const { PerformanceObserver: Observer } = globalThis as unknown as { PerformanceObserver: EventObserver };
  new Observer((list) => {
    for (const { interactionId, duration } of list.getEntries()) {
      if (interactionId > 0) interactions.set(interactionId, Math.max(interactions.get(interactionId) ?? 0, duration));
    }
  }).observe({ type: 'event', durationThreshold });
}
