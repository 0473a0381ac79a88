import {
  ConflictError,
  type Index,
  InvalidRequestError,
  NotFoundError,
  type Outcome,
  type Pelorus,
  UnsupportedOperationError,
} from '@pelorus/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

export interface Surface {
  readonly pelorus: Pelorus;
  close(): Promise<void>;
}

interface Note {
  readonly title: string;
  readonly minutes: number;
  readonly done?: boolean;
}

const NOTES: readonly (Note & { _id: string })[] = [
  { _id: '1', title: 'Sourdough for beginners', minutes: 90 },
  { _id: 'a/b ü', title: 'Puncture of a tyre', minutes: 20 },
  { _id: '3', title: 'Tomatoes and beans', minutes: 15 },
];

const many = (count: number) =>
  Array.from({ length: count }, (_, place) => ({ _id: `n${place}`, title: `note ${place}`, minutes: place }));

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** The tests of every implementation of the surface: that by HTTP, and that in one process with the engine. */
export function surfaceSuite(name: string, open: () => Promise<Surface>): void {
  describe(`the surface ${name}`, () => {
    let surface: Surface;
    let pelorus: Pelorus;
    let notes: Index<Note>;

    beforeAll(async () => {
      surface = await open();
      pelorus = surface.pelorus;
      notes = await pelorus.createIndex<Note>('notes', { model: 'random/small' });
      await notes.add(NOTES, { tensorFields: ['title'] });
    });
    afterAll(() => surface?.close());

    /** A new index with documents that are found by words and filters alone. */
    async function filled(indexName: string, count: number): Promise<Index<Note>> {
      const index = await pelorus.createIndex<Note>(indexName, { model: 'random/small' });
      const { stored } = await index.add(many(count), { batchSize: 128 });
      expect(stored).toBe(count);
      return index;
    }

    test('searches by a text alone, and by everything that a search takes', async () => {
      expect((await notes.search('sourdough for beginners')).hits[0]?.title).toBe('Sourdough for beginners');
      const { hits, totalHits, facets } = await notes.search({
        ...{ q: 'tyre tomatoes', searchMethod: 'HYBRID', filter: 'minutes:[* TO 30]' },
        facets: { fields: { minutes: { type: 'number' } } },
      });
      expect(hits.map(({ _id }) => _id).sort()).toEqual(['3', 'a/b ü']);
      expect(hits[0]?._score).toBeGreaterThan(0);
      expect(totalHits).toBe(2);
      expect(facets?.minutes).toMatchObject({ count: 2, max: 20 });
    });

    test('gets documents by ids of any letters, and null for each that is not there', async () => {
      expect(await notes.get('a/b ü')).toEqual(NOTES[1]);
      expect(await notes.getMany(['3', 'absent', '1'])).toEqual([NOTES[2], null, NOTES[0]]);
      expect(await notes.getMany(['1', '1'])).toEqual([NOTES[0], NOTES[0]]);
      expect(await notes.getMany([])).toEqual([]);
    });

    test('finds documents whose ids no path can carry, and refuses such names of indexes', async () => {
      const index = await pelorus.createIndex('dots', { model: 'random/small' });
      await index.add([{ _id: '.' }, { _id: '..' }]);
      for (const id of ['.', '..']) expect(await index.get(id)).toEqual({ _id: id });
      const long = '日'.repeat(2_048);
      expect(await failureOf(index.get(long))).toMatchObject({ name: 'NotFoundError', code: 'document_not_found' });
      await index.add([{ _id: long }]);
      expect(await index.get(long)).toEqual({ _id: long });
      expect(await failureOf(index.get('\ud800'))).toMatchObject({ name: 'InvalidRequestError', status: 422 });
      expect(await failureOf(notes.get('..'))).toMatchObject({ name: 'NotFoundError', code: 'document_not_found' });
      for (const call of [notes.get(''), notes.getMany(['1', ''])]) {
        expect(await failureOf(call)).toMatchObject({ name: 'PelorusError', code: 'document_unreadable', status: 400 });
      }
      for (const name of ['', '.', '..', 'a\udc00']) {
        const calls = [pelorus.index(name).search('x'), pelorus.index(name).add([{}]), pelorus.deleteIndex(name)];
        for (const error of await Promise.all(calls.map(failureOf))) expect(error).toBeInstanceOf(TypeError);
      }
    });

    test('lists indexes, and tells settings, counts and health', async () => {
      expect(await pelorus.listIndexes()).toContain('notes');
      expect(await notes.settings()).toMatchObject({ model: 'random/small', type: 'unstructured' });
      expect(await notes.stats()).toMatchObject({ numberOfDocuments: 3, numberOfVectors: 3 });
      expect((await notes.health()).status).toBe('green');
      expect((await pelorus.health()).status).toBe('green');
    });

    test('sets rules and synonyms, lists their versions and brings one back', async () => {
      const index = await filled('curated', 3);
      expect(await index.curation()).toMatchObject({ version: 0, rules: [], synonyms: [] });
      const rules = [{ id: 'r', condition: { query: 'x' }, consequence: { hidden: ['n1'] } }];
      expect(await index.setCuration({ rules })).toMatchObject({ version: 1, rules, synonyms: [] });
      expect(await index.setCuration({})).toMatchObject({ version: 2, rules: [] });
      expect(await index.rollBackCuration(1)).toMatchObject({ version: 3, rules });
      expect((await index.curationVersions()).map(({ version }) => version)).toEqual([3, 2, 1, 0]);
      await expect(index.rollBackCuration(9)).rejects.toThrow('version must be one that is kept (3, 2, 1, 0)');
      const searchDefaults = { stopWords: 'auto', hybridParameters: { alpha: 0.3 } } as const;
      expect(await index.setCuration({ searchDefaults })).toMatchObject({ version: 4, rules: [], searchDefaults });
      const explained = await index.search({ q: 'the', searchMethod: 'LEXICAL', explain: true });
      expect(explained.searchDefaults).toEqual(['stopWords']);
    });

    test('adds from an array, an iterable and an async iterable, with an outcome for each in order', async () => {
      const index = await pelorus.createIndex<Note>('sources', { model: 'random/small' });
      async function* asked() {
        for (const note of many(30)) yield note;
      }
      const progress: number[] = [];
      const report = await index.add(asked(), {
        ...{ batchSize: 7, concurrency: 3 },
        onProgress: ({ stored }) => progress.push(stored),
      });
      expect(report).toMatchObject({ stored: 30, failed: 0 });
      expect(report.outcomes.map(({ position, id }) => [position, id])).toEqual(
        many(30).map(({ _id }, place) => [place, _id]),
      );
      expect(progress).toHaveLength(5);
      expect(progress.at(-1)).toBe(30);
      expect((await index.add(new Set(many(5)))).stored).toBe(5);
      expect((await index.add([])).stored).toBe(0);
      expect((await index.stats()).numberOfDocuments).toBe(30);
    });

    test('makes ids for documents that have none, and tells them', async () => {
      const index = await pelorus.createIndex('nameless', { model: 'random/small' });
      const { outcomes } = await index.add([{ title: 'one' }, { title: 'two' }]);
      const ids = outcomes.map(({ id }) => id);
      expect(new Set(ids).size).toBe(2);
      expect((await index.getMany(ids)).map((document) => document?.title)).toEqual(['one', 'two']);
    });

    test('stores the good documents of a batch and tells why each other one is refused', async () => {
      const index = await pelorus.createIndex('refusals', { model: 'random/small' });
      const circle: Record<string, unknown> = { _id: 'circle' };
      circle.self = circle;
      const documents = [{ _id: 'good' }, { _id: 7 as unknown as string }, circle, { _id: 'last' }];
      const { stored, failed, outcomes } = await index.add(documents);
      expect([stored, failed]).toEqual([2, 2]);
      expect(outcomes.map(({ status }) => status)).toEqual([200, 400, 400, 200]);
      expect(outcomes[1]).toMatchObject({ code: 'invalid_document_id', message: expect.stringContaining('_id') });
      expect(outcomes[2]).toMatchObject({ position: 2, id: 'circle', code: 'invalid_argument' });
      expect((await index.stats()).numberOfDocuments).toBe(2);
    });

    test('gives outcomes to who asks for them, and keeps none then', async () => {
      const told: Outcome[] = [];
      const report = await notes.add([NOTES[0], NOTES[0]] as typeof NOTES, {
        ...{ tensorFields: ['title'] },
        onOutcomes: (outcomes) => told.push(...outcomes),
      });
      expect(report).toEqual({ stored: 2, failed: 0, outcomes: [] });
      expect(told.map(({ position }) => position)).toEqual([0, 1]);
    });

    test('keeps the later of two documents of one id, however many requests are under way', async () => {
      const index = await pelorus.createIndex<{ round: number }>('doubles', { model: 'random/small' });
      const documents = Array.from({ length: 40 }, (_, round) => ({ _id: `${round % 4}`, round }));
      expect((await index.add(documents, { batchSize: 3, concurrency: 8 })).stored).toBe(40);
      expect((await index.getMany(['0', '1', '2', '3'])).map((one) => one?.round)).toEqual([36, 37, 38, 39]);
    });

    test('changes fields, removes one by null, and refuses what is not there', async () => {
      const index = await filled('changes', 3);
      await index.add([{ _id: 'n1', title: 'note 1', minutes: 1, done: true }]);
      const { outcomes, stored } = await index.update([
        { _id: 'n0', minutes: 7 },
        { _id: 'n1', done: null },
        { _id: 'absent', minutes: 1 },
      ]);
      expect(stored).toBe(2);
      expect(outcomes.map(({ status }) => status)).toEqual([200, 200, 400]);
      expect(await index.getMany(['n0', 'n1'])).toEqual([
        { _id: 'n0', title: 'note 0', minutes: 7 },
        { _id: 'n1', title: 'note 1', minutes: 1 },
      ]);
    });

    test('deletes more ids than one request takes, and tells which were there', async () => {
      const index = await filled('deletions', 200);
      const { deleted, items } = await index.delete([...many(200).map(({ _id }) => _id), 'absent']);
      expect([deleted, items.length]).toEqual([200, 201]);
      expect(items.at(-1)).toMatchObject({ _id: 'absent', result: 'not_found' });
      expect((await index.stats()).numberOfDocuments).toBe(0);
    });

    test('scans every document once, those of a filter alone, and as far as it is asked', async () => {
      const index = await filled('scans', 25);
      const read = await all(index.scan({ limit: 4 }));
      expect(read.map(({ _id, title }) => `${_id} ${title}`).sort()).toEqual(
        many(25)
          .map(({ _id, title }) => `${_id} ${title}`)
          .sort(),
      );
      expect(await all(index.scan({ filter: 'minutes:[0 TO 4]', limit: 2 }))).toHaveLength(5);
      const first = [];
      for await (const document of index.scan({ limit: 3, attributesToRetrieve: ['minutes'] })) {
        first.push(document);
        if (first.length === 4) break;
      }
      expect(first.map((document) => Object.keys(document).sort())).toEqual(Array(4).fill(['_id', 'minutes']));
    });

    test('reads on in one ranking, page by page, whatever is written meanwhile', async () => {
      const index = await filled('pages', 25);
      const query = { q: 'note', searchMethod: 'LEXICAL', limit: 10 } as const;
      const ids: string[] = [];
      for await (const { hits } of index.pages(query)) {
        ids.push(...hits.map(({ _id }) => _id));
        await index.delete(['n24']);
      }
      expect([ids.length, new Set(ids).size]).toEqual([25, 25]);
    });

    test('runs several searches in one call, and gives the error of each that is refused', async () => {
      const [found, absent, misspelt] = await pelorus.multiSearch<Note>([
        { indexName: 'notes', q: 'tyre', searchMethod: 'LEXICAL' },
        { indexName: 'absent', q: 'tyre' },
        { indexName: 'notes', q: 'tyre', searchMethod: 'LEXICAL', filter: 'minutes:(' },
      ]);
      expect(found).toMatchObject({ hits: [{ _id: 'a/b ü' }] });
      expect(absent).toBeInstanceOf(NotFoundError);
      expect(absent).toMatchObject({ code: 'index_not_found' });
      expect(misspelt).toBeInstanceOf(InvalidRequestError);
      expect(await failureOf(pelorus.multiSearch([]))).toBeInstanceOf(InvalidRequestError);
    });

    test('fails with an error of the class and code of the refusal', async () => {
      const absent = pelorus.index('absent');
      const calls = [absent.search('x'), absent.stats(), absent.add([{ _id: '1' }]), absent.scan().next()];
      for (const error of await Promise.all(calls.map(failureOf))) {
        expect(error).toBeInstanceOf(NotFoundError);
        expect(error).toMatchObject({ name: 'NotFoundError', status: 404, code: 'index_not_found', problems: [] });
      }
      expect(await failureOf(notes.get('absent'))).toMatchObject({ code: 'document_not_found' });
      const taken = await failureOf(pelorus.createIndex('notes'));
      expect(taken).toBeInstanceOf(ConflictError);
      expect(taken).toMatchObject({ code: 'index_already_exists' });
      expect(await failureOf(pelorus.createIndex('bad name'))).toMatchObject({ status: 400, code: 'invalid_argument' });
      const misspelt = await failureOf(notes.search({ q: 'x', limit: 'ten' as unknown as number }));
      expect(misspelt).toBeInstanceOf(InvalidRequestError);
      expect(misspelt).toMatchObject({ status: 422, problems: [{ field: 'limit', message: expect.any(String) }] });
      expect(await failureOf(pelorus.call('GET', '/nowhere'))).toBeInstanceOf(UnsupportedOperationError);
      expect(await failureOf(pelorus.call('PUT', '/indexes/notes/search'))).toMatchObject({
        ...{ name: 'UnsupportedOperationError', status: 405, code: 'method_not_allowed' },
        message: expect.stringMatching(/PUT .*\/indexes\/notes\/search is not served/),
      });
    });

    test('makes any other call of the interface', async () => {
      const { embeddings } = await pelorus.call<{ embeddings: number[][] }>('POST', '/indexes/notes/embed', {
        content: ['a text'],
      });
      expect(embeddings[0]?.length).toBeGreaterThan(0);
    });

    test('ends calls by a signal, with its reason, and stores nothing more', async () => {
      const reason = new Error('enough');
      const signal = AbortSignal.abort(reason);
      const calls = [notes.search('x', { signal }), notes.scan({ signal }).next(), notes.add(NOTES, { signal })];
      for (const error of await Promise.all(calls.map(failureOf))) expect(error).toBe(reason);
      const index = await pelorus.createIndex<Note>('ended', { model: 'random/small' });
      const ender = new AbortController();
      async function* endless() {
        for (const note of many(10)) yield note;
        ender.abort(reason);
        yield { _id: 'late', title: 'late', minutes: 0 };
        await new Promise(() => undefined);
      }
      expect(await failureOf(index.add(endless(), { batchSize: 5, signal: ender.signal }))).toBe(reason);
      expect(await index.getMany(['late'])).toEqual([null]);
    });

    test('ends with what the documents throw, after those before are stored', async () => {
      const index = await pelorus.createIndex<Note>('broken', { model: 'random/small' });
      const broken = new Error('the file ends here');
      function* documents() {
        yield* many(10);
        throw broken;
      }
      expect(await failureOf(index.add(documents(), { batchSize: 4 }))).toBe(broken);
      expect((await index.stats()).numberOfDocuments).toBe(8);
    });

    test('refuses options that cannot be used before anything is sent', async () => {
      expect(await failureOf(notes.add(NOTES, { batchSize: 0 }))).toBeInstanceOf(TypeError);
      expect(await failureOf(notes.search('x', { timeoutMs: Number.NaN }))).toMatchObject({
        message: 'timeoutMs is NaN, but must be a whole number from 1 to 2147483647',
      });
    });

    test('calls an index by an alias, which is pointed elsewhere and deleted', async () => {
      const other = await filled('other-notes', 2);
      await pelorus.setAlias('best', 'notes');
      expect((await pelorus.index<Note>('best').stats()).numberOfDocuments).toBe(NOTES.length);
      expect(await failureOf(pelorus.deleteIndex('notes'))).toMatchObject({ status: 409, code: 'index_has_alias' });
      expect(await failureOf(pelorus.setAlias('notes', other.name))).toBeInstanceOf(ConflictError);
      await pelorus.changeAliases([
        { aliasName: 'best', indexName: other.name },
        { aliasName: 'more', indexName: 'notes' },
      ]);
      expect((await pelorus.listAliases()).map(({ aliasName, indexName }) => [aliasName, indexName])).toEqual([
        ['best', other.name],
        ['more', 'notes'],
      ]);
      expect((await pelorus.index<Note>('best').stats()).numberOfDocuments).toBe(2);
      await pelorus.changeAliases([{ aliasName: 'more', indexName: null }]);
      await pelorus.deleteAlias('best');
      expect(await failureOf(pelorus.deleteAlias('best'))).toBeInstanceOf(NotFoundError);
      expect(await failureOf(pelorus.setAlias('..', 'notes'))).toBeInstanceOf(TypeError);
    });

    test('keeps sets of judgements, each with its version', async () => {
      const way = { index: 'notes', search: { searchMethod: 'LEXICAL' } };
      const set = {
        queries: [{ q: 'kettle', judgements: { n1: 3 } }],
        configurations: [{ name: 'words', limit: 10, first: way, second: way }],
      };
      expect(await pelorus.putJudgementSet('notes', { ...set, version: 0 })).toMatchObject({
        version: 1,
        queryCount: 1,
      });
      expect(await pelorus.judgementSet('notes')).toMatchObject({ setName: 'notes', version: 1, ...set });
      expect((await pelorus.listJudgementSets()).map(({ setName }) => setName)).toEqual(['notes']);
      expect(await failureOf(pelorus.putJudgementSet('notes', { ...set, version: 0 }))).toBeInstanceOf(ConflictError);
      await pelorus.deleteJudgementSet('notes');
      expect(await failureOf(pelorus.judgementSet('notes'))).toBeInstanceOf(NotFoundError);
      expect(await failureOf(pelorus.judgementSet('..'))).toBeInstanceOf(TypeError);
    });

    test('tells the latest lines of the log, and the work that waits', async () => {
      const { logLevel, lines } = await pelorus.log({ level: 'error', after: 0, limit: 5 });
      expect(typeof logLevel).toBe('string');
      expect(lines.length).toBeLessThanOrEqual(5);
      expect(Array.isArray((await pelorus.log()).lines)).toBe(true);
      const { requests } = await pelorus.queues();
      expect(requests.map(({ load }) => load)).toEqual(['search', 'add', 'update']);
    });

    test('deletes an index with all it holds', async () => {
      await pelorus.createIndex('gone', { model: 'random/small' });
      await pelorus.deleteIndex('gone');
      expect(await pelorus.listIndexes()).not.toContain('gone');
      expect(await failureOf(pelorus.deleteIndex('gone'))).toBeInstanceOf(NotFoundError);
    });
  });
}
