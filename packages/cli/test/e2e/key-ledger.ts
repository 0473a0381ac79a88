import { expect } from 'vitest';
import type { Random } from '../../src/demo/random.js';
import type { ServerProcess } from './server-process.js';

const KEYS = '/api/v2/keys';

/** Past some attempts an address is told to wait; a key that is good is let in even then. */
const refused = [401, 429];

/**
 * The keys as a careful operator knows them after talking to a server that may die at any moment: secrets that were
 * shown and must be good, secrets that were acknowledged as ended and must be refused, and those that may be either.
 */
export class KeyLedger {
  readonly #random: Random;
  /** Id -> the secret that is good. */
  readonly #good = new Map<string, string>();
  readonly #ended = new Set<string>();
  /** Ids that a request without an answer was about, or is. */
  readonly #open = new Set<string>();
  acknowledged = 0;
  #heard: () => void = () => {};

  constructor(random: Random) {
    this.#random = random;
  }

  get size(): number {
    return this.#good.size;
  }

  /** Resolves when `count` more requests are acknowledged. */
  acknowledgements(count: number): Promise<void> {
    const end = this.acknowledged + count;
    return new Promise((resolve) => {
      this.#heard = () => {
        if (this.acknowledged >= end) resolve();
      };
    });
  }

  /** One request of the mix. False when the connection broke before the answer. */
  async changeSomething(server: ServerProcess): Promise<boolean> {
    const ids = [...this.#good.keys()].filter((id) => !this.#open.has(id));
    const id = this.#random.chance(0.4) ? undefined : ids[this.#random.int(0, ids.length - 1)];
    try {
      if (id === undefined) await this.#create(server);
      else await this.#change(server, id);
    } catch (error) {
      // The connection broke. Anything else is a fault.
      if (!(error instanceof TypeError)) throw error;
      return false;
    }
    this.acknowledged += 1;
    this.#heard();
    return true;
  }

  async #create(server: ServerProcess): Promise<void> {
    const { id, secret } = await server.ok('POST', KEYS, { name: 'a key', scope: 'read' });
    this.#good.set(id, secret);
  }

  async #change(server: ServerProcess, id: string): Promise<void> {
    const before = this.#good.get(id) as string;
    this.#open.add(id);
    if (this.#random.chance(0.5)) {
      const { secret } = await server.ok('POST', `${KEYS}/${id}/rotate`, {});
      this.#good.set(id, secret);
    } else {
      await server.ok('DELETE', `${KEYS}/${id}`);
      this.#good.delete(id);
    }
    this.#ended.add(before);
    this.#open.delete(id);
  }

  /** Every secret that was shown is good, every one that was ended is refused, and nothing else is there. */
  async verify(server: ServerProcess): Promise<void> {
    const { results } = await server.ok('GET', KEYS);
    const listed = new Set<string>(results.map((key: any) => key.id));
    for (const [id, secret] of this.#good) {
      const { status } = await server.call('GET', '/indexes', undefined, secret);
      // A change that nobody saw the end of either happened or did not.
      if (this.#open.has(id)) this.#settle(id, secret, status);
      else expect([status, listed.has(id)], id).toEqual([200, true]);
    }
    for (const secret of this.#ended) {
      const { status } = await server.call('GET', '/indexes', undefined, secret);
      expect(refused).toContain(status);
    }
  }

  #settle(id: string, secret: string, status: number): void {
    expect([200, ...refused]).toContain(status);
    if (status !== 200) {
      this.#good.delete(id);
      this.#ended.add(secret);
    }
    this.#open.delete(id);
  }
}
