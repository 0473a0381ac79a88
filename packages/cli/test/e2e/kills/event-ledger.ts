import { expect } from 'vitest';
import type { ServerProcess } from '../server-process.js';
import { answered, type Ledger } from './ledger.js';

/** Events of one request. */
const BATCH = 20;
/** Events of one session. */
const SESSION = 16;

/** Sends the events of a customer, one batch at a time. A batch in doubt is sent again: each event counts once. */
export class EventLedger implements Ledger {
  readonly name: string;
  readonly #customerId: string;
  #key = '';
  /** The ids of events, in the order in which they were acknowledged. */
  readonly #acknowledged: string[] = [];
  #open: { readonly eventId: string }[] | null = null;
  #count = 0;

  constructor(customerId: string) {
    this.name = `events of ${customerId}`;
    this.#customerId = customerId;
  }

  get acknowledged(): number {
    return this.#acknowledged.length;
  }

  /** Makes the tracking key that events are sent with. */
  async prepare(server: ServerProcess): Promise<void> {
    const customerId = this.#customerId;
    const key = { kind: 'tracking', name: this.name, customerId, origins: [], allowsNoOrigin: true };
    this.#key = (await server.ok('POST', '/api/v2/keys', key)).secret;
  }

  async write(server: ServerProcess): Promise<boolean> {
    const isAgain = this.#open !== null;
    this.#open ??= Array.from({ length: BATCH }, () => this.#event());
    const events = this.#open;
    const body = await answered(server.call('POST', '/', { events }, this.#key));
    if (body === null) return false;
    expect(body.acceptedEvents + body.duplicateEvents, JSON.stringify(body)).toBe(BATCH);
    if (!isAgain) expect(body.duplicateEvents).toBe(0);
    this.#acknowledged.push(...events.map(({ eventId }) => eventId));
    this.#open = null;
    return true;
  }

  /** Every event is there once, and the figures know of as many. */
  async verify(server: ServerProcess): Promise<void> {
    if (this.#open !== null) expect(await this.write(server), 'the batch in doubt is taken again').toBe(true);
    const stored: string[] = [];
    for (let after = ''; ; ) {
      const path = `/api/v1/events/users/${this.#userId}?customerId=${this.#customerId}${after}`;
      const { events, next } = await server.ok('GET', path);
      stored.push(...events.map(({ eventId }: { eventId: string }) => eventId));
      if (next === null) break;
      after = `&after=${next}`;
    }
    expect(stored.sort()).toEqual([...this.#acknowledged].sort());
    const summary = `/api/v1/analytics/summary?customerId=${this.#customerId}&days=2&context=searches`;
    const counted = async () => (await server.ok('GET', summary)).metrics.totalQueries;
    await expect.poll(counted, { timeout: 60_000 }).toBe(stored.length);
  }

  get #userId(): string {
    return `user-of-${this.#customerId}`;
  }

  #event(): { readonly eventId: string } {
    this.#count += 1;
    const userId = this.#userId;
    return {
      ...{ eventType: 'SearchEvent', customerId: this.#customerId, experimentId: 'e', userId, customVariant: 'a' },
      ...{
        sessionId: `${userId}-${Math.floor(this.#count / SESSION)}`,
        userAgent: 'test',
        query: `query ${this.#count % 7}`,
      },
      ...{ referrerUrl: 'https://shop.example/', pageUrl: 'https://shop.example/search' },
      ...{ timestamp: new Date().toISOString(), eventId: `${userId}-${this.#count}` },
    };
  }
}
