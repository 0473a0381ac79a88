import { expect } from 'vitest';
import type { Random } from '../../../src/demo/random.js';
import type { ServerProcess } from '../server-process.js';
import { verifyDocuments } from './document-checks.js';
import {
  type Change,
  DIMENSIONS,
  DocumentStates,
  fieldsOf,
  groupOf,
  priceOf,
  textOf,
  vectorOf,
} from './document-states.js';
import { isBroken, type Ledger } from './ledger.js';

/** Most documents of one request. */
const BATCH_MAX = 128;
/** Ids that a write draws from: the latest of those that are idle. */
const DRAWN_FROM = 400;

/** An index of documents, and whether clients bring their vectors or a model makes them. */
export interface DocumentIndex {
  readonly name: string;
  readonly vectors: 'given' | 'made';
  /**
   * Ids that there are in all. However fast a machine writes, one get may then ask for every document and searches may
   * page through all of them: both are bounded by `--max-retrievable-docs`, 10,000.
   */
  readonly idsMax: number;
}

export const settingsOf = ({ vectors }: DocumentIndex): object =>
  vectors === 'given'
    ? { model: 'no_model', modelProperties: { type: 'no_model', dimensions: DIMENSIONS } }
    : { model: 'random/small' };

/** Adds, replaces, changes and deletes documents of one index. Several writes may be under way at once. */
export class DocumentLedger implements Ledger {
  readonly name: string;
  readonly index: DocumentIndex;
  readonly states = new DocumentStates();
  acknowledged = 0;
  readonly #random: Random;
  readonly #pathOf: (index: string) => string;
  /** Requests without an answer. Their ids stay busy: no other request may change what tells their outcome. */
  #inDoubt: Write[] = [];
  #nextId = 0;
  /** The number of the last write. */
  #count = 0;

  /** @param pathOf the path of an index, where it has another one than a server of its own gives it */
  constructor(index: DocumentIndex, random: Random, pathOf = (name: string) => `/indexes/${name}`) {
    this.index = index;
    this.name = `documents with ${index.vectors} vectors`;
    this.#random = random;
    this.#pathOf = pathOf;
  }

  get path(): string {
    return this.#pathOf(this.index.name);
  }

  /** Tells whether every id has been written. */
  get isFull(): boolean {
    return this.#nextId === this.index.idsMax;
  }

  /** Adds all documents to another server. */
  async copyTo(server: ServerProcess): Promise<void> {
    const changes = [...this.states.alive].map(([id, after]) => ({ id, after }));
    for (let at = 0; at < changes.length; at += BATCH_MAX)
      await this.#send(server, { kind: 'add', changes: changes.slice(at, at + BATCH_MAX), refused: [] });
  }

  async write(server: ServerProcess): Promise<boolean> {
    const write = this.#draw();
    const ids = idsOf(write);
    this.states.begin(ids);
    try {
      await this.#send(server, write);
    } catch (error) {
      if (!isBroken(error)) throw error;
      this.#inDoubt.push(write);
      return false;
    }
    this.states.record(write.changes);
    this.states.end(ids);
    this.acknowledged += 1;
    return true;
  }

  async verify(server: ServerProcess): Promise<void> {
    await this.#settle(server);
    await verifyDocuments(server, this.path, this.index, this.states, this.#random);
  }

  /** Asks for the outcome of the requests without an answer: from here on it counts as acknowledged. */
  async #settle(server: ServerProcess): Promise<void> {
    for (const write of this.#inDoubt) {
      const documentIds = write.changes.map(({ id }) => id);
      const { results } = await server.ok('POST', `${this.path}/documents/get-batch`, { documentIds });
      const happened = write.changes.map(
        ({ after }, at) => (results[at]._found ? results[at].version : undefined) === after?.version,
      );
      expect(new Set(happened).size, `half of a request happened: ${JSON.stringify(write)}`).toBe(1);
      if (happened[0]) this.states.record(write.changes);
      this.states.end(idsOf(write));
    }
    this.#inDoubt = [];
  }

