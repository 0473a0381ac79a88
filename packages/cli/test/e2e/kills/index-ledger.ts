import { expect } from 'vitest';
import type { Random } from '../../../src/demo/random.js';
import type { ServerProcess } from '../server-process.js';
import { answered, type Ledger } from './ledger.js';

const DIMENSIONS = 2;
const DOCUMENTS_MAX = 40;

/** An index as it may be found: by the number of its creation, that of its last settings, and its documents. */
interface IndexState {
  readonly created: number;
  readonly settings: number;
  readonly documents: number;
}

/** Creates, changes, fills, empties and deletes one index, again and again: one write at a time. */
export class IndexLedger implements Ledger {
  readonly name: string;
  acknowledged = 0;
  readonly #index: string;
  readonly #path: string;
  readonly #random: Random;
  #now: IndexState | null = null;
  /** The state after the write that is under way or in doubt; undefined where there is none. */
  #next: IndexState | null | undefined;
  #count = 0;

  constructor(index: string, random: Random) {
    this.name = `index ${index}`;
    this.#index = index;
    this.#path = `/indexes/${index}`;
    this.#random = random;
  }

  get exists(): boolean {
    return this.#now !== null;
  }

  async write(server: ServerProcess): Promise<boolean> {
    this.#count += 1;
    const { next, call } = this.#draw(server);
    this.#next = next;
    const body = await answered(call());
    if (body === null) return false;
    if (body.items !== undefined) expect(body.errors, JSON.stringify(body.items)).toBe(false);
    this.#now = next;
    this.#next = undefined;
    this.acknowledged += 1;
    return true;
  }

  async verify(server: ServerProcess): Promise<void> {
    const found = await this.#found(server);
    const possible = this.#next === undefined ? [this.#now] : [this.#now, this.#next];
    expect(possible, `${this.#index} after ${this.#count} writes`).toContainEqual(found);
    this.#now = found;
    this.#next = undefined;
  }

  #draw(server: ServerProcess): { next: IndexState | null; call: () => Promise<{ status: number; body: any }> } {
    const now = this.#now;
    const n = this.#count;
    if (now === null) {
      const next = { created: n, settings: n, documents: 0 };
      return { next, call: () => server.call('POST', this.#path, settingsOf(next)) };
    }
    const kind = this.#random.next();
    if (kind < 0.3) return { next: null, call: () => server.call('DELETE', this.#path) };
    if (kind < 0.5) {
      const { modelProperties } = settingsOf({ ...now, settings: n });
      const call = () => server.call('PATCH', `${this.#path}/index-settings`, { modelProperties });
      return { next: { ...now, settings: n }, call };
    }
    if (kind < 0.6 && now.documents > 0) {
      const call = () => server.call('DELETE', `${this.#path}/documents/delete-all`);
      return { next: { ...now, documents: 0 }, call };
    }
    const added = this.#random.int(1, DOCUMENTS_MAX);
    const documents = Array.from({ length: added }, (_, at) => ({
      _id: `d${now.documents + at}`,
      created: now.created,
      direction: { vector: [1, at] },
    }));
    const mappings = { direction: { type: 'custom_vector' } };
    const body = { documents, tensorFields: ['direction'], mappings };
    const call = () => server.call('POST', `${this.#path}/documents`, body);
    return { next: { ...now, documents: now.documents + added }, call };
  }

  async #found(server: ServerProcess): Promise<IndexState | null> {
    const { results } = await server.ok('GET', '/indexes');
    const isListed = results.some(({ indexName }: any) => indexName === this.#index);
    const { status, body } = await server.call('GET', `${this.#path}/settings`);
    expect(status, JSON.stringify(body)).toBe(isListed ? 200 : 404);
    if (!isListed) return null;
    const created = body.filterStringMaxLength;
    const settings = Number(body.modelProperties.note);
    const { numberOfDocuments: documents } = await server.ok('GET', `${this.#path}/stats`);
    const page = await server.ok('POST', `${this.#path}/documents/scan`, { limit: 10_000 });
    const expected = Array.from({ length: documents }, (_, at) => `d${at}`);
    expect(page.documents.map(({ _id }: any) => _id).sort(), this.#index).toEqual(expected.sort());
    for (const document of page.documents)
      expect(document.created, 'a document of an index that is gone').toBe(created);
    return { created, settings, documents };
  }
}

/** The numbers of creation and settings are kept where nothing else depends on them. */
function settingsOf({ created, settings }: IndexState) {
  return {
    model: 'no_model',
    modelProperties: { type: 'no_model', dimensions: DIMENSIONS, note: String(settings) },
    filterStringMaxLength: created,
  };
}
