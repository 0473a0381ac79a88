import { describe, expect, test } from 'vitest';
import type { BatchPolicy } from '../../src/runtime/batch-policy.js';
import type { Embeddings, Priority } from '../../src/runtime/encoder.js';
import { InferencePool, type PoolWorker } from '../../src/runtime/inference-pool.js';
import type { InputsBatch, SessionSpec, TokenBatch } from '../../src/runtime/messages.js';

/** A batch that a worker has taken and the test answers. */
interface Taken {
  readonly spec: SessionSpec;
  readonly normalize: boolean;
  readonly lengths: number[];
  /** Gives every text the vector `[its first id]`, or the failure that `fails` has for that id. */
  readonly answer: (fails?: Readonly<Record<number, string>>) => Promise<void>;
  /** Loses the whole batch. */
  readonly lose: (error: Error) => Promise<void>;
}

/** Lets what has been settled be heard of. */
const heard = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A worker that does nothing until the test says so. */
class HeldWorker implements PoolWorker {
  readonly taken: Taken[] = [];
  readonly released: number[] = [];
  /** The result of `load`. */
  loading: Promise<void> = Promise.resolve();
  isIdle = true;
  isClosed = false;

  load(): Promise<void> {
    return this.loading;
  }

  run(spec: SessionSpec, batch: InputsBatch, normalize: boolean): Promise<Embeddings> {
    const { ids, lengths } = batch as TokenBatch;
    expect(this.isIdle).toBe(true);
    this.isIdle = false;
    const { promise, resolve, reject } = Promise.withResolvers<Embeddings>();
    const firstIds = Array.from(
      lengths,
      (_, i) => ids[lengths.subarray(0, i).reduce((a, b) => a + b, 0)] ?? Number.NaN,
    );
    const end = (settle: () => void) => {
      this.isIdle = true;
      settle();
      return heard();
    };
    this.taken.push({
      spec,
      normalize,
      lengths: [...lengths],
      answer: (fails = {}) => end(() => resolve(embeddingsOf(firstIds, fails))),
      lose: (error) => end(() => reject(error)),
    });
    return promise;
  }

  release(id: number): void {
    this.released.push(id);
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }
}

function embeddingsOf(firstIds: readonly number[], fails: Readonly<Record<number, string>>): Embeddings {
  return {
    vectors: Float32Array.from(firstIds, (id) => (fails[id] === undefined ? id : 0)),
    failures: firstIds.flatMap((id, row) => (fails[id] === undefined ? [] : [{ row, message: fails[id] }])),
  };
}

const POLICY: BatchPolicy = { tokensMax: 30, inputsMax: 100, splitTokensMin: 10, queryRunMax: 16 };

function poolOf(count: number, policy: Partial<BatchPolicy> = {}) {
  const workers = Array.from({ length: count }, () => new HeldWorker());
  const pool = new InferencePool({ workers, batchPolicy: { ...POLICY, ...policy } });
  /** Batches in the order in which each worker took them. */
  const batch = (worker: number, at: number) => workers[worker]?.taken[at] as Taken;
  return { pool, workers, batch };
}

let nextId = 0;
const model = (): SessionSpec => ({ id: nextId++, device: 'cpu', dimensions: 1 });

/** Texts by their first ids and lengths. */
function encoded(...texts: readonly (readonly [id: number, length: number])[]) {
  const offsets = [0];
  for (const [, length] of texts) offsets.push((offsets.at(-1) ?? 0) + length);
  const ids = texts.flatMap(([id, length]) => Array<number>(length).fill(id));
  return { ids: Int32Array.from(ids), offsets: Uint32Array.from(offsets), failures: [], parts: [] };
}

const DOCUMENT = { priority: 'document', normalize: true } as const;
const QUERY = { priority: 'query', normalize: true } as const;

const vectorsOf = async (answer: Promise<Embeddings>) => [...(await answer).vectors];

