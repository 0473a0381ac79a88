import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { add, definition, fromJson, lexicalLeg, tensorPlan, toJson, update } from '../conformance/fixtures.js';
import { expectSameContents } from '../conformance/same-contents.js';
import { storageEngineSuite } from '../conformance/suite.js';
import { DualEngine, type DualOptions, EmbeddedEngine, type StorageEngine } from '../src/index.js';
import { openEngine } from './support.js';

/** The time for copies, which only one that hangs takes. */
const SETTLED_MS = 60_000;

const parts = new WeakMap<StorageEngine, { first: StorageEngine; second: StorageEngine; folder: string }>();

async function openDual(folder: string): Promise<DualEngine> {
  const [first, second] = [await EmbeddedEngine.open(join(folder, 'a')), await EmbeddedEngine.open(join(folder, 'b'))];
  const dual = await DualEngine.open(first, second);
  parts.set(dual, { first, second, folder });
  return dual;
}

const partsOf = (engine: StorageEngine) => {
  const found = parts.get(engine);
  if (found === undefined) throw new Error('the engine was opened by another source');
  return found;
};

storageEngineSuite('two embedded engines', {
  open: async () => openDual(await mkdtemp(join(tmpdir(), 'pelorus-dual-'))),
  reopen: (closed) => openDual(partsOf(closed).folder),
  remove: async (engine) => {
    const { first, second, folder } = partsOf(engine);
    try {
      // The second engine has all that a test of the suite did; some tests close the engine before.
      const isOpen = await first.listIndexes().then(
        (names) => names.length > 0,
        () => false,
      );
      if (isOpen && engine instanceof DualEngine && (await engine.health()).status === 'green') {
        expect(await engine.settled(SETTLED_MS)).toBe(true);
        await expectSameContents(second, first);
      }
    } finally {
      await engine.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
  randomOperations: 400,
});

/** Two engines, and what is done to the second one's calls. */
async function openTwo(options: DualOptions = {}, change: (second: StorageEngine) => StorageEngine = (one) => one) {
  const [first, second] = [await openEngine(), await openEngine()];
  const dual = await DualEngine.open(first, change(second), options);
  onTestFinished(() => dual.close());
  return { dual, first, second };
}

/** An engine that fails as a test says. */
function failing(engine: StorageEngine, failure: () => Error | undefined): StorageEngine {
  return new Proxy(engine, {
    get: (target, member: keyof StorageEngine) => {
      const method = (target[member] as (...given: unknown[]) => unknown).bind(target);
      return async (...given: unknown[]) => {
        const error = member === 'close' ? undefined : failure();
        if (error !== undefined) throw error;
        return method(...given);
      };
    },
  });
}

const away = () => Object.assign(new Error('nobody answers'), { code: 'backend_communication_error' });

describe('a second engine', () => {
  test('keeps no write from being acknowledged while it is away, is told by health and the log, and gets all of it later', async () => {
    let isAway = false;
    const told: string[] = [];
    const warn = (message: string) => void told.push(message);
    const { dual, first, second } = await openTwo({ warn }, (one) => failing(one, () => (isAway ? away() : undefined)));
    await dual.createIndex('a', definition);
    await add(dual, 'a', [
      { _id: '1', title: 'red' },
      { _id: '2', title: 'blue' },
    ]);
    expect(await dual.settled(SETTLED_MS)).toBe(true);
    isAway = true;
    await add(dual, 'a', [{ _id: '3', title: 'green' }]);
    await update(dual, 'a', [{ _id: '1', title: 'pink' }]);
    await dual.deleteDocuments('a', { documentIds: ['2'], within: null });
    await dual.putQueries('a', { queries: [{ query: 'red', popularity: 1, metadata: '{}' }] });
    await expect.poll(async () => (await dual.health()).status).toBe('yellow');
    const [gap] = (await dual.health()).indexes;
    expect(gap).toMatchObject({ name: 'a', status: 'yellow', code: 'dual_write_behind' });
    expect(gap?.reason).toMatch(/ for the second engine since .*, and the copy is tried again: nobody answers$/);
    expect(await dual.dualWrite('a')).toMatchObject({
      isAlike: false,
      state: 'behind',
      documents: { first: 2, second: null },
    });
    expect(told).toEqual([expect.stringContaining('cannot be copied to the second engine')]);
    expect((await second.stats('a')).numberOfDocuments).toBe(2);
    isAway = false;
    expect(await dual.settled(SETTLED_MS)).toBe(true);
    await expectSameContents(second, first);
    expect((await dual.health()).status).toBe('green');
    expect(told).toHaveLength(2);
  });

  test('refuses an index: this is told, and a repair tries again', async () => {
    let isRefused = true;
    const refusal = () => Object.assign(new Error('no such graph'), { code: 'invalid_argument' });
    const { dual, first, second } = await openTwo({}, (one) => failing(one, () => (isRefused ? refusal() : undefined)));
    await dual.createIndex('a', definition);
    await expect.poll(async () => (await dual.dualWrite('a')).state).toBe('refused');
    await add(dual, 'a', [{ _id: '1', title: 'red' }]);
    expect((await dual.health()).indexes).toMatchObject([
      { name: 'a', reason: expect.stringContaining('no such graph') },
    ]);
    isRefused = false;
    await dual.repairDualWrite('a');
    expect(await dual.settled(SETTLED_MS)).toBe(true);
    await expectSameContents(second, first);
  });
});

test('indexes that were there before, and differ, are copied when it is opened', async () => {
  const [first, second] = [await openEngine(), await openEngine()];
  const number = '9007199254740993';
  for (const [engine, ids] of [
    [first, ['1', '2', 'é"\\']],
    [second, ['2', 'old']],
  ] as const) {
    await engine.createIndex('a', definition);
    await add(
      engine,
      'a',
      ids.map((_id) => ({ _id, title: `red. ${ids.length}` })),
    );
  }
  const exact = await first.prepareUpdate('a', Buffer.from(`{"documents":[{"_id":"1","long":${number}}]}`));
  await exact.apply({ maxDocBytes: null, within: null });
  await second.createIndex('second alone', definition);
  const dual = await DualEngine.open(first, second);
  onTestFinished(() => dual.close());
  expect(await dual.settled(SETTLED_MS)).toBe(true);
  expect(await second.listIndexes()).toContain('second alone');
  await second.dropIndex('second alone');
  await expectSameContents(second, first);
  const body = await second.getDocument('a', { documentId: '1', exposeFacets: false, within: null });
  expect(body?.toString()).toContain(number);
});

test('indexes in step when it was closed are not copied again, and others are', async () => {
  const [first, second] = [await openEngine(), await openEngine()];
  let saved: readonly string[] = [];
  const record = (inStep: readonly string[]) => ({
    inStep: new Set(inStep),
    save: async (names: readonly string[]) => {
      saved = names;
    },
  });
  const kept = (engine: StorageEngine) =>
    new Proxy(engine, {
      get: (target, member: keyof StorageEngine) =>
        member === 'close' ? async () => {} : (target[member] as () => unknown).bind(target),
    });
  const before = await DualEngine.open(kept(first), kept(second), { record: record([]) });
  for (const name of ['a', 'b']) await before.createIndex(name, definition);
  await before.close();
  expect(saved).toEqual(['a', 'b']);
  // Writes that nobody copies show which index is copied later.
  for (const name of ['a', 'b']) await add(first, name, [{ _id: '1', title: 'red' }]);
  const dual = await DualEngine.open(kept(first), kept(second), { record: record(['a']) });
  expect(await dual.settled(SETTLED_MS)).toBe(true);
  const counts = await Promise.all(['a', 'b'].map(async (name) => (await second.stats(name)).numberOfDocuments));
  expect(counts).toEqual([0, 1]);
  await dual.close();
});

test('searches are compared, and engines told to be alike or not', async () => {
  const { dual, second } = await openTwo();
  await dual.createIndex('a', definition);
  await add(
    dual,
    'a',
    Array.from({ length: 30 }, (_, at) => ({ _id: `d${at}`, title: `red ${'ship '.repeat(at % 9)}` })),
  );
  expect(await dual.settled(SETTLED_MS)).toBe(true);
  const plan = {
    ...tensorPlan,
    retrievalMethod: 'lexical',
    rankingMethod: 'lexical',
    tensor: null,
    lexical: lexicalLeg('ship'),
  } as const;
  const searched = async (times: number) => {
    const { count: before } = (await dual.dualWrite('a')).searches;
    for (let at = 1; at <= times; at += 1) {
      await dual.search('a', plan, new Float32Array(0));
      await expect.poll(async () => (await dual.dualWrite('a')).searches.count).toBe(before + at);
    }
  };
  await searched(19);
  expect(await dual.dualWrite('a')).toMatchObject({ isAlike: false, state: 'in_step', searches: { overlapAt10: 1 } });
  await searched(1);
  expect(await dual.dualWrite('a')).toMatchObject({
    isAlike: true,
    documents: { first: 30, second: 30 },
    searches: { count: 20, failures: 0, lastFailure: null, overlapAt10: 1, different: [] },
  });
  const { hits } = fromJson<{ hits: { _id: string }[] }>(await second.search('a', plan, new Float32Array(0)));
  const [gone] = hits.map(({ _id }) => _id);
  await second.deleteDocuments('a', { documentIds: [gone as string], within: null });
  await searched(1);
  const { isAlike, documents, searches } = await dual.dualWrite('a');
  expect([isAlike, documents]).toEqual([false, { first: 30, second: 29 }]);
  expect(searches.different).toMatchObject([{ overlapAt10: 0.9, onlyFirst: [gone] }]);
  await dual.repairDualWrite('a');
  expect(await dual.settled(SETTLED_MS)).toBe(true);
  expect(await dual.dualWrite('a')).toMatchObject({ documents: { first: 30, second: 30 }, searches: { count: 0 } });
  expect(toJson(plan).length).toBeGreaterThan(0);
});

test('copies of indexes are those of the first engine, and what is made of one gets to the second engine too', async () => {
  const { dual, second } = await openTwo();
  await dual.createIndex('a', definition);
  await add(dual, 'a', [
    { _id: '1', title: 'red' },
    { _id: '2', title: 'blue' },
  ]);
  const copy = await dual.copies?.begin('a');
  const restored = await dual.copies?.restore('b');
  if (copy === undefined || restored === undefined) throw new Error('the first engine has copies');
  for (let piece = await copy.nextPiece(); piece !== null; piece = await copy.nextPiece()) await restored.add(piece);
  copy.close();
  await restored.finish();
  await restored.close();
  expect(await dual.settled(SETTLED_MS)).toBe(true);
  expect(await dual.dualWrite('b')).toMatchObject({ state: 'in_step', documents: { first: 2, second: 2 } });
  expect((await second.stats('b')).numberOfDocuments).toBe(2);
});

test('there are no copies where the first engine has none', async () => {
  const [first, second] = [await openEngine(), await openEngine()];
  const without = new Proxy<StorageEngine>(first, {
    get: (target, member: keyof StorageEngine) => {
      const found = member === 'copies' ? undefined : target[member];
      return typeof found === 'function' ? found.bind(target) : found;
    },
  });
  const dual = await DualEngine.open(without, second);
  onTestFinished(() => dual.close());
  expect(dual.copies).toBeUndefined();
});
