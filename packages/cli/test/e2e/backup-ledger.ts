import { expect } from 'vitest';
import { Random } from '../../src/demo/random.js';
import type { ServerProcess } from './server-process.js';

const DIMENSIONS = 16;
const PAGE = 1000;
/**
 * Ids that the ledger has in all. However fast a machine writes, one get may then ask for every document and
 * searches may page through all of them: both are bounded by `--max-retrievable-docs`, 10,000.
 */
const IDS_MAX = 5000;
/** A word that every document holds, so that one lexical search finds them all. */
const COMMON_WORD = 'everywhere';

/**
 * An index as a careful client knows it: the acknowledged version of each document, and the documents acknowledged as
 * deleted. A copy of it is what a backup of that moment has to give back.
 */
export class Ledger {
  readonly #index: string;
  readonly #random: Random;
  /** Id -> version of the acknowledged document. */
  readonly #alive = new Map<string, number>();
  /** Id -> version of the document when it was deleted. */
  readonly #deleted = new Map<string, number>();
  /** Documents whose state changed since the last `verify`. */
  readonly #touched = new Set<string>();
  /** Ids that a request is under way for: no second one may race it, or the outcome would be open. */
  readonly #busy = new Set<string>();
  #nextId = 0;

  constructor(index: string, random: Random) {
    this.#index = index;
    this.#random = random;
  }