describe('order', () => {
  test('vectors come in the order of the texts, whatever order batches are made and end in', async () => {
    const { pool, batch } = poolOf(2);
    const answer = pool.embed(model(), encoded([1, 20], [2, 5], [3, 18], [4, 6]), DOCUMENT);
    await batch(1, 0).answer();
    await batch(0, 0).answer();
    for (const worker of [0, 1]) await batch(worker, 1)?.answer();
    expect(await vectorsOf(answer)).toEqual([1, 2, 3, 4]);
  });

  test('no texts have no vectors, and bother nobody', async () => {
    const { pool, workers } = poolOf(1);
    expect(await vectorsOf(pool.embed(model(), encoded(), QUERY))).toEqual([]);
    expect(workers[0]?.taken).toEqual([]);
  });

  test('queries go before documents that came earlier, of any model', async () => {
    const { pool, batch } = poolOf(1);
    const [a, b] = [model(), model()];
    for (let i = 0; i < 2; i++) void pool.embed(a, encoded([1, 30]), DOCUMENT);
    void pool.embed(b, encoded([2, 30]), QUERY);
    await batch(0, 0).answer();
    expect(batch(0, 1).spec).toBe(b);
  });

  test('among models of one priority, the one asked first is served first', async () => {
    const { pool, batch } = poolOf(1);
    const [a, b, c] = [model(), model(), model()];
    for (const spec of [a, c, b]) void pool.embed(spec, encoded([1, 3]), DOCUMENT);
    await batch(0, 0).answer();
    await batch(0, 1).answer();
    expect([0, 1, 2].map((at) => batch(0, at).spec)).toEqual([a, c, b]);
  });

  test('after a run of queries waiting documents get a batch, so that they do not starve', async () => {
    const { pool, batch } = poolOf(1, { queryRunMax: 3 });
    const [asked, stored] = [model(), model()];
    for (let i = 0; i < 9; i++) void pool.embed(asked, encoded([1, 30]), QUERY);
    for (let i = 0; i < 2; i++) void pool.embed(stored, encoded([2, 30]), DOCUMENT);
    const kinds: Priority[] = [];
    for (let at = 0; at < 11; at++) {
      kinds.push(batch(0, at).spec === stored ? 'document' : 'query');
      await batch(0, at).answer();
    }
    const expected = ['query', 'query', 'query', 'document', 'query', 'query', 'query', 'document'];
    expect(kinds).toEqual([...expected, 'query', 'query', 'query']);
  });
});

