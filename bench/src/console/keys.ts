import type { Page } from 'playwright-core';
import { quantile } from '../quantile.ts';
import { compare, type Row } from '../row.ts';
import { fill } from '../server/fill.ts';
import type { ServerProcess } from '../server/server-process.ts';
import type { ConsolePlan } from './console.ts';
import { type Product, productAt, queriesOf } from './products.ts';
import { forgetInteractions, interactionsMs, inWindow, LEAST_TOLD_MS } from './window.ts';

/** All three searches of the page answer, though no field has vectors. */
const SETTINGS = { model: 'random/small' };

/** An index with fields whose values are counted beside the hits, or without any. */
const CASES: readonly { name: string; documentOf: (product: Product) => object }[] = [
  { name: 'words', documentOf: ({ _id, title, description }) => ({ _id, title, description }) },
  { name: 'words and facets', documentOf: (product) => product },
];

/** Types queries letter by letter while the hits of the one before come in, and sends each. */
export async function keyRows(
  server: ServerProcess,
  chromium: string,
  plan: ConsolePlan,
  say: (line: string) => void,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [at, { name, documentOf }] of CASES.entries()) {
    const index = `typed-${at}`;
    say(`adding ${plan.documents} products, ${name}`);
    await fill(server, index, SETTINGS, {
      count: plan.documents,
      document: (place) => JSON.stringify(documentOf(productAt(place))),
      rest: '"tensorFields":[]',
    });
    say('typing');
    const queries = queriesOf(plan.queries, plan.documents);
    const search = `${server.address}/console/#/search/${index}?q=kettle&method=LEXICAL`;
    const typed = await inWindow(chromium, search, (page) =>
      typeAll(page, queries, plan.keyMs, (q) => totalOf(server, index, q)),
    );
    const times = withUntold(typed.told, typed.keys);
    const row = (what: string, ours: number) =>
      compare(`${name}, key to paint, ${what} (ms)`, 'lower', ours, 'target', plan.interactionMs, typed.right);
    rows.push(row('slowest', Math.max(...times)), row('p75', quantile(times, 0.75)));
  }
  return rows;
}

/** Adds the interactions that were too short to be told, as long as they may have been. */
export function withUntold(told: readonly number[], interactions: number): number[] {
  return [...told, ...Array<number>(Math.max(0, interactions - told.length)).fill(LEAST_TOLD_MS)];
}

/** The interactions, and the share of the queries with the number of hits that the server finds. */
async function typeAll(page: Page, queries: readonly string[], delay: number, total: (q: string) => Promise<number>) {
  const words = page.getByRole('region', { name: 'Words', exact: true });
  const box = page.getByRole('searchbox', { name: 'Query' });
  const shown = async () => {
    await words.and(page.locator('[aria-busy=false]')).waitFor();
    return words.locator('header p').innerText();
  };
  await shown();
  await box.focus();
  await forgetInteractions(page);
  let [keys, right] = [0, 0];
  for (const [at, query] of queries.entries()) {
    await box.selectText();
    await page.keyboard.type(query, { delay });
    if (at > 0 && isTotal(await shown(), await total(queries[at - 1] as string))) right += 1;
    await page.keyboard.press('Enter');
    keys += query.length + 1;
  }
  if (isTotal(await shown(), await total(queries.at(-1) as string))) right += 1;
  return { keys, right: right / queries.length, told: await interactionsMs(page) };
}

const isTotal = (text: string, total: number): boolean => Number(text.replaceAll(/\D/g, '')) === total;

async function totalOf(server: ServerProcess, index: string, q: string): Promise<number> {
  const body = { q, searchMethod: 'LEXICAL', limit: 1, trackTotalHits: true };
  return (await server.call<{ totalHits: number }>('POST', `/indexes/${index}/search`, body)).totalHits;
}
