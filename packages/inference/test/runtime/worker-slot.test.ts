import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import type { SessionSpec, TokenBatch } from '../../src/runtime/messages.js';
import { WorkerSlot } from '../../src/runtime/worker-slot.js';

/** The tokens that make the scripted worker misbehave. */
const FAILS_ALONE = -1;
const FAILS_ALL = -2;
const EXITS = -3;
const THROWS = -4;
const HANGS = -5;

const spec: SessionSpec = { id: 5, device: 'cpu', dimensions: 2 };

/** Texts of one token each. */
const texts = (...tokens: number[]): TokenBatch => ({
  ids: Int32Array.from(tokens),
  lengths: Uint32Array.from(tokens, () => 1),
});

function slot(): { slot: WorkerSlot; started: Worker[] } {
  const started: Worker[] = [];
  const keep = (worker: Worker) => started.push(worker);
  process.on('worker', keep);
  const opened = new WorkerSlot(new URL('./scripted-worker.mjs', import.meta.url));
  onTestFinished(async () => {
    process.off('worker', keep);
    await opened.close();
  });
  return { slot: opened, started };
}

test('the thread is started when it is first needed, and kept', async () => {
  const { slot: one, started } = slot();
  one.release(spec.id);
  expect([one.isIdle, started.length]).toEqual([true, 0]);
  await one.load(spec);
  await one.run(spec, texts(1), true);
  expect(started).toHaveLength(1);
});

test('tasks that are asked for at once are done in order, and the slot is idle after the last', async () => {
  const { slot: one } = slot();
  const answers = [texts(10), texts(20, 21), texts(30)].map((batch) => one.run(spec, batch, true));
  expect(one.isIdle).toBe(false);
  expect((await Promise.all(answers)).map(({ vectors }) => [...vectors])).toEqual([
    [10, 1],
    [20, 2, 21, 2],
    [30, 3],
  ]);
  expect(one.isIdle).toBe(true);
});

test('the buffers of a batch are handed over', async () => {
  const { slot: one } = slot();
  const batch = texts(1, 2, 3);
  await one.run(spec, batch, true);
  expect(batch.ids).toHaveLength(0);
});

test('a text that failed has its reason in its row, beside the vectors of the others', async () => {
  const { slot: one } = slot();
  expect(await one.run(spec, texts(1, FAILS_ALONE, 2), true)).toEqual({
    vectors: Float32Array.of(1, 1, 0, 0, 2, 1),
    failures: [{ row: 1, message: 'unreadable' }],
  });
});

test('a task that failed as a whole says why, and the next is done', async () => {
  const { slot: one, started } = slot();
  await expect(one.run(spec, texts(1, FAILS_ALL), true)).rejects.toThrow('no session');
  await expect(one.run(spec, texts(2), true)).resolves.toMatchObject({ vectors: Float32Array.of(2, 2) });
  expect(started).toHaveLength(1);
});

test.each([
  ['exits', EXITS, 'exit code 7'],
  ['throws', THROWS, 'thrown in the thread'],
])('a thread that %s fails all it was asked, and another takes its place', async (_, token, why) => {
  const { slot: one, started } = slot();
  const lost = [texts(token), texts(1)].map((batch) => one.run(spec, batch, true));
  for (const outcome of await Promise.allSettled(lost)) {
    expect(outcome).toMatchObject({
      status: 'rejected',
      reason: {
        code: 'service_unavailable',
        message: `An inference worker ended unexpectedly (${why}). Try again.`,
        headers: { 'retry-after': '1' },
      },
    });
  }
  expect(one.isIdle).toBe(true);
  expect([...(await one.run(spec, texts(4), true)).vectors]).toEqual([4, 1]);
  expect(started).toHaveLength(2);
});

test('a session is released after what was asked before', async () => {
  const { slot: one } = slot();
  const before = one.load(spec);
  one.release(spec.id);
  await expect(before).resolves.toBeUndefined();
  await expect(one.load(spec)).rejects.toThrow('it was released');
});

test('closing waits for what is being done; a slot without a thread is closed at once', async () => {
  const { slot: one, started } = slot();
  await one.close();
  expect(started).toEqual([]);
  const running = one.run(spec, texts(1), true);
  await one.close();
  expect([...(await running).vectors]).toEqual([1, 1]);
});

test.skipIf(process.platform === 'win32')('closing gives up a thread that hangs in a call', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pelorus-hangs-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const one = new WorkerSlot(new URL('./scripted-worker.mjs', import.meta.url), 1);
  let hasEnded = false;
  const running = one.run({ ...spec, pipe } as SessionSpec, texts(HANGS), true);
  const ending = running
    .catch(() => undefined)
    .then(() => {
      hasEnded = true;
    });
  await expect.poll(() => existsSync(`${pipe}.asked`)).toBe(true);
  await one.close();
  expect(hasEnded).toBe(false);
  writeFileSync(pipe, '');
  await ending;
});
