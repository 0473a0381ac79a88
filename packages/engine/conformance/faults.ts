import { expect, test } from 'vitest';
import { isEngineError, type SearchPlan, type StorageEngine } from '../src/index.js';
import {
  add,
  addOptions,
  definition,
  dimensions,
  EMBEDDED,
  embed,
  lexicalPlan,
  openFor,
  rowsOf,
  tensorLeg,
  tensorPlan,
  toJson,
  update,
} from './fixtures.js';
import { putQueries, suggestedBy } from './suggestions.js';
import { type EngineSource, testOf } from './suite.js';

/** The code that a call fails with. */
async function codeOf(call: () => Promise<unknown>): Promise<string> {
  const failure = await Promise.resolve()
    .then(call)
    .then(
      () => new Error('no failure'),
      (error: unknown) => error,
    );
  if (!isEngineError(failure)) return `not an engine's error: ${failure}`;
  expect(failure.message).not.toBe('');
  return failure.code;
}

/** Every call that names an index. */
function callsOf(engine: StorageEngine, index: string): Record<string, () => Promise<unknown>> {
  return {
    dropIndex: () => engine.dropIndex(index),
    redefineIndex: () => engine.redefineIndex(index, definition),
    definition: () => engine.definition(index),
    stats: () => engine.stats(index),
    getDocument: () => engine.getDocument(index, { documentId: '1', exposeFacets: false, within: null }),
    getDocuments: () =>
      engine.getDocuments(index, { documentIds: ['1'], exposeFacets: false, exposeTensors: false, within: null }),
    deleteDocuments: () => engine.deleteDocuments(index, { documentIds: ['1'], within: null }),
    search: async () => engine.search(index, tensorPlan, await embed('red')),
    putQueries: () => putQueries(engine, index, 'red'),
    getQueries: () => engine.getQueries(index, { queries: ['red'] }),
    scanQueries: () => engine.scanQueries(index, { cursor: null, limit: 1 }),
    deleteQueries: () => engine.deleteQueries(index, { queries: ['red'] }),
    deleteAllQueries: () => engine.deleteAllQueries(index),
    suggest: () => suggestedBy(engine, index, 'red'),
    add: () => add(engine, index, [{ _id: '1', title: 'red' }]),
    update: () => update(engine, index, [{ _id: '1', price: 1 }]),
  };
}