  /** The acknowledged documents of now, as the contents of another index. Nothing may be under way. */
  copyFor(index: string): Ledger {
    expect(this.#busy.size, 'requests under way').toBe(0);
    const copy = new Ledger(index, new Random(this.#random.int(1, 2 ** 30)));
    for (const [id, version] of this.#alive) copy.#alive.set(id, version);
    for (const [id, version] of this.#deleted) copy.#deleted.set(id, version);
    for (const id of [...this.#alive.keys(), ...this.#deleted.keys()]) copy.#touched.add(id);
    return copy;
  }

  async createIndex(server: ServerProcess): Promise<void> {
    await server.ok('POST', `/indexes/${this.#index}`, {
      model: 'no_model',
      modelProperties: { type: 'no_model', dimensions: DIMENSIONS },
    });
  }

  /** One request of the mix: mostly new documents, some replacements, some deletes. */
  async writeSomething(server: ServerProcess): Promise<void> {
    const request = this.#draw();
    for (const { id } of request.changes) this.#busy.add(id);
    await this.#send(server, request);
    this.#record(request);
    this.#release(request);
  }

  #release({ changes }: Request): void {
    for (const { id } of changes) this.#busy.delete(id);
  }

  #draw(): Request {
    const count = this.#random.int(1, 16);
    const existing = this.#pick(this.#alive, Math.min(count, 6));
    if (existing.length > 0 && this.#random.chance(0.2)) {
      return { kind: 'delete', changes: existing.map((id) => ({ id, version: 0 })) };
    }
    if (existing.length > 0 && this.#random.chance(0.25)) {
      return { kind: 'add', changes: existing.map((id) => this.#next(id)) };
    }
    const fresh = Math.min(count, IDS_MAX - this.#nextId);
    const ids = Array.from({ length: fresh }, () => `d${this.#nextId++}`);
    // A deleted document may come back, if its client adds it again.
    ids.push(...this.#pick(this.#deleted, Math.max(1, count - fresh)));
    return { kind: 'add', changes: (ids.length > 0 ? ids : existing).map((id) => this.#next(id)) };
  }

  /** Some ids of the latest 400 that no request is under way for. */
  #pick(from: ReadonlyMap<string, number>, count: number): string[] {
    const idle = [...from.keys()].filter((id) => !this.#busy.has(id));
    return this.#random.shuffled(idle.slice(-400)).slice(0, count);
  }

  #next(id: string): Change {
    return { id, version: (this.#alive.get(id) ?? this.#deleted.get(id) ?? 0) + 1 };
  }

  async #send(server: ServerProcess, { kind, changes }: Request): Promise<void> {
    if (kind === 'delete') {
      await server.ok(
        'POST',
        `/indexes/${this.#index}/documents/delete-batch`,
        changes.map(({ id }) => id),
      );
      return;
    }
    const answer = await server.ok('POST', `/indexes/${this.#index}/documents`, {
      documents: changes.map(({ id, version }) => document(id, version)),
      tensorFields: ['direction'],
      mappings: { direction: { type: 'custom_vector' } },
    });
    if (answer.errors) throw new Error(`an item was refused: ${JSON.stringify(answer.items)}`);
  }

  #record({ kind, changes }: Request): void {
    for (const { id, version } of changes) {
      this.#touched.add(id);
      if (kind === 'add') {
        this.#alive.set(id, version);
        this.#deleted.delete(id);
      } else {
        this.#deleted.set(id, this.#alive.get(id) as number);
        this.#alive.delete(id);
      }
    }
  }

  /** Every acknowledged document is found by get, lexical and tensor search, and nothing else is. */
  async verify(server: ServerProcess): Promise<void> {
    const expected = [...this.#alive.keys()].sort();

    const ids = [...expected, ...this.#deleted.keys()];
    const versions = await this.#versions(server, ids);
    expect(versions, 'get').toEqual(this.#alive);
    expect(await this.#searchAll(server, { q: COMMON_WORD, searchMethod: 'LEXICAL' }), 'lexical').toEqual(expected);
    const direction = { customVector: { vector: vector('any', 1) } };
    expect(await this.#searchAll(server, { q: direction, approximate: false }), 'tensor').toEqual(expected);

    for (const id of this.#random.shuffled([...this.#touched]).slice(0, 40)) await this.#verifyOne(server, id);
    this.#touched.clear();
  }

  /** By its own word and along its own vector, through the graph, a document is found if it is alive. */
  async #verifyOne(server: ServerProcess, id: string): Promise<void> {
    const version = this.#alive.get(id);
    const last = version ?? this.#deleted.get(id) ?? 1;
    const byWord = { q: word(id, last), searchMethod: 'LEXICAL', limit: 1 };
    const along = { q: { customVector: { vector: vector(id, last) } }, limit: 1 };
    for (const search of [byWord, along]) {
      const [hit] = (await this.#search(server, search)).hits;
      if (version === undefined) expect(hit?._id, 'a deleted document').not.toBe(id);
      else expect(hit, JSON.stringify(search)).toMatchObject({ _id: id, version });
    }
    if (version !== undefined && version > 1) {
      const old = await this.#search(server, { q: word(id, version - 1), searchMethod: 'LEXICAL' });
      expect(old.hits, 'a replaced version').toEqual([]);
    }
  }

  async #versions(server: ServerProcess, ids: string[]): Promise<Map<string, number>> {
    const answer = await server.ok('POST', `/indexes/${this.#index}/documents/get-batch`, {
      documentIds: ids,
    });
    const found = (answer.results as Found[]).filter((result) => result._found);
    return new Map(found.map((result) => [result._id, result.version]));
  }

  async #searchAll(server: ServerProcess, search: object): Promise<string[]> {
    const ids: string[] = [];
    for (let offset = 0; ; offset += PAGE) {
      const page = {
        ...search,
        limit: PAGE,
        offset,
        attributesToRetrieve: ['version'],
        showHighlights: false,
      };
      const { hits } = await this.#search(server, page);
      ids.push(...hits.map((hit: Found) => hit._id));
      if (hits.length < PAGE) return ids.sort();
    }
  }

  #search(server: ServerProcess, search: object): Promise<any> {
    return server.ok('POST', `/indexes/${this.#index}/search`, search);
  }
}

interface Request {
  kind: 'add' | 'delete';
  changes: Change[];
}

/** For a delete the version is 0. */
interface Change {
  id: string;
  version: number;
}

interface Found {
  _id: string;
  _found: boolean;
  version: number;
}

function document(id: string, version: number): object {
  const text = `${COMMON_WORD} ${word(id, version)}`;
  return { _id: id, version, text, direction: { vector: vector(id, version) } };
}

/** A word that only this version of this document holds. */
function word(id: string, version: number): string {
  return `${id}version${version}`;
}

/** The vector of this version of this document; all differ. */
function vector(id: string, version: number): number[] {
  let seed = version;
  for (const character of id) seed = (Math.imul(seed, 31) + character.charCodeAt(0)) >>> 0;
  const random = new Random(seed);
  return Array.from({ length: DIMENSIONS }, () => random.next() - 0.5);
}
