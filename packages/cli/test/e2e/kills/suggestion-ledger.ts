import { expect } from 'vitest';
import type { Random } from '../../../src/demo/random.js';
import type { ServerProcess } from '../server-process.js';
import { answered, type Ledger } from './ledger.js';

const QUERIES = 200;
const BATCH_MAX = 24;

/** Queries that an index suggests, each with the number of the write that gave it; null where it is deleted. */
type Change = ReadonlyMap<string, number | null>;

/** Adds, replaces and deletes the queries that an index suggests: one write at a time. */
export class SuggestionLedger implements Ledger {
  readonly name = 'suggestions';
  acknowledged = 0;
  readonly #indexPath: () => string;
  readonly #random: Random;
  readonly #known = new Map<string, number>();
  #inDoubt: Change | null = null;
  #count = 0;

  constructor(indexPath: () => string, random: Random) {
    this.#indexPath = indexPath;
    this.#random = random;
  }

  get #path(): string {
    return `${this.#indexPath()}/suggestions`;
  }

  async write(server: ServerProcess): Promise<boolean> {
    this.#count += 1;
    const kind = this.#known.size === 0 ? 1 : this.#random.next();
    const { change, call } = kind < 0.05 ? this.#clear(server) : kind < 0.3 ? this.#remove(server) : this.#add(server);
    this.#inDoubt = change;
    const body = await answered(call());
    if (body === null) return false;
    if (body.errors !== undefined) expect(body).toMatchObject({ indexed: change.size, errors: [] });
    this.#record(change);
    this.acknowledged += 1;
    return true;
  }

  async verify(server: ServerProcess): Promise<void> {
    const found = new Map<string, number>();
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const body = cursor === undefined ? { limit: 70 } : { cursor, limit: 70 };
      const page = await server.ok('POST', `${this.#path}/queries/scan`, body);
      for (const { query, popularity, metadata } of page.queries) {
        expect(metadata, query).toEqual({ number: popularity });
        found.set(query, popularity);
      }
      cursor = page.cursor;
    }
    const change: Change = this.#inDoubt ?? new Map();
    const happened = [...change].map(([query, number]) => (found.get(query) ?? null) === number);
    // Some may have been as they are before: the write says nothing of them.
    const differing = [...change].filter(([query, number]) => (this.#known.get(query) ?? null) !== number);
    const outcomes = differing.map(([query, number]) => (found.get(query) ?? null) === number);
    expect(new Set(outcomes).size, `half of a request happened: ${JSON.stringify([...change])}`).toBeLessThan(2);
    if (happened.every(Boolean)) this.#record(change);
    this.#inDoubt = null;
    expect(found).toEqual(this.#known);
    expect(await server.ok('GET', `${this.#path}/stats`)).toMatchObject({ indexedQueries: this.#known.size });
    for (const query of this.#random.shuffled([...this.#known.keys()]).slice(0, 3)) {
      const { suggestions } = await server.ok('POST', this.#path, { q: query, limit: 5 });
      expect(
        suggestions.map((one: any) => one.suggestion),
        'suggestions',
      ).toContain(query);
    }
  }

  #add(server: ServerProcess) {
    const numbers = Array.from({ length: this.#random.int(1, BATCH_MAX) }, () => this.#random.int(1, QUERIES));
    const change = new Map([...new Set(numbers)].map((number) => [queryOf(number), this.#count] as const));
    const queries = [...change.keys()].map((query) => ({
      query,
      popularity: this.#count,
      metadata: { number: this.#count },
    }));
    return { change, call: () => server.call('POST', `${this.#path}/queries`, { queries }) };
  }

  #remove(server: ServerProcess) {
    const some = this.#random.shuffled([...this.#known.keys()]).slice(0, this.#random.int(1, BATCH_MAX));
    const change = new Map(some.map((query) => [query, null] as const));
    return { change, call: () => server.call('DELETE', `${this.#path}/queries`, some) };
  }

  #clear(server: ServerProcess) {
    const change = new Map([...this.#known.keys()].map((query) => [query, null] as const));
    return { change, call: () => server.call('DELETE', `${this.#path}/queries/delete-all`) };
  }

  #record(change: Change): void {
    for (const [query, number] of change) {
      if (number === null) this.#known.delete(query);
      else this.#known.set(query, number);
    }
    this.#inDoubt = null;
  }
}

const queryOf = (number: number) => `query${number} of somebody`;