/** Calls that must fail, each with its code. */
export function faultPromises(source: EngineSource): void {
  const withIndex = async () => {
    const engine = await openFor(source);
    await engine.createIndex('a', definition);
    return engine;
  };

  test('a call that names no index fails with index_not_found', async () => {
    const engine = await openFor(source);
    for (const [name, call] of Object.entries(callsOf(engine, 'nothing'))) {
      expect(await codeOf(call), name).toBe('index_not_found');
    }
  });

  test('so does every call after the index was dropped, and every one after close', async () => {
    const engine = await withIndex();
    await engine.definition('a');
    await engine.dropIndex('a');
    for (const [name, call] of Object.entries(callsOf(engine, 'a'))) {
      expect(await codeOf(call), name).toBe('index_not_found');
    }
    await engine.createIndex('a', definition);
    await engine.definition('a');
    await engine.close();
    for (const [name, call] of Object.entries(callsOf(engine, 'a'))) {
      expect(await codeOf(call), name).toBe('index_not_found');
    }
    await engine.close();
  });

  test('a name that is taken fails with index_already_exists', async () => {
    const engine = await withIndex();
    expect(await codeOf(() => engine.createIndex('a', definition))).toBe('index_already_exists');
    const both = await Promise.all([1, 2].map(() => codeOf(() => engine.createIndex('b', definition))));
    expect(both.toSorted()).toEqual(['index_already_exists', "not an engine's error: Error: no failure"]);
  });

  testOf(source, 'updates').each([
    ['{"documents": [}', { line: 1, column: 16, endsEarly: false }],
    ['{\n"documents":\n [{"a": tru}]}', { line: 3, column: 12, endsEarly: false }],
    ['{"documents": [{"a"', { line: 1, endsEarly: true }],
    ['', { endsEarly: true }],
  ])('a body that is no JSON fails with json_decode_error and says where: %j', async (body, details) => {
    const engine = await withIndex();
    const splits = [
      () => engine.prepareAdd('a', Buffer.from(body)),
      () => engine.prepareUpdate('a', Buffer.from(body)),
    ];
    for (const split of splits) {
      const failure = await split().catch((error: unknown) => error);
      if (!isEngineError(failure, 'json_decode_error')) throw failure;
      expect(failure.details).toEqual({ line: expect.any(Number), column: expect.any(Number), ...details });
    }
  });

  test('a batch is prepared once, and then applied once', async () => {
    const engine = await withIndex();
    const batch = await engine.prepareAdd('a', toJson({ documents: [{ _id: '1', title: 'red' }] }));
    const rows = await rowsOf(['red']);
    expect(await codeOf(() => batch.apply(rows, EMBEDDED))).toBe('invalid_argument');
    await batch.prepare(addOptions);
    expect(await codeOf(() => batch.prepare(addOptions))).toBe('invalid_argument');
    await batch.apply(rows, EMBEDDED);
    expect(await codeOf(() => batch.apply(rows, EMBEDDED))).toBe('invalid_argument');
  });

  testOf(source, 'updates')('an update is applied once', async () => {
    const engine = await withIndex();
    const batch = await engine.prepareUpdate('a', toJson({ documents: [{ _id: '1' }] }));
    await batch.apply({ maxDocBytes: null, within: null });
    expect(await codeOf(() => batch.apply({ maxDocBytes: null, within: null }))).toBe('invalid_argument');
  });

  test('vectors that are not one finite row for each input are refused, and nothing is stored', async () => {
    const engine = await withIndex();
    const notFinite = new Float32Array(dimensions).fill(Number.NaN);
    const beyond = [{ row: 1, message: 'there is one input only' }];
    for (const [rows, report] of [
      [new Float32Array(0), EMBEDDED],
      [await rowsOf(['red', 'green']), EMBEDDED],
      [notFinite, EMBEDDED],
      [await rowsOf(['red']), { failures: beyond, parts: [] }],
      [await rowsOf(['red']), { failures: [], parts: [{ row: 0, chunks: ['left', 'right'] }] }],
      [new Float32Array(0), { failures: [], parts: [{ row: 0, chunks: [] }] }],
    ] as const) {
      const batch = await engine.prepareAdd('a', toJson({ documents: [{ _id: '1', title: 'red' }] }));
      await batch.prepare(addOptions);
      expect(await codeOf(() => batch.apply(rows, report))).toBe('internal');
    }
    expect(await engine.stats('a')).toMatchObject({ numberOfDocuments: 0 });
  });

  testOf(source, 'searches').each<[string, SearchPlan, string]>([
    ['a filter that cannot be read', { ...tensorPlan, filter: 'brand:(' }, 'invalid_argument'],
    ['an unknown tensor field', { ...tensorPlan, tensor: { ...tensorLeg, fields: ['nope'] } }, 'invalid_field_name'],
    ['an unknown text field', lexicalPlan('red', ['nope']), 'invalid_field_name'],
    ['weights without rows', { ...tensorPlan, tensor: { ...tensorLeg, weights: [1, 1] } }, 'invalid_argument'],
    ['a member of no plan', { ...tensorPlan, unheardOf: 1 } as SearchPlan, 'invalid_argument'],
  ])('a search is refused for %s', async (_, plan, code) => {
    const engine = await withIndex();
    await add(engine, 'a', [{ _id: '1', title: 'red' }]);
    const query = await embed('red');
    expect(await codeOf(() => engine.search('a', plan, query))).toBe(code);
  });
}
