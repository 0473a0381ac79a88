import { expect } from 'vitest';
import type { Random } from '../../../src/demo/random.js';
import type { ServerProcess } from '../server-process.js';
import { answered, type Ledger } from './ledger.js';

const VERSIONS_KEPT = 20;
/** So many that the file of a version has many pages. */
const PINS = 1_000;

/** Changes the settings of one shop: each version says which one it is, in every member. */
export class ShopSettingsLedger implements Ledger {
  readonly name: string;
  acknowledged = 0;
  readonly #path: string;

  constructor(shop: string) {
    this.name = `settings of ${shop}`;
    this.#path = `/api/v1/indexes/${shop}/settings`;
  }

  async write(server: ServerProcess): Promise<boolean> {
    const next = this.acknowledged + 1;
    const body = await answered(server.call('PATCH', this.#path, settingsOf(next)));
    if (body === null) return false;
    expect(body.version).toBe(next);
    this.acknowledged = next;
    return true;
  }

  async verify(server: ServerProcess): Promise<void> {
    const { versions } = await server.ok('GET', `${this.#path}/versions`);
    const [{ version: newest }] = versions;
    expect([this.acknowledged, this.acknowledged + 1]).toContain(newest);
    const kept = Math.min(VERSIONS_KEPT, newest + 1);
    const numbers = versions.map(({ version }: { version: number }) => version);
    expect(numbers).toEqual(Array.from({ length: kept }, (_, age) => newest - age));
    for (const { version, settings } of versions) if (version > 0) expect(settings).toMatchObject(settingsOf(version));
    expect((await server.ok('GET', this.#path)).version).toBe(newest);
    this.acknowledged = newest;
  }
}

function settingsOf(version: number) {
  const pins = Array.from({ length: PINS }, (_, place) => ({ query: `q${place}`, documentIds: [`of-${version}`] }));
  return { customerId: `customer-${version}`, sortFields: [`field-${version}`], pins };
}

const COLLECTIONS = 8;
const TEXT = 'whole '.repeat(300);

/** A collection as it may be found: what was said of it last, by its number, or null where nothing is. */
type Said = number | null;

/** Says things of collections of its own, and deletes them. */
export class CollectionLedger implements Ledger {
  readonly name: string;
  acknowledged = 0;
  readonly #prefix: string;
  readonly #random: Random;
  readonly #known = new Map<string, Said>();
  #inDoubt: { readonly id: string; readonly said: Said } | null = null;
  #count = 0;

  constructor(name: string, random: Random) {
    this.name = `collections of ${name}`;
    this.#prefix = `${name}-`;
    this.#random = random;
  }

  async write(server: ServerProcess): Promise<boolean> {
    const id = `${this.#prefix}${this.#random.int(1, COLLECTIONS)}`;
    const isDelete = (this.#known.get(id) ?? null) !== null && this.#random.chance(0.3);
    this.#count += 1;
    const said = isDelete ? null : this.#count;
    this.#inDoubt = { id, said };
    const call =
      said === null
        ? server.call('DELETE', `/api/v1/collections/${id}`)
        : server.call('POST', '/api/v1/collections', { id, ...contentOf(said) });
    if ((await answered(call)) === null) return false;
    this.#settle(id, said);
    this.acknowledged += 1;
    return true;
  }

  async verify(server: ServerProcess): Promise<void> {
    const { results } = await server.ok('GET', '/api/v1/collections');
    const own = results.filter(({ id }: { id: string }) => id.startsWith(this.#prefix));
    const found = new Map<string, Said>();
    for (const { id, displayName, metadata } of own) {
      expect({ displayName, metadata }).toEqual(contentOf(metadata.number));
      found.set(id, metadata.number);
    }
    const { id, said } = this.#inDoubt ?? { id: '', said: null };
    if (this.#inDoubt !== null && (found.get(id) ?? null) === said) this.#settle(id, said);
    this.#inDoubt = null;
    const expected = [...this.#known].filter(([, number]) => number !== null);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
  }

  #settle(id: string, said: Said): void {
    this.#known.set(id, said);
    this.#inDoubt = null;
  }
}

function contentOf(number: number) {
  return { displayName: `collection ${number}`, metadata: { number, text: TEXT } };
}

/** Replaces the index id of a shop, without an overlap. */
export class IndexIdLedger implements Ledger {
  readonly name: string;
  acknowledged = 0;
  readonly #path: string;
  #current: string | null = null;
  /** Those that must be refused. */
  readonly #gone: string[] = [];
  #isInDoubt = false;

  constructor(shop: string) {
    this.name = `index ids of ${shop}`;
    this.#path = `/api/v1/indexes/${shop}`;
  }

  async write(server: ServerProcess): Promise<boolean> {
    this.#current ??= (await answered(server.call('GET', this.#path)))?.indexId ?? null;
    if (this.#current === null) return false;
    this.#isInDoubt = true;
    const body = await answered(server.call('POST', `${this.#path}/index-id/rotate`, {}));
    if (body === null) return false;
    this.#isInDoubt = false;
    this.acknowledged += 1;
    this.#gone.push(this.#current);
    this.#current = body.indexId;
    return true;
  }

  async verify(server: ServerProcess): Promise<void> {
    const { indexId } = await server.ok('GET', this.#path);
    if (this.#isInDoubt && this.#current !== null && indexId !== this.#current) {
      this.#gone.push(this.#current);
      this.#current = indexId;
    }
    this.#isInDoubt = false;
    expect(indexId).toBe(this.#current ?? indexId);
    expect(await this.#statusOf(server, indexId)).toBe(200);
    for (const gone of this.#gone.slice(-3)) expect(await this.#statusOf(server, gone)).toBe(403);
  }

  /** The status that a page gets when it names the shop by `indexId`. */
  async #statusOf(server: ServerProcess, indexId: string): Promise<number> {
    const headers = { 'content-type': 'application/json', 'x-svc-index-id': indexId };
    const response = await fetch(`${server.address}${this.#path}/search`, { method: 'POST', headers, body: '{}' });
    return response.status;
  }
}
