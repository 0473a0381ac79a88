import { expect } from 'vitest';
import type { Random } from '../../../src/demo/random.js';
import type { ServerProcess } from '../server-process.js';
import type { DocumentIndex } from './document-ledger.js';
import {
  COMMON_WORD,
  type DocumentState,
  type DocumentStates,
  dot,
  fieldsOf,
  groupOf,
  priceOf,
  tagsOf,
  vectorOf,
  wordOf,
} from './document-states.js';

const PAGE = 1000;
/** Documents that are looked for one by one, of those that are there and of those that are not. */
const SINGLE = 12;
/** The rounding of vectors to 32 bits, and of sums over them. */
const TOLERANCE = 1e-5;
const NEAREST = 20;

/** Holds an index to the states of its documents: all ways to read and find them show these, and nothing else. */
export async function verifyDocuments(
  server: ServerProcess,
  path: string,
  index: DocumentIndex,
  states: DocumentStates,
  random: Random,
): Promise<void> {
  const checks = new DocumentChecks(server, path, index, states, random);
  await checks.contents();
  await checks.deleted();
  await checks.counts();
  await checks.words();
  await checks.filters();
  if (index.vectors === 'given') await checks.nearest();
  await checks.single();
}

class DocumentChecks {
  readonly #server: ServerProcess;
  readonly #path: string;
  readonly #index: DocumentIndex;
  readonly #states: DocumentStates;
  readonly #random: Random;

  constructor(server: ServerProcess, path: string, index: DocumentIndex, states: DocumentStates, random: Random) {
    this.#server = server;
    this.#path = path;
    this.#index = index;
    this.#states = states;
    this.#random = random;
  }

