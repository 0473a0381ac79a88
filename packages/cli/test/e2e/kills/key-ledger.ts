import { expect } from 'vitest';
import type { Random } from '../../../src/demo/random.js';
import type { ServerProcess } from '../server-process.js';
import { answered, type Ledger } from './ledger.js';

const KEYS = '/api/v2/keys';
/** The names of its keys: others have keys of other names. */
const OWN = /^key \d+$/;
/** Past some attempts an address is told to wait; a key that is good is let in even then. */
const refused = [401, 429];
/** Keys that are good at once, at most. */
const GOOD_MAX = 60;
/** Keys that are tried after a start beside those of the write in doubt. */
const TRIED = 12;

/** The key that a write changes: its id, and its secret before and after. */
interface Change {
  readonly id: string;
  readonly before: string;
  readonly after: 'the same' | 'none' | 'another';
  readonly name: string;
}

/**
 * Makes, renames, rotates and revokes keys, one write at a time: secrets that were shown are good until they were
 * acknowledged as ended, and refused from then on.
 */
export class KeyLedger implements Ledger {
  readonly name = 'keys';
  acknowledged = 0;
  readonly #random: Random;
  readonly #readable: string;
  /** Id -> the secret that is good, and the name of the key. */
  readonly #good = new Map<string, { readonly secret: string; readonly name: string }>();
  /** Keys of which nobody knows the secret, as their creation or rotation had no answer. They may be there. */
  readonly #unknown = new Set<string>();
  readonly #ended: string[] = [];
  #inDoubt: Change | null = null;
  #creations = 0;
  #count = 0;

  /** @param path that any key may read */
  constructor(random: Random, path = '/indexes') {
    this.#random = random;
    this.#readable = path;
  }

  get size(): number {
    return this.#good.size;
  }

  async write(server: ServerProcess): Promise<boolean> {
    this.#count += 1;
    const ids = [...this.#good.keys()];
    const isNew = ids.length === 0 || (ids.length < GOOD_MAX && this.#random.chance(0.4));
    const isDone = isNew
      ? await this.#create(server)
      : await this.#change(server, ids[this.#random.int(0, ids.length - 1)] as string);
    if (isDone) this.acknowledged += 1;
    return isDone;
  }

  async verify(server: ServerProcess): Promise<void> {
    const { results } = await server.ok('GET', KEYS);
    const listed = new Map<string, string>(
      results.filter(({ name }: any) => OWN.test(name)).map(({ id, name }: any) => [id, name]),
    );
    await this.#settle(server, listed);
    for (const [id, { name }] of this.#good) expect(listed.get(id), id).toBe(name);
    const others = [...listed.keys()].filter((id) => !this.#good.has(id) && !this.#unknown.has(id));
    // A creation without an answer made one that nobody knows, or none.
    expect(others.length, 'keys that nobody made').toBeLessThanOrEqual(this.#creations);
    for (const id of others) this.#unknown.add(id);
    this.#creations = 0;
    for (const { secret } of this.#random.shuffled([...this.#good.values()]).slice(0, TRIED)) {
      expect(await this.#statusOf(server, secret), 'a key that is good').toBe(200);
    }
    const ended = [...this.#ended.slice(-TRIED), ...this.#random.shuffled(this.#ended).slice(0, TRIED)];
    for (const secret of ended) expect(refused, 'a key that was ended').toContain(await this.#statusOf(server, secret));
  }

  async #create(server: ServerProcess): Promise<boolean> {
    const name = `key ${this.#count}`;
    this.#creations += 1;
    const body = await answered(server.call('POST', KEYS, { name, scope: 'read' }));
    if (body === null) return false;
    this.#creations -= 1;
    this.#good.set(body.id, { secret: body.secret, name });
    return true;
  }

  async #change(server: ServerProcess, id: string): Promise<boolean> {
    const { secret: before, name } = this.#good.get(id) as { secret: string; name: string };
    const kind = this.#random.next();
    const path = `${KEYS}/${id}`;
    const after = kind < 0.4 ? 'another' : kind < 0.7 ? 'the same' : 'none';
    const change = { id, before, after, name: after === 'the same' ? `key ${this.#count}` : name } as const;
    this.#inDoubt = change;
    const calls = {
      another: () => server.call('POST', `${path}/rotate`, {}),
      'the same': () => server.call('PATCH', path, { name: change.name }),
      none: () => server.call('DELETE', path),
    };
    const body = await answered(calls[after]());
    if (body === null) return false;
    this.#inDoubt = null;
    this.#record(change, body.secret);
    return true;
  }

  /** A change that nobody saw the end of either happened or did not. */
  async #settle(server: ServerProcess, listed: ReadonlyMap<string, string>): Promise<void> {
    const change = this.#inDoubt;
    if (change === null) return;
    this.#inDoubt = null;
    const isGood = (await this.#statusOf(server, change.before)) === 200;
    const shown = listed.get(change.id);
    const hasHappened = { another: !isGood, none: shown === undefined, 'the same': shown === change.name }[
      change.after
    ];
    if (hasHappened) this.#record(change, undefined);
    // The list and the way in agree.
    expect(isGood, JSON.stringify(change)).toBe(change.after === 'the same' || !hasHappened);
  }

  #record({ id, before, after, name }: Change, secret: string | undefined): void {
    if (after === 'the same') {
      this.#good.set(id, { secret: before, name });
      return;
    }
    this.#ended.push(before);
    this.#good.delete(id);
    if (after === 'none') return;
    if (secret === undefined) this.#unknown.add(id);
    else this.#good.set(id, { secret, name });
  }

  async #statusOf(server: ServerProcess, secret: string): Promise<number> {
    return (await server.call('GET', this.#readable, undefined, secret)).status;
  }
}
