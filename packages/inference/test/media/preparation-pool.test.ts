import { deflateSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import type { PictureTask } from '../../src/media/preparation.js';
import { PREPARATION_WORKER, PreparationPool } from '../../src/media/preparation-pool.js';
import type { Claim } from '../../src/media/semaphore.js';
import { startedWorkers } from '../runtime/lost-worker.js';
import { picture, pngOf } from './pictures.js';

const SCRIPTED = new URL('./scripted-preparation.mjs', import.meta.url);
/** As built: the source is TypeScript, which a thread does not read. */
const BUILT = new URL(PREPARATION_WORKER.href.replace('/src/media/', '/dist/media/'));

const document = { priority: 'document' } as const;
const preparation = {
  size: 8,
  mean: [0, 0, 0],
  std: [1, 1, 1],
  interpolation: 'bicubic',
  resize: 'squash',
} as const;
const limits = { bytesMax: 64 * 1024 * 1024, pixelsMax: 100_000_000 };

function pool(threads: number, worker: URL) {
  const made = new PreparationPool(threads, worker);
  onTestFinished(() => made.close());
  return (picture: PictureTask['picture'], claim: Claim = document, more: object = {}) =>
    made.prepare(
      { kind: 'picture', picture, preparation: { ...preparation, ...more }, patchMethod: null, limits },
      claim,
    );
}

test('a picture becomes a tensor, from a file as from base64', async () => {
  const prepare = pool(1, BUILT);
  const bytes = picture(1);
  const base64 = Buffer.from(bytes).toString('base64');
  const [ofFile, ofText] = await Promise.all([prepare(bytes), prepare(base64.replace(/.{76}/g, '$&\r\n'))]);
  expect(ofFile).toMatchObject({ shape: [3, 8, 8], boxes: [] });
  expect(ofFile.values).toHaveLength(3 * 8 * 8);
  expect(ofText).toEqual(ofFile);
});

test.each<[string, (base64: string) => string]>([
  ['without padding', (base64) => base64.replace(/=+$/, '')],
  ['in the alphabet of URLs', (base64) => base64.replaceAll('+', '-').replaceAll('/', '_')],
  ['escaped as in URLs', (base64) => encodeURIComponent(base64)],
  ['with escaped line breaks', (base64) => base64.replace(/.{76}/g, '$&%0D%0a')],
  ['with tabs', (base64) => base64.replace(/.{60}/g, '$&\n\t')],
])('base64 %s is read', async (_, spelt) => {
  const prepare = pool(1, BUILT);
  // Each length of padding comes up among these sizes.
  for (const size of [1, 2, 3, 4, 5]) {
    const bytes = picture(7, size, size);
    const ofFile = await prepare(bytes.slice());
    expect(await prepare(spelt(Buffer.from(bytes).toString('base64')))).toEqual(ofFile);
  }
});

test.each([
  ['no base64', 'a*b=', 'its data is no base64'],
  ['base64 that is cut off', 'abcde', 'its data is no base64'],
  ['base64 with blanks, which may have been pluses,', 'aG Vs bG8=', 'its data is no base64'],
  ['base64 of two texts', 'aGVsbG8=aGVsbG8=', 'its data is no base64'],
  ['base64 of too much padding', 'aGVsbG8===', 'its data is no base64'],
  ['base64 with another escape', 'aGVsbG8%26', 'its data is no base64'],
  ['base64 of nothing', '', 'the bytes are no picture'],
  ['base64 of no picture', 'aGVsbG8=', 'the bytes are no picture'],
])('%s fails', async (_, base64, reason) => {
  await expect(pool(1, BUILT)(base64)).rejects.toMatchObject({
    name: 'MediaFailure',
    message: expect.stringContaining(reason),
  });
});

test('a picture of more pixels than are decoded side by side is decoded, and one past the limit refused', async () => {
  const prepare = pool(2, BUILT);
  const rows = Buffer.alloc(6000 * (1 + 5000 * 3), 0);
  const large = pngOf(5000, 6000, deflateSync(rows, { level: 1 }));
  const both = await Promise.all([prepare(large.slice()), prepare(large)]);
  expect(both.map(({ values }) => values.every((value) => value === 0))).toEqual([true, true]);
  await expect(prepare(pngOf(20_000, 20_000, deflateSync(Buffer.alloc(10))))).rejects.toThrow(
    'the picture has 20000 x 20000 pixels, which exceeds the maximum of 100000000 pixels',
  );
});

test('a thread that is lost fails what it had in its hands, and nothing else', async () => {
  const prepare = pool(2, SCRIPTED);
  const outcomes = await Promise.allSettled(
    ['ok', 'end', 'ok', 'throw', 'ok', 'fail', 'end', 'ok'].map((one) => prepare(one)),
  );
  expect(outcomes.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'rejected',
    'fulfilled',
    'rejected',
    'rejected',
    'fulfilled',
  ]);
  const reasons = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  expect(reasons.every(({ name }) => name === 'MediaFailure')).toBe(true);
  expect(reasons[0].message).toMatch(/^the thread that prepared it ended unexpectedly \(.*\)\. Try again$/);
  expect(reasons[2].message).toBe('too green');
});

test('threads start on demand, no more than there may be', async () => {
  const workers = startedWorkers();
  const prepare = pool(2, SCRIPTED);
  expect(workers).toHaveLength(0);
  await prepare('ok');
  expect(workers).toHaveLength(1);
  await Promise.all(Array.from({ length: 20 }, () => prepare('ok')));
  expect(workers.length).toBeLessThanOrEqual(2);
});

test('a task that waits for a thread can be given up, and one that was begun goes on', async () => {
  const prepare = pool(1, SCRIPTED);
  const flag = new Int32Array(new SharedArrayBuffer(4));
  const controller = new AbortController();
  const claim = { ...document, signal: controller.signal };
  const workers = startedWorkers();
  const running = prepare('wait', claim, { flag });
  const waiting = prepare('ok', claim);
  const reason = new Error('gone');
  controller.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  Atomics.store(flag, 0, 1);
  Atomics.notify(flag, 0);
  await expect(running).resolves.toMatchObject({ shape: [1] });
  await prepare('ok');
  expect(workers).toHaveLength(1);
});
