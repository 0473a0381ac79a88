import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { compare, type Row } from '../row.ts';
import type { ServerProcess } from '../server/server-process.ts';
import type { ConsolePlan } from './console.ts';
import { csvOf, productAt } from './products.ts';
import { inWindow } from './window.ts';

const INDEX = 'dropped';
/** The model of the sample catalogue. */
const MODEL = 'hf/all-MiniLM-L6-v2';
const LOOK_MS = 50;

/** A look at an import: the shown progress right before and after the share of its rows that the index has. */
export interface Look {
  before: number;
  share: number;
  after: number;
}

/** A browser's `DataTransfer`. */
interface Transferred {
  items: { add(file: File): void };
}

/** Drops a file on the page of data and imports it as the page suggests, while it is searched for. */
export async function droppedFileRows(
  server: ServerProcess,
  chromium: string,
  plan: ConsolePlan,
  say: (line: string) => void,
): Promise<Row[]> {
  await server.call('POST', `/indexes/${INDEX}`, { model: MODEL });
  // The model is loaded once, by whoever needs it first.
  await search(server, 'kettle');
  say(`dropping a file of ${plan.rows} rows`);
  return inWindow(chromium, `${server.address}/console/#/data/${INDEX}/import`, async (page) => {
    await page.getByText('Choose').first().waitFor();
    const startedMs = performance.now();
    await drop(page, csvOf(plan.rows));
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    const secondsSince = () => (performance.now() - startedMs) / 1000;
    const ended = page.getByText(/rows are stored/).first();
    const looks: Look[] = [];
    let firstHit: { seconds: number; share: number } | undefined;
    do {
      if (firstHit === undefined && (await search(server, productAt(0).title)) > 0)
        firstHit = { seconds: secondsSince(), share: await shareOf(server, plan.rows) };
      looks.push(await look(page, server, plan.rows));
      await sleep(LOOK_MS);
    } while (!(await ended.isVisible()));
    const seconds = secondsSince();
    const stored = await shareOf(server, plan.rows);
    if (stored !== 1) throw new Error(`only ${stored} of the rows are stored`);
    return [
      compare('file dropped to the first hit (s)', 'lower', firstHit?.seconds ?? null),
      compare('rows indexed at the first hit (share)', 'lower', firstHit?.share ?? null),
      compare('file dropped to its end (s)', 'lower', seconds),
      compare('progress off the indexed rows (share)', 'lower', greatestError(looks), 'target', plan.progress),
    ];
  });
}

/** The greatest distance of the shown progress from the true one; what moved during a look counts as true. */
export function greatestError(looks: readonly Look[]): number {
  return Math.max(0, ...looks.map(({ before, share, after }) => Math.max(before - share, share - after)));
}

async function look(page: Page, server: ServerProcess, rows: number): Promise<Look> {
  const before = await shownProgress(page);
  const share = await shareOf(server, rows);
  return { before, share, after: await shownProgress(page) };
}

const shownProgress = (page: Page): Promise<number> =>
  page
    .locator('progress')
    .first()
    .evaluate((bar: { value: number; max: number }) => bar.value / bar.max);

async function drop(page: Page, text: string): Promise<void> {
  const transfer = await page.evaluateHandle((content) => {
    const { DataTransfer: Transfer } = globalThis as unknown as { DataTransfer: new () => Transferred };
    const made = new Transfer();
    made.items.add(new File([content], 'products.csv', { type: 'text/csv' }));
    return made;
  }, text);
  await page.locator('section.drop').dispatchEvent('drop', { dataTransfer: transfer });
}

async function shareOf(server: ServerProcess, rows: number): Promise<number> {
  const { numberOfDocuments } = await server.call<{ numberOfDocuments: number }>('GET', `/indexes/${INDEX}/stats`);
  return numberOfDocuments / rows;
}

/** The number of hits of a search by meaning and words. */
async function search(server: ServerProcess, q: string): Promise<number> {
  const body = { q, searchMethod: 'HYBRID', limit: 1 };
  return (await server.call<{ hits: unknown[] }>('POST', `/indexes/${INDEX}/search`, body)).hits.length;
}
