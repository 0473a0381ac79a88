import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CACHE } from '../paths.ts';
import { quantile } from '../quantile.ts';
import { compare, type Row } from '../row.ts';
import { Connection } from '../server/connection.ts';
import { ServerProcess } from '../server/server-process.ts';
import { type FiguresPlan, figureRows } from './figure-rows.ts';

export interface EventsPlan extends FiguresPlan {
  /** Events that are sent, and that the figures are then made of. */
  events: number;
}

const TARGETS = { perSecond: 20_000, p99Ms: 50 };
const BATCH = 100;
const DAYS = 29;
/** Shoppers at the same time, their actions in a session, and their searches. */
const OPEN_SESSIONS = 500;
const SESSION_EVENTS = 8;
const QUERIES = 2_000;
const PRODUCTS = 5_000;
const customerId = 'shop';

/** Measures the events that one client stores in a second, 100 at once, and the time of 30 days' figures over them. */
export async function eventRows(plan: EventsPlan, say: (line: string) => void): Promise<Row[]> {
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(join(CACHE, 'events-'));
  const server = await ServerProcess.startWithKey(folder, '--hosted');
  try {
    const key = { kind: 'tracking', name: 'bench', customerId, origins: [], allowsNoOrigin: true };
    const { secret } = await server.call<{ secret: string }>('POST', '/api/v2/keys', key);
    say(`sending ${plan.events} events`);
    const sender = new Connection(server.address, secret);
    const start = Date.now() - DAYS * 86_400_000;
    const batchMs: number[] = [];
    for (let first = 0; first < plan.events; first += BATCH) {
      const body = JSON.stringify({
        events: Array.from({ length: BATCH }, (_, i) => event(first + i, plan.events, start)),
      });
      const sentMs = performance.now();
      await sender.post('/', body);
      batchMs.push(performance.now() - sentMs);
    }
    sender.close();

    say('waiting for the figures');
    await server.untilIdle();
    const rows = [
      compare(
        'events stored by one client, 100 at once (1/s)',
        'higher',
        (1_000 * BATCH) / mean(batchMs),
        'target',
        TARGETS.perSecond,
      ),
      compare('100 events stored, p99 (ms)', 'lower', quantile(batchMs, 0.99), 'target', TARGETS.p99Ms),
    ];
    rows.push(...(await figureRows(server, customerId, plan.questions, `over ${plan.events} events`)));
    return rows;
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Event `i` of `count`, spread over the days; half of the searches are for a twentieth of the queries. */
function event(i: number, count: number, start: number): object {
  const session = Math.floor(i / (OPEN_SESSIONS * SESSION_EVENTS)) * OPEN_SESSIONS + (i % OPEN_SESSIONS);
  const step = Math.floor(i / OPEN_SESSIONS) % SESSION_EVENTS;
  const mixed = Math.imul(session + 1, 0x9e3779b1) >>> 0;
  const product = `product-${(mixed + step) % PRODUCTS}`;
  const pageUrl = `https://shop.example/search/${mixed % 97}`;
  const common = {
    ...{ customerId, experimentId: 'bench', userId: `user-${mixed % 100_000}`, sessionId: `session-${session}` },
    ...{ customVariant: 'a', userAgent: 'Mozilla/5.0 (X11; Linux x86_64)', tags: ['web_prod'] },
    ...{ timestamp: new Date(start + Math.floor((i / count) * DAYS * 86_400_000)).toISOString() },
    ...{ referrerUrl: 'https://shop.example/', pageUrl },
  };
  const query = `query ${mixed % 2 === 0 ? mixed % (QUERIES / 20) : mixed % QUERIES}`;
  if (step % 4 === 0) return { ...common, eventType: 'SearchEvent', query };
  if (step < 6) return { ...common, eventType: 'ClickEvent', docId: product, title: 'A product' };
  if (step === 6)
    return { ...common, eventType: 'AddToCartEvent', docId: product, title: 'A product', currency: 'EUR' };
  return {
    ...common,
    eventType: 'PurchaseEvent',
    docId: product,
    title: 'A product',
    quantity: 1,
    price: 10,
    currency: 'EUR',
  };
}