  /** A scan shows every document once, with its fields and its vector. */
  async contents(): Promise<void> {
    const found = new Map<string, any>();
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const body = cursor === undefined ? { limit: this.#random.int(100, 3 * PAGE), exposeFacets: true } : { cursor };
      const page = await this.#server.ok('POST', `${this.#path}/documents/scan`, body);
      for (const document of page.documents) {
        expect(found.has(document._id), `${document._id} comes twice`).toBe(false);
        found.set(document._id, document);
      }
      cursor = page.cursor;
    }
    expect([...found.keys()].sort(), 'scan').toEqual(this.#ids());
    for (const [id, state] of this.#states.alive) expectContent(this.#index, id, state, found.get(id));
  }

  async deleted(): Promise<void> {
    const documentIds = [...this.#states.deleted.keys()];
    if (documentIds.length === 0) return;
    const { results } = await this.#server.ok('POST', `${this.#path}/documents/get-batch`, { documentIds });
    const back = results.filter((result: any) => result._found);
    expect(back, 'deleted documents').toEqual([]);
  }

  async counts(): Promise<void> {
    const { size } = this.#states.alive;
    const stats = await this.#server.ok('GET', `${this.#path}/stats`);
    expect(stats).toMatchObject({ numberOfDocuments: size, numberOfVectors: size });
  }

  /** One search by words finds all: with a cursor, or page by page. */
  async words(): Promise<void> {
    const ids: string[] = [];
    const search = { q: COMMON_WORD, searchMethod: 'LEXICAL', limit: PAGE, attributesToRetrieve: ['version'] };
    if (this.#random.chance(0.5)) {
      let page = await this.#search({ ...search, showHighlights: false, withCursor: true });
      for (;;) {
        ids.push(...page.hits.map(({ _id }: any) => _id));
        if (page.cursor === null) break;
        page = await this.#search({ cursor: page.cursor });
      }
    } else {
      for (let size = PAGE; size === PAGE; ) {
        const { hits } = await this.#search({ ...search, offset: ids.length });
        ids.push(...hits.map(({ _id }: any) => _id));
        size = hits.length;
      }
    }
    expect(ids.sort(), 'by words').toEqual(this.#ids());
  }

  /** Filters pass what the model says, and facets count it. */
  async filters(): Promise<void> {
    const low = this.#random.int(0, 60);
    const group = `group${this.#random.int(0, 6)}`;
    const tag = `tag${this.#random.int(0, 10)}`;
    const filters: [string, (state: DocumentState) => boolean][] = [
      ['*:*', () => true],
      [`price:[${low} TO ${low + 20}]`, (state) => priceOf(state) >= low && priceOf(state) <= low + 20],
      [`group:${group} AND NOT price:[* TO ${low}]`, (state) => groupOf(state) === group && priceOf(state) > low],
      [`tags:${tag} OR group:${group}`, (state) => tagsOf(state).includes(tag) || groupOf(state) === group],
    ];
    const fields = { group: { type: 'string' }, tags: { type: 'array' }, price: { type: 'number' } };
    for (const [filter, passes] of filters) {
      const expected = [...this.#states.alive].filter(([, state]) => passes(state));
      const given = filter === '*:*' ? {} : { filter };
      const search = { q: COMMON_WORD, searchMethod: 'LEXICAL', limit: PAGE, ...given, trackTotalHits: true };
      const { hits, totalHits, facets } = await this.#search({ ...search, facets: { fields } });
      expect(totalHits, filter).toBe(expected.length);
      if (expected.length <= PAGE)
        expect(hits.map(({ _id }: any) => _id).sort(), filter).toEqual(expected.map(([id]) => id).sort());
      const states = expected.map(([, state]) => state);
      expect(facets, filter).toEqual({
        group: countsOf(states.map(groupOf)),
        tags: countsOf(states.flatMap(tagsOf)),
        price: numbersOf(states.map(priceOf)),
      });
    }
  }

  /** The exact search ranks as the vectors of the model do. */
  async nearest(): Promise<void> {
    const query = vectorOf('query', { vector: this.#random.int(1, 1_000_000) });
    const q = { customVector: { vector: query } };
    const { hits } = await this.#search({ q, approximate: false, limit: NEAREST, attributesToRetrieve: ['version'] });
    const closeness = new Map([...this.#states.alive].map(([id, state]) => [id, dot(query, vectorOf(id, state))]));
    const best = [...closeness.values()].sort((a, b) => b - a).slice(0, NEAREST);
    const shown = hits.map(({ _id }: any) => closeness.get(_id));
    expect(shown.length).toBe(best.length);
    for (const [at, value] of best.entries())
      expect(Math.abs(shown[at] - value), `place ${at}`).toBeLessThan(TOLERANCE);
  }

  /** By its own word and along its own vector, through the graph, a document is found if it is there. */
  async single(): Promise<void> {
    const some = (from: ReadonlyMap<string, DocumentState>) => this.#random.shuffled([...from]).slice(0, SINGLE);
    for (const [id, state] of some(this.#states.alive)) {
      for (const search of this.#searchesFor(id, state)) {
        const [hit] = (await this.#search(search)).hits;
        expect(hit, JSON.stringify(search)).toMatchObject(fieldsOf(id, state));
      }
      const before = { q: wordOf(id, { ...state, text: state.text - 1 }), searchMethod: 'LEXICAL' };
      expect((await this.#search(before)).hits, 'a replaced version').toEqual([]);
    }
    for (const [id, state] of some(this.#states.deleted)) {
      for (const search of this.#searchesFor(id, state)) {
        const ids = (await this.#search(search)).hits.map(({ _id }: any) => _id);
        expect(ids, 'a deleted document').not.toContain(id);
      }
    }
  }

  #searchesFor(id: string, state: DocumentState): object[] {
    const byWord = { q: wordOf(id, state), searchMethod: 'LEXICAL', limit: 1 };
    const hybrid = {
      q: wordOf(id, state),
      searchMethod: 'HYBRID',
      hybridParameters: { retrievalMethod: 'lexical', rankingMethod: 'lexical' },
      limit: 1,
    };
    if (this.#index.vectors === 'made') return [byWord, hybrid, { q: fieldsOf(id, state).text, limit: 1 }];
    return [byWord, { q: { customVector: { vector: vectorOf(id, state) } }, limit: 1 }];
  }

  #ids(): string[] {
    return [...this.#states.alive.keys()].sort();
  }

  #search(search: object): Promise<any> {
    return this.#server.ok('POST', `${this.#path}/search`, { ...search });
  }
}

/** Compares a document, with its chunks where it was read with these, with the state that it must have. */
export function expectContent(index: DocumentIndex, id: string, state: DocumentState, shown: any): void {
  const { _tensor_facets: chunks, direction, _found, ...fields } = shown;
  expect(fields).toEqual(fieldsOf(id, state));
  if (chunks === undefined) return;
  expect(chunks.length, `vectors of ${id}`).toBe(1);
  const [{ _embedding, ...content }] = chunks;
  if (index.vectors === 'made') {
    expect(content).toEqual({ text: fieldsOf(id, state).text });
    return;
  }
  const expected = vectorOf(id, state);
  const distance = Math.hypot(...expected.map((number, at) => number - _embedding[at]));
  expect(distance, `the vector of ${id}`).toBeLessThan(TOLERANCE);
}

function countsOf(texts: readonly string[]) {
  const counts: Record<string, { count: number }> = {};
  for (const text of texts) counts[text] = { count: (counts[text]?.count ?? 0) + 1 };
  return counts;
}

function numbersOf(numbers: readonly number[]) {
  if (numbers.length === 0) return { count: 0 };
  const sum = numbers.reduce((sum, number) => sum + number, 0);
  const avg = expect.closeTo(sum / numbers.length, 9);
  return { sum, avg, min: Math.min(...numbers), max: Math.max(...numbers), count: numbers.length };
}
