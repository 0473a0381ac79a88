import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { Random } from '../../src/demo/random.js';
import { emptyFolder, ServerProcess } from './server-process.js';

const KILLS = 8;
const WRITERS = 3;
/** Batches acknowledged before a kill, at most. */
const BATCHES_MAX = 60;
const BATCH = 20;
const SEED = 20_261_123;
const customerId = 'shop';

const data = emptyFolder('event-kill');
afterAll(() => rmSync(data, { recursive: true, force: true }));

const firstKey = /The first key, .*: (svc_a_\w+)$/m;

/** Events of one writer: what was acknowledged, and the batch that was under way when the server died. */
class Writer {
  readonly userId: string;
  readonly acknowledged: string[] = [];
  open: object[] | null = null;
  #count = 0;

  constructor(number: number) {
    this.userId = `user-${number}`;
  }

  /** Sends the batch that is in doubt again, or another one. False when the connection broke before the answer. */
  async send(server: ServerProcess, key: string): Promise<boolean> {
    const isAgain = this.open !== null;
    this.open ??= Array.from({ length: BATCH }, () => this.#event());
    const batch = this.open;
    try {
      const { status, body } = await server.call('POST', '/', { events: batch }, key);
      expect([status, body.acceptedEvents + body.duplicateEvents], JSON.stringify(body)).toEqual([200, BATCH]);
      if (!isAgain) expect(body.duplicateEvents).toBe(0);
    } catch (error) {
      // The connection broke. Anything else is a fault.
      if (!(error instanceof TypeError)) throw error;
      return false;
    }
    this.acknowledged.push(...batch.map((event) => (event as { eventId: string }).eventId));
    this.open = null;
    return true;
  }

  #event(): object {
    this.#count += 1;
    return {
      ...{ eventType: 'SearchEvent', customerId, experimentId: 'e', userId: this.userId, customVariant: 'a' },
      ...{ sessionId: `${this.userId}-${this.#count >> 4}`, userAgent: 'test', query: `query ${this.#count % 7}` },
      ...{ referrerUrl: 'https://shop.example/', pageUrl: 'https://shop.example/search' },
      ...{ timestamp: new Date().toISOString(), eventId: `${this.userId}-${this.#count}` },
    };
  }
}

test(`no acknowledged event is lost and none counted twice over ${KILLS} kills`, async () => {
  console.log(`seed ${SEED}`);
  const random = new Random(SEED);
  const start = () => ServerProcess.start(['--hosted', '--data', data]);
  let server = await start();
  const admin = firstKey.exec(server.output)?.[1] as string;
  const made = { kind: 'tracking', name: 'events', customerId, origins: [], allowsNoOrigin: true };
  const { secret } = (await server.call('POST', '/api/v2/keys', made, admin)).body;
  const writers = Array.from({ length: WRITERS }, (_, number) => new Writer(number));

  for (let kill = 1; kill <= KILLS; kill += 1) {
    const enough = Math.floor(random.int(1, BATCHES_MAX) / WRITERS) + 1;
    const write = async (writer: Writer): Promise<void> => {
      for (let sent = 0; await writer.send(server, secret); sent += 1) if (sent === enough) reached();
    };
    let reached: () => void = () => undefined;
    const one = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const all = Promise.all(writers.map(write));
    await Promise.race([one, all]);
    await sleep(random.int(0, 20));
    expect(await server.end('SIGKILL'), 'the server ended by itself').toBeNull();
    await all;
    server = await start();
    for (const writer of writers) expect(await writer.send(server, secret)).toBe(true);
    await verify(server, admin, writers);
    // A crash is no damage.
    expect((await server.call('GET', '/health', undefined, admin)).body.events).toBeUndefined();
  }
  await server.end();
});

/** Every event is there once, and the figures know of as many. */
async function verify(server: ServerProcess, admin: string, writers: readonly Writer[]): Promise<void> {
  let total = 0;
  for (const { userId, acknowledged } of writers) {
    const stored: string[] = [];
    for (let after = ''; ; ) {
      const { body } = await server.call(
        'GET',
        `/api/v1/events/users/${userId}?customerId=${customerId}${after}`,
        undefined,
        admin,
      );
      stored.push(...body.events.map(({ eventId }: { eventId: string }) => eventId));
      if (body.next === null) break;
      after = `&after=${body.next}`;
    }
    expect(stored.sort()).toEqual([...acknowledged].sort());
    total += stored.length;
  }
  const url = `/api/v1/analytics/summary?customerId=${customerId}&days=2&context=searches`;
  const counted = async () => (await server.call('GET', url, undefined, admin)).body.metrics.totalQueries;
  await expect.poll(counted, { timeout: 60_000 }).toBe(total);
}
