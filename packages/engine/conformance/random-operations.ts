import { expect, onTestFinished, test } from 'vitest';
import type { DocumentScan, RankedSearch, ScanPage, StorageEngine, StoredDefinition } from '../src/index.js';
import {
  add,
  definition,
  dimensions,
  embed,
  fromJson,
  type Item,
  itemsOf,
  lexicalPlan,
  openFor,
  randomNumbers,
  update,
} from './fixtures.js';
import { fields, type Kind, MALFORMED, ReferenceModel, type Sent, tensorFields } from './reference-model.js';
import type { EngineSource } from './suite.js';

/** Operations of a run, of both kinds of index together, unless its source or the environment says otherwise. */
const OPERATIONS = 20_000;
/** Chance begins with it. */
const SEED = process.env.PELORUS_MODEL_SEED ?? 'model';

/** Operations between two restarts. */
const RESTART_EVERY = 1_500;
/** Operations that run at once; no two of them touch the same document. */
const AT_ONCE_MAX = 64;
/** Documents of one operation, at most. */
const DOCUMENTS_MAX = 4;
const IDS = Array.from({ length: AT_ONCE_MAX * DOCUMENTS_MAX }, (_, i) => `id ${i}/é"`);
/** Never touched: by it an unstructured index knows of texts, lists and geo points in the fields that have them. */
const FIRST = { _id: 'first', title: 'red', note: 'ripe', tags: ['new'], count: -1, place: { lat: 90, lon: 0 } };
const WORDS = ['red', 'green', 'blue', 'plum', 'quince', 'pear'];

const definitions: Readonly<Record<Kind, StoredDefinition>> = {
  unstructured: definition,
  structured: {
    ...definition,
    settings: {
      ...definition.settings,
      type: 'structured',
      allFields: fields.map(({ features, ...field }) => ({ ...field, features: [...features] })),
      tensorFields,
    },
  },
};

type Operation =
  | { readonly do: 'add'; readonly documents: readonly Sent[]; readonly useExistingTensors: boolean }
  | { readonly do: 'update'; readonly documents: readonly Sent[] }
  | { readonly do: 'delete' | 'get'; readonly ids: readonly string[] };

/** Chance, by a seed. */
class Chance {
  readonly #next: () => number;

  constructor(seed: string) {
    this.#next = randomNumbers(seed);
  }