  #draw(): Write {
    const random = this.#random;
    const isMade = this.index.vectors === 'made';
    this.#count += 1;
    const count = random.chance(0.1) ? random.int(17, BATCH_MAX) : random.int(1, 16);
    const existing = this.#pick(this.states.alive.keys(), count);
    const kind = existing.length === 0 ? 1 : random.next();
    if (kind < 0.15) return { kind: 'delete', changes: existing.map((id) => ({ id, after: null })), refused: [] };
    if (kind < 0.35)
      return { kind: 'patch numbers', changes: this.#changed(existing, ['price']), refused: this.#missing(count) };
    if (kind < 0.5) {
      const [method, parts] = isMade ? (['put', ['text', 'vector']] as const) : (['patch texts', ['text']] as const);
      return { kind: method, changes: this.#changed(existing, parts), refused: [] };
    }
    if (kind < 0.65) return { kind: 'add', changes: this.#renewed(existing), refused: this.#invalid(existing) };
    const room = this.index.idsMax - this.#nextId;
    const fresh = Array.from({ length: Math.min(count, room) }, () => `d${this.#nextId++}`);
    // A deleted document may come back, if its client adds it again.
    const back = this.#pick(this.states.deleted.keys(), Math.max(1, count - fresh.length));
    const ids = [...fresh, ...back].slice(0, BATCH_MAX);
    const changes = this.#renewed(ids.length > 0 ? ids : existing);
    return { kind: isMade && random.chance(0.2) ? 'put' : 'add', changes, refused: [] };
  }

  #renewed(ids: readonly string[]): Change[] {
    const n = this.#count;
    return ids.map((id) => ({ id, after: { version: n, price: n, text: n, vector: n } }));
  }

  /** Documents that change in some parts. Another version shows it, whatever the parts. */
  #changed(ids: readonly string[], parts: readonly ('price' | 'text' | 'vector')[]): Change[] {
    const renewed = Object.fromEntries(parts.map((part) => [part, this.#count]));
    return ids.map((id) => {
      const before = this.states.alive.get(id);
      if (before === undefined) throw new Error(`${id} is not stored`);
      return { id, after: { ...before, ...renewed, version: this.#count } };
    });
  }

  /** Documents that are not there, and so are not changed, as far as a request has room beside `sent`. */
  #missing(sent: number): string[] {
    return this.#random.chance(0.2) ? this.#pick(this.states.deleted.keys(), Math.min(2, BATCH_MAX - sent)) : [];
  }

  /** Documents that stay as they are, since they are sent in a form that is refused. */
  #invalid(sent: readonly string[]): string[] {
    if (!this.#random.chance(0.3)) return [];
    const others = this.#pick(this.states.alive.keys(), 3).filter((id) => !sent.includes(id));
    return others.slice(0, BATCH_MAX - sent.length);
  }

  #pick(from: Iterable<string>, count: number): string[] {
    const idle = [...from].filter((id) => !this.states.isBusy(id));
    return this.#random.shuffled(idle.slice(-DRAWN_FROM)).slice(0, count);
  }

  async #send(server: ServerProcess, { kind, changes, refused }: Write): Promise<void> {
    const path = `${this.path}/documents`;
    if (kind === 'delete') {
      await server.ok(
        'POST',
        `${path}/delete-batch`,
        changes.map(({ id }) => id),
      );
      return;
    }
    const { method, query, body } = this.#request(kind, changes, refused);
    const { items } = await server.ok(method, `${path}${query}`, body);
    const outcome = new Map<string, number>(
      items.map((item: any) => [item._id, item.status < 300 ? 200 : item.status]),
    );
    const expected = new Map<string, unknown>([
      ...changes.map(({ id }) => [id, 200] as const),
      ...refused.map((id) => [id, expect.toSatisfy((status) => status === 400 || status === 404)] as const),
    ]);
    expect(outcome, `${kind}: ${JSON.stringify(items)}`).toEqual(expected);
    expect(items.length, 'an item for each document').toBe(expected.size);
  }

  #request(kind: Write['kind'], changes: readonly Change[], refused: readonly string[]) {
    const random = this.#random;
    const documents = changes.map(({ id, after }) => {
      if (after === null) throw new Error('a deletion has requests of its own');
      const isWhole = after.text === after.version && after.price === after.version;
      const { version, text, group, ...others } = fieldsOf(id, after);
      if (kind === 'patch numbers') return { _id: id, version, price: priceOf(after) };
      if (kind === 'patch texts') return { _id: id, version, text: textOf(id, after), group: groupOf(after) };
      // A PUT leaves the fields that it does not name; documents that are not there must be named whole.
      if (kind === 'put') return { _id: id, version, text, group, ...(isWhole && others), tags: others.tags };
      const direction = this.index.vectors === 'given' ? { direction: { vector: vectorOf(id, after) } } : {};
      return { version, text, group, ...others, ...direction };
    });
    if (kind === 'put') return { method: 'PUT', query: '?non_tensor_fields=group', body: documents };
    if (kind !== 'add') {
      const missing = refused.map((id) => ({ _id: id, version: 0 }));
      return { method: 'PATCH', query: '', body: { documents: [...documents, ...missing] } };
    }
    // The last of several with one id counts, also where it is the one that is refused.
    const earlier = random.chance(0.2) ? documents.slice(0, 3).map((one) => ({ ...one, version: 0 })) : [];
    const invalid = refused.map((id) => ({ _id: id, version: { text: 'no map of numbers' } }));
    const all = [...earlier, ...documents, ...invalid].slice(-BATCH_MAX);
    if (this.index.vectors === 'given') {
      const mappings = { direction: { type: 'custom_vector' } };
      return { method: 'POST', query: '', body: { documents: all, tensorFields: ['direction'], mappings } };
    }
    const useExistingTensors = random.chance(0.3);
    return { method: 'POST', query: '', body: { documents: all, tensorFields: ['text'], useExistingTensors } };
  }
}

interface Write {
  readonly kind: 'add' | 'put' | 'patch numbers' | 'patch texts' | 'delete';
  readonly changes: readonly Change[];
  /** Ids of documents that are sent too and refused: they stay as they are. */
  readonly refused: readonly string[];
}

const idsOf = ({ changes, refused }: Write) => [...changes.map(({ id }) => id), ...refused];
