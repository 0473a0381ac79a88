import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CACHE } from '../paths.ts';
import { median } from '../quantile.ts';
import { compare, type Row } from '../row.ts';
import { Connection } from '../server/connection.ts';
import { ServerProcess } from '../server/server-process.ts';
import { type ShopPlan, writeShopFigures } from './shop-figures.ts';

export interface FiguresPlan {
  /** Number of times that each figure is asked for. */
  questions: number;
  shop: ShopPlan;
}

const TARGET_MS = 100;
const customerId = 'shop';
const paths = [
  'summary?',
  'time-series?metric=clickThroughRate&',
  'terms?',
  'terms?sort=conversionRate&',
  'no-results?',
  'no-clicks?',
  'products?',
  'products?offset=10000&limit=100&',
];

/** The time for figures of a shop with more products, terms and events than anyone waits for. */
export async function shopFigureRows({ shop, questions }: FiguresPlan, say: (line: string) => void): Promise<Row[]> {
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(join(CACHE, 'figures-'));
  try {
    writeShopFigures(join(folder, 'events'), customerId, shop, say);
    const server = await ServerProcess.startWithKey(folder, '--hosted');
    try {
      await server.untilIdle();
      const set = `over ${shop.shopEvents} events, ${shop.products} products and ${shop.terms} terms`;
      return await figureRows(server, customerId, questions, set);
    } finally {
      await server.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The time for figures of 30 days, one at a time. */
export async function figureRows(
  server: ServerProcess,
  customer: string,
  questions: number,
  set: string,
): Promise<Row[]> {
  const asker = new Connection(server.address, server.apiKey);
  const rows: Row[] = [];
  for (const path of paths) {
    const times: number[] = [];
    for (let i = 0; i < questions; i += 1) {
      const askedMs = performance.now();
      await asker.send('GET', `/api/v1/analytics/${path}customerId=${customer}&days=30&context=searches`);
      times.push(performance.now() - askedMs);
    }
    const name = path.replace(/[?&]$/, '');
    rows.push(compare(`${name} of 30 days ${set}, p50 (ms)`, 'lower', median(times), 'target', TARGET_MS));
  }
  asker.close();
  return rows;
}