  below(count: number): number {
    return Math.floor(this.#next() * count);
  }

  /** True once in `times`. */
  once(times: number): boolean {
    return this.below(times) === 0;
  }

  of<Value>(values: readonly Value[]): Value {
    return values[this.below(values.length)] as Value;
  }

  /** Takes `count` values out of `values`. */
  take<Value>(values: Value[], count: number): Value[] {
    return Array.from({ length: count }, () => values.splice(this.below(values.length), 1)[0] as Value);
  }
}

const axis = (at: number) => Array.from({ length: dimensions }, (_, i) => (i === at ? 1 : 0));

/** A value for each field that may have one, some of them left out. */
function someFields(chance: Chance): Record<string, unknown> {
  const values: Record<string, unknown> = {
    title: chance.of(WORDS),
    note: chance.of(WORDS),
    count: chance.below(20),
    price: chance.below(20) + 0.25,
    sold: chance.once(2),
    tags: [chance.of(WORDS), 'all'],
    sizes: Object.fromEntries(['s', 'm', 'l'].slice(chance.below(3)).map((size) => [size, chance.below(9)])),
    place: { lat: chance.below(5) - 2, lon: 178.5 + chance.below(2) },
    weights: { indices: [chance.below(5), 5 + chance.below(5)], values: [0.5 + chance.below(4), 0.1] },
    tokens: Array.from({ length: 1 + chance.below(3) }, () => [chance.below(5), 0.1]),
  };
  return Object.fromEntries(Object.entries(values).filter(() => !chance.once(3)));
}

function someDocument(chance: Chance, _id: string): Sent {
  const own = chance.once(3) ? { own: { content: chance.of(WORDS), vector: axis(chance.below(dimensions)) } } : {};
  const bad = chance.once(12) ? { [chance.of(fields).name]: MALFORMED } : {};
  return { _id: chance.once(40) ? 5 : _id, ...someFields(chance), ...own, ...bad };
}

function someUpdate(chance: Chance, _id: string): Sent {
  const { title, ...changes } = someFields(chance);
  // A title stands behind a vector as a rule, and refuses the whole update.
  if (title !== undefined && chance.once(6)) changes.title = title;
  if (chance.once(3))
    changes[chance.of(['note', 'count', 'price', 'sold', 'tags', 'sizes', 'place', 'weights', 'tokens'])] = null;
  if (chance.once(10)) changes[chance.of(fields).name] = MALFORMED;
  return { _id, ...changes };
}

function someOperation(chance: Chance, free: string[]): Operation {
  const ids = chance.take(free, 1 + chance.below(DOCUMENTS_MAX));
  const again = chance.once(5) ? [...ids, chance.of(ids)] : ids;
  const what = chance.below(100);
  if (what < 35) {
    return { do: 'add', documents: again.map((id) => someDocument(chance, id)), useExistingTensors: chance.once(2) };
  }
  if (what < 65) return { do: 'update', documents: again.map((id) => someUpdate(chance, id)) };
  return { do: what < 78 ? 'delete' : 'get', ids };
}

/** One run: an index and its expected content. */
class Run {
  readonly #source: EngineSource;
  readonly #kind: Kind;
  readonly #chance: Chance;
  readonly #model: ReferenceModel;
  readonly #vectors = new Map<string, readonly number[]>();
  readonly #history: Operation[] = [];
  #engine: StorageEngine;
  #scan: { readonly scan: DocumentScan; readonly expected: ReferenceModel; next: number; found: Sent[] } | undefined;
  #search: { readonly ranked: RankedSearch; readonly expected: ReferenceModel; readonly found: Sent[] } | undefined;

  constructor(source: EngineSource, engine: StorageEngine, kind: Kind) {
    this.#source = source;
    this.#engine = engine;
    this.#kind = kind;
    this.#chance = new Chance(`${SEED} ${kind}`);
    this.#model = new ReferenceModel(kind);
  }