describe('batches', () => {
  test('keep to the tokens of the policy, padding counted', async () => {
    const { pool, workers } = poolOf(1, { tokensMax: 30, splitTokensMin: 30 });
    const answer = pool.embed(model(), encoded([1, 9], [2, 10], [3, 10], [4, 9], [5, 40], [6, 1]), DOCUMENT);
    for (let at = 0; at < 3; at++) await workers[0]?.taken[at]?.answer();
    expect(workers[0]?.taken.map(({ lengths }) => lengths)).toEqual([[40], [9, 10, 10], [1, 9]]);
    expect(await vectorsOf(answer)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('keep to the inputs of the policy, however short they are', async () => {
    const { pool, workers } = poolOf(1, { tokensMax: 1000, inputsMax: 2 });
    const answer = pool.embed(model(), encoded([1, 3], [2, 1], [3, 2]), DOCUMENT);
    for (let at = 0; at < 2; at++) await workers[0]?.taken[at]?.answer();
    expect(workers[0]?.taken.map(({ lengths }) => lengths)).toEqual([[2, 3], [1]]);
    expect(await vectorsOf(answer)).toEqual([1, 2, 3]);
  });

  test('are shared among idle workers, though not below what keeps one busy', () => {
    const { workers, pool } = poolOf(3, { tokensMax: 1000, splitTokensMin: 10 });
    void pool.embed(model(), encoded(...Array.from({ length: 12 }, (_, i) => [i, 2] as const)), DOCUMENT);
    expect(workers.map(({ taken }) => taken.map(({ lengths }) => lengths.length))).toEqual([[5], [5], [2]]);
  });

  test('are not split for a worker that is alone, whatever their padding', () => {
    const { workers, pool } = poolOf(1, { tokensMax: 1000, splitTokensMin: 10 });
    void pool.embed(model(), encoded([1, 40], [2, 25], [3, 30]), DOCUMENT);
    expect(workers[0]?.taken.map(({ lengths }) => lengths)).toEqual([[25, 30, 40]]);
  });

  test('join texts of calls that wait for one model, and nobody else', async () => {
    const { pool, batch } = poolOf(1);
    const [a, b] = [model(), model()];
    void pool.embed(b, encoded([9, 30]), QUERY);
    const calls = [
      pool.embed(a, encoded([1, 4]), QUERY),
      pool.embed(a, encoded([2, 3]), QUERY),
      pool.embed(a, encoded([3, 3]), { ...QUERY, normalize: false }),
      pool.embed(a, encoded([4, 3]), DOCUMENT),
      pool.embed(b, encoded([5, 3]), QUERY),
    ];
    for (let at = 0; at < 5; at++) await batch(0, at).answer();
    const made = [1, 2, 3, 4].map((at) => batch(0, at));
    expect(made.map(({ spec, normalize, lengths }) => [spec, normalize, lengths.length])).toEqual([
      [a, true, 2],
      [a, false, 1],
      [b, true, 1],
      [a, true, 1],
    ]);
    expect((await Promise.all(calls.map(vectorsOf))).flat()).toEqual([1, 2, 3, 4, 5]);
  });

  test('wait when every worker has one, and are taken by the first that is done', async () => {
    const { pool, workers, batch } = poolOf(2);
    const spec = model();
    const calls = Array.from({ length: 6 }, (_, i) => pool.embed(spec, encoded([i, 30]), DOCUMENT));
    expect(workers.map(({ taken }) => taken.length)).toEqual([1, 1]);
    await batch(1, 0).answer();
    expect(workers.map(({ taken }) => taken.length)).toEqual([1, 2]);
    for (let at = 1; at < 5; at++) await batch(1, at).answer();
    await batch(0, 0).answer();
    expect((await Promise.all(calls.map(vectorsOf))).flat().sort()).toEqual([0, 1, 2, 3, 4, 5]);
  });
});

describe('a failure', () => {
  test('before a text is run is told in its row, and nothing of it is run', async () => {
    const { pool, batch } = poolOf(1);
    const failures = [{ row: 1, message: 'unknown words' }];
    const answer = pool.embed(model(), { ...encoded([1, 4], [0, 0], [3, 3]), failures }, DOCUMENT);
    expect(batch(0, 0).lengths).toEqual([3, 4]);
    await batch(0, 0).answer({ 3: 'unreadable' });
    expect(await answer).toEqual({
      vectors: Float32Array.of(1, 0, 0),
      failures: [...failures, { row: 2, message: 'unreadable' }],
    });
  });

  test('with every text before one is run bothers nobody', async () => {
    const { pool, workers } = poolOf(1);
    const failures = [{ row: 0, message: 'unknown words' }];
    const answer = pool.embed(model(), { ...encoded([0, 0]), failures }, QUERY);
    expect(await answer).toEqual({ vectors: Float32Array.of(0), failures });
    expect(workers[0]?.taken).toEqual([]);
  });

  const error = new Error('lost');

  test('with one text is told in its row of its call', async () => {
    const { pool, batch } = poolOf(1, { splitTokensMin: 30 });
    const spec = model();
    void pool.embed(spec, encoded([0, 30]), DOCUMENT);
    const [one, two] = [encoded([1, 4], [2, 1]), encoded([3, 3], [4, 1], [5, 2])].map((texts) =>
      pool.embed(spec, texts, DOCUMENT),
    );
    await batch(0, 0).answer();
    const message = 'unreadable';
    await batch(0, 1).answer({ 2: message, 5: message, 3: message });
    expect(batch(0, 1).lengths).toHaveLength(5);
    expect(await one).toEqual({ vectors: Float32Array.of(1, 0), failures: [{ row: 1, message }] });
    expect(await two).toEqual({
      vectors: Float32Array.of(0, 4, 0),
      failures: [
        { row: 0, message },
        { row: 2, message },
      ],
    });
  });

  test('with a worker fails the calls of its batch, whose other texts are dropped', async () => {
    const { pool, workers, batch } = poolOf(1);
    const spec = model();
    const lost = pool.embed(spec, encoded([1, 30], [2, 30], [3, 20]), DOCUMENT);
    const other = pool.embed(spec, encoded([4, 30]), DOCUMENT);
    const told = expect(lost).rejects.toBe(error);
    await batch(0, 0).lose(error);
    await told;
    await batch(0, 1).answer();
    expect(await vectorsOf(other)).toEqual([4]);
    expect(workers[0]?.taken).toHaveLength(2);
  });

  test('with one worker leaves what others do as it is', async () => {
    const { pool, batch } = poolOf(2);
    const lost = pool.embed(model(), encoded([1, 30]), DOCUMENT);
    const other = pool.embed(model(), encoded([2, 30]), DOCUMENT);
    const told = expect(lost).rejects.toBe(error);
    await batch(0, 0).lose(error);
    await batch(1, 0).answer();
    await told;
    expect(await vectorsOf(other)).toEqual([2]);
  });

  test('a batch that ends after its call has failed disturbs nobody', async () => {
    const { pool, workers, batch } = poolOf(2);
    const lost = pool.embed(model(), encoded([1, 30], [2, 30]), DOCUMENT);
    const told = expect(lost).rejects.toBe(error);
    await batch(0, 0).lose(error);
    await batch(1, 0).answer();
    await told;
    expect(workers.every(({ isIdle }) => isIdle)).toBe(true);
    const next = pool.embed(model(), encoded([3, 30]), QUERY);
    await batch(0, 1).answer();
    expect(await vectorsOf(next)).toEqual([3]);
  });
});

describe('loading', () => {
  test('is done when the first worker has the model', async () => {
    const { pool, workers } = poolOf(2);
    const [first, second] = workers as [HeldWorker, HeldWorker];
    first.loading = new Promise(() => undefined);
    second.loading = Promise.resolve();
    await expect(pool.load(model())).resolves.toBeUndefined();
  });

  test('goes on where one worker cannot, and fails with the reason where none can', async () => {
    const { pool, workers } = poolOf(2);
    const [first, second] = workers as [HeldWorker, HeldWorker];
    first.loading = Promise.reject(new Error('no memory'));
    await expect(pool.load(model())).resolves.toBeUndefined();
    second.loading = Promise.reject(new Error('no memory either'));
    await expect(pool.load(model())).rejects.toThrow('no memory');
  });

  test('leaves workers to other models where there are fewer copies than workers', async () => {
    const { pool, workers } = poolOf(3);
    const [few, many] = [model(), model()];
    await pool.load(few, 2);
    for (let i = 0; i < 3; i++) void pool.embed(few, encoded([1, 30]), DOCUMENT);
    const busy = workers.filter(({ isIdle }) => !isIdle);
    expect(busy).toHaveLength(2);
    void pool.embed(many, encoded([2, 30]), QUERY);
    const other = workers.find((worker) => !busy.includes(worker));
    expect(other?.taken.map(({ spec }) => spec)).toEqual([many]);
    // A text that waits for a copy is run where there is one, and nowhere else.
    await other?.taken[0]?.answer();
    expect(other?.taken).toHaveLength(1);
    await busy[0]?.taken[0]?.answer();
    expect(busy[0]?.taken).toHaveLength(2);
  });

  test('a small call is shared among the idle workers that have a copy', async () => {
    const { pool, workers } = poolOf(4);
    const spec = model();
    await pool.load(spec, 2);
    void pool.embed(spec, encoded([1, 10], [2, 10]), DOCUMENT);
    expect(workers.filter(({ isIdle }) => !isIdle).map(({ taken }) => taken[0]?.lengths)).toEqual([[10], [10]]);
  });

  test('copies are given back, and loaded again, by the workers that it is about', async () => {
    const { pool, workers } = poolOf(2);
    const spec = model();
    await pool.load(spec);
    pool.setCopies(spec, 1);
    expect(workers.flatMap(({ released }) => released)).toEqual([spec.id]);
    for (let i = 0; i < 2; i++) void pool.embed(spec, encoded([1, 30]), DOCUMENT);
    expect(workers.filter(({ isIdle }) => isIdle).map(({ released }) => released)).toEqual([[spec.id]]);
    pool.setCopies(spec, 2);
    await heard();
    expect(workers.map(({ taken }) => taken.length)).toEqual([1, 1]);
    pool.setCopies(spec, 0);
    expect(workers.flatMap(({ released }) => released)).toEqual([spec.id, spec.id]);
  });

  test('a released model is given back by every worker', () => {
    const { pool, workers } = poolOf(2);
    const spec = model();
    pool.release(spec);
    expect(workers.map(({ released }) => released)).toEqual([[spec.id], [spec.id]]);
  });
});

test('closing cancels what waits, lets what runs end, and refuses what comes', async () => {
  const { pool, workers, batch } = poolOf(1);
  const refused = { code: 'service_unavailable', status: 503, headers: { 'retry-after': '1' } };
  const running = pool.embed(model(), encoded([1, 30]), DOCUMENT);
  const begun = pool.embed(model(), encoded([2, 30]), QUERY);
  const closed = pool.close();
  await expect(begun).rejects.toMatchObject(refused);
  await batch(0, 0).answer();
  await closed;
  expect(await vectorsOf(running)).toEqual([1]);
  await expect(pool.embed(model(), encoded([3, 3]), QUERY)).rejects.toMatchObject(refused);
  await expect(pool.load(model())).rejects.toMatchObject(refused);
  expect(workers.map(({ isClosed, taken }) => [isClosed, taken.length])).toEqual([[true, 1]]);
});

describe('a call that gave up', () => {
  test('fails at once, and none of its texts that wait is run', async () => {
    const { pool, workers, batch } = poolOf(1);
    const spec = model();
    const running = pool.embed(spec, encoded([1, 20]), QUERY);
    const controller = new AbortController();
    const given = pool.embed(spec, encoded([2, 5], [3, 5]), { ...QUERY, signal: controller.signal });
    const kept = pool.embed(spec, encoded([4, 5]), QUERY);
    controller.abort(new Error('gone'));
    await expect(given).rejects.toThrow('gone');
    await batch(0, 0).answer();
    expect(batch(0, 1).lengths).toEqual([5]);
    await batch(0, 1).answer();
    expect([await vectorsOf(running), await vectorsOf(kept)]).toEqual([[1], [4]]);
    expect(workers[0]?.taken).toHaveLength(2);
  });

  test('does no harm to the batch that it runs in', async () => {
    const { pool, batch } = poolOf(1);
    const spec = model();
    const controller = new AbortController();
    const running = pool.embed(spec, encoded([1, 20]), QUERY);
    const given = pool.embed(spec, encoded([2, 5]), { ...QUERY, signal: controller.signal });
    const kept = pool.embed(spec, encoded([3, 5]), QUERY);
    await batch(0, 0).answer();
    expect(batch(0, 1).lengths).toEqual([5, 5]);
    controller.abort(new Error('gone'));
    await expect(given).rejects.toThrow('gone');
    await batch(0, 1).answer();
    expect([await vectorsOf(running), await vectorsOf(kept)]).toEqual([[1], [3]]);
  });

  test('is not begun', async () => {
    const { pool, workers } = poolOf(1);
    const signal = AbortSignal.abort(new Error('gone'));
    await expect(pool.embed(model(), encoded([1, 5]), { ...QUERY, signal })).rejects.toThrow('gone');
    expect(workers[0]?.taken).toEqual([]);
  });
});