  async all(operations: number): Promise<void> {
    await this.#engine.createIndex('a', definitions[this.#kind]);
    await this.#apply({ do: 'add', documents: [FIRST], useExistingTensors: false });
    for (let restartAt = RESTART_EVERY; this.#history.length < operations; ) {
      const free = [...IDS];
      const count = Math.min(1 + this.#chance.below(AT_ONCE_MAX), operations - this.#history.length);
      const together = Array.from({ length: count }, () => someOperation(this.#chance, free));
      this.#history.push(...together);
      await Promise.all(together.map((operation) => this.#told(() => this.#apply(operation), idsIn(operation))));
      await this.#told(() => this.#goOnScanning(), []);
      await this.#told(() => this.#goOnSearching(), []);
      if (this.#history.length >= restartAt) {
        await this.#told(() => this.#restart(), []);
        restartAt += RESTART_EVERY;
      }
    }
    this.#endScan();
    this.#endSearch();
    await this.#told(() => this.#compareAll(), []);
  }

  /** Tells how a failure comes again, and which changes of the operation's documents came before. */
  async #told(work: () => Promise<void>, ids: readonly unknown[]): Promise<void> {
    try {
      await work();
    } catch (error) {
      const done = this.#history.length;
      const before = this.#history.filter((operation) => idsIn(operation).some((id) => ids.includes(id)));
      const history = before.slice(-10).map((operation) => `  ${JSON.stringify(operation)}`);
      throw new Error(
        `${this.#kind} index, operation ${done}: PELORUS_MODEL_SEED=${SEED} PELORUS_MODEL_OPERATIONS=${2 * done}\n${history.join('\n')}`,
        { cause: error },
      );
    }
  }

  async #apply(operation: Operation): Promise<void> {
    switch (operation.do) {
      case 'add':
        return this.#add(operation);
      case 'update': {
        const expected = this.#model.update(operation.documents);
        expect(outcomes(itemsOf(await update(this.#engine, 'a', operation.documents)))).toEqual(expected);
        return;
      }
      case 'delete': {
        const expected = this.#model.delete(operation.ids);
        const answer = await this.#engine.deleteDocuments('a', { documentIds: operation.ids, within: null });
        expect(outcomes(itemsOf(answer))).toEqual(expected);
        return;
      }
      case 'get':
        return this.#get(operation.ids);
    }
  }

  async #add({ documents, useExistingTensors }: Operation & { do: 'add' }): Promise<void> {
    const expected = this.#model.add(documents);
    const [own, place, weights] = [{ type: 'custom_vector' }, { type: 'geo_point' }, { type: 'sparse_vector' }];
    const mappings = { own, place, weights, tokens: { type: 'multi_vector', dimensions: 2 } };
    const { response } = await add(this.#engine, 'a', documents, {
      ...{ useExistingTensors, reportsCreation: true },
      ...(this.#kind === 'structured' ? { tensorFields: [] } : { tensorFields, mappings }),
    });
    expect(outcomes(itemsOf(response))).toEqual(expected);
  }

  async #get(ids: readonly string[]): Promise<void> {
    const { results } = fromJson<{ results: Record<string, unknown>[] }>(
      (
        await this.#engine.getDocuments('a', {
          documentIds: ids,
          exposeFacets: true,
          exposeTensors: false,
          within: null,
        })
      ).body,
    );
    for (const [i, id] of ids.entries()) {
      const { _found, message: _message, status: _status, ...found } = results[i] ?? {};
      expect(_found, id).toBe(this.#model.read(id) !== undefined);
      if (_found === true) await this.#compare(id, found);
    }
    const [id = ''] = ids;
    const one = await this.#engine.getDocument('a', { documentId: id, exposeFacets: false, within: null });
    expect(one && fromJson(one)).toEqual(this.#model.read(id) ?? null);
  }

  /** A scan that goes on while others write, a page at a time; what it reads is as it was when it began. */
  async #goOnScanning(): Promise<void> {
    if (this.#scan === undefined) {
      if (!this.#chance.once(3)) return;
      const request = {
        filter: null,
        within: null,
        attributesToRetrieve: null,
        exposeFacets: false,
        exposeTensors: false,
      };
      const scan = await this.#engine.scanDocuments('a', request);
      this.#scan = { scan, expected: this.#model.snapshot(), next: 0, found: [] };
    }
    const { scan, expected, next, found } = this.#scan;
    const page: ScanPage = await scan.page(next, 1 + this.#chance.below(30));
    found.push(...fromJson<{ documents: Sent[] }>(page.body).documents);
    if (page.next !== undefined) {
      this.#scan.next = page.next;
      return;
    }
    this.#endScan();
    expect(byId(found)).toEqual(byId(expected.ids.map((id) => expected.read(id) as Sent)));
  }

  #endScan(): void {
    this.#scan?.scan.close();
    this.#scan = undefined;
  }

  /** A search for everything that goes on the same way, by one ranking. */
  async #goOnSearching(): Promise<void> {
    if (this.#search === undefined) {
      if (!this.#chance.once(3)) return;
      const ranked = await this.#engine.rank('a', lexicalPlan('*'), new Float32Array(0));
      this.#search = { ranked, expected: this.#model.snapshot(), found: [] };
    }
    const { ranked, expected, found } = this.#search;
    const page = await ranked.page(found.length, 1 + this.#chance.below(30));
    const { hits } = fromJson<{ hits: Sent[] }>(page);
    found.push(...hits.map(({ _score, ...document }) => document));
    if (found.length < ranked.count) return;
    this.#endSearch();
    expect(byId(found)).toEqual(byId(expected.ids.map((id) => expected.read(id) as Sent)));
  }

  #endSearch(): void {
    this.#search?.ranked.close();
    this.#search = undefined;
  }

  async #restart(): Promise<void> {
    await this.#compareAll();
    if (this.#source.reopen === undefined) return;
    this.#endScan();
    this.#endSearch();
    await this.#engine.close();
    this.#engine = await this.#source.reopen(this.#engine);
    onTestFinished(() => this.#source.remove(this.#engine));
    await this.#compareAll();
  }

  /** All documents with their vectors, the number of them, and what filters let through. */
  async #compareAll(): Promise<void> {
    const { ids } = this.#model;
    expect(await this.#engine.stats('a')).toMatchObject({ numberOfDocuments: ids.length });
    const documents = await this.#read(null);
    expect(documents.map(({ _id }) => _id).toSorted()).toEqual([...ids].toSorted());
    for (const document of documents) await this.#compare(document._id as string, document);

    const read = ids.map((id) => this.#model.read(id) as Sent);
    const filters: readonly (readonly [filter: string, passes: (document: Sent) => boolean])[] = [
      ['count:[5 TO 12]', ({ count }) => Number(count) >= 5 && Number(count) <= 12],
      ['price:[* TO 7.25]', ({ price }) => Number(price) <= 7.25],
      ['sold:true', ({ sold }) => sold === true],
      ['tags:plum', ({ tags }) => (tags as string[] | undefined)?.includes('plum') === true],
      ['place EXISTS', ({ place }) => place !== undefined],
      ['note:pear AND NOT sold:true', ({ note, sold }) => note === 'pear' && sold !== true],
    ];
    for (const [filter, passes] of filters) {
      const found = await this.#read(filter);
      expect(found.map(({ _id }) => _id).toSorted(), filter).toEqual(
        read
          .filter(passes)
          .map(({ _id }) => _id)
          .toSorted(),
      );
    }
  }

  async #read(filter: string | null): Promise<Sent[]> {
    const request = { filter, within: null, attributesToRetrieve: null, exposeFacets: true, exposeTensors: false };
    const scan = await this.#engine.scanDocuments('a', request);
    const found: Sent[] = [];
    for (let next: number | undefined = 0; next !== undefined; ) {
      const page: ScanPage = await scan.page(next, 50);
      found.push(...fromJson<{ documents: Sent[] }>(page.body).documents);
      next = page.next;
    }
    scan.close();
    return found;
  }

  async #compare(id: string, { _tensor_facets, ...document }: Sent): Promise<void> {
    expect(document).toEqual(this.#model.read(id));
    const expected = await Promise.all(
      Object.entries(this.#model.chunks(id)).map(async ([field, { text, own }]) => {
        const vector = own ?? (await this.#vectorOf(text));
        return { [field]: text, _embedding: vector.map((number) => expect.closeTo(number, 5)) };
      }),
    );
    expect(byField(_tensor_facets as Sent[]), id).toEqual(byField(expected));
  }

  async #vectorOf(text: string): Promise<readonly number[]> {
    const known = this.#vectors.get(text) ?? [...(await embed(text))];
    this.#vectors.set(text, known);
    return known;
  }
}

function idsIn(operation: Operation): readonly unknown[] {
  return 'ids' in operation ? operation.ids : operation.documents.map(({ _id }) => _id);
}

const outcomes = (items: readonly Item[]) => items.map(({ _id, status }) => ({ _id, status }));

function byId(documents: readonly Sent[]): readonly Sent[] {
  return documents.toSorted((a, b) => (String(a._id) < String(b._id) ? -1 : 1));
}

function byField(facets: readonly Sent[]): readonly Sent[] {
  const field = (facet: Sent) => Object.keys(facet).find((name) => name !== '_embedding') ?? '';
  return facets.toSorted((a, b) => (field(a) < field(b) ? -1 : 1));
}

/** After any operations on documents, in any order and many at once, an index holds the same as a map of them. */
export function randomOperationPromises(source: EngineSource): void {
  const operations = Number(process.env.PELORUS_MODEL_OPERATIONS ?? source.randomOperations ?? OPERATIONS);
  test.each(['unstructured', 'structured'] as const)(
    'an index that is %s holds what the model does',
    // Only what hangs meets the limit.
    { timeout: 60_000 + 100 * operations },
    async (kind) => {
      const engine = await openFor(source);
      await new Run(source, engine, kind).all(Math.ceil(operations / 2));
    },
  );
}
