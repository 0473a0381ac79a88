import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Fetcher } from '../../src/outbound/fetcher.js';
import { OutboundPolicy } from '../../src/outbound/outbound-policy.js';
import { type DownloadOptions, download } from '../../src/sources/download.js';
import { Arrivals, LoopbackHub } from '../loopback-hub.js';
import { temporaryDirectory } from '../temporary-directory.js';

const CONTENT = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 31) % 251));

/** Leaves it to the reader to end the connection. */
const forEver = () => new Promise<void>(() => undefined);

async function setUp(behaviour: Parameters<LoopbackHub['put']>[3] = {}) {
  const hub = await LoopbackHub.start();
  hub.put('a/b', 'model.onnx', CONTENT, behaviour);
  const fetcher = new Fetcher(new OutboundPolicy({ trustedOrigins: [hub.url] }));
  onTestFinished(() => fetcher.close());
  const to = join(await temporaryDirectory(), 'model.onnx');
  const get = (options: Partial<DownloadOptions> = {}, file = 'model.onnx') =>
    download(fetcher, {
      request: async () => ({ url: `${hub.url}/a/b/resolve/main/${file}` }),
      to,
      bytesMax: 1_000_000,
      ...options,
    });
  const ranges = () => hub.requests.map(({ headers }) => headers.range);
  return { hub, to, get, ranges };
}

test('a file arrives whole, with its progress told', async () => {
  const { to, get } = await setUp();
  const told: [number, number | null][] = [];
  await get({ onBytes: (...progress) => told.push(progress) });
  expect(await readFile(to)).toEqual(CONTENT);
  expect(told.at(-1)).toEqual([CONTENT.length, CONTENT.length]);
  expect(told.map(([received]) => received)).toEqual(told.map(([received]) => received).sort((a, b) => a - b));
  expect([existsSync(`${to}.part`), existsSync(`${to}.part.json`)]).toEqual([false, false]);
});

test('a cut connection is taken up where it broke', async () => {
  const arrivals = new Arrivals();
  const { to, get, ranges } = await setUp({ cuts: { afterBytes: 120_000, times: 2, whenRead: arrivals.next } });
  await get({ onBytes: arrivals.note });
  expect(await readFile(to)).toEqual(CONTENT);
  const [first, ...later] = ranges();
  expect(first).toBeUndefined();
  const starts = later.map((range) => Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1]));
  expect(starts).toHaveLength(2);
  expect(starts[0]).toBeGreaterThan(0);
  expect(starts[1]).toBeGreaterThan(starts[0] ?? 0);
});

test('a later run goes on from what an earlier one left', async () => {
  const { hub, to, get, ranges } = await setUp({ cuts: { afterBytes: 100_000, times: 1, whenRead: forEver } });
  const stop = new AbortController();
  await expect(get({ onBytes: () => stop.abort(), signal: stop.signal })).rejects.toThrow();
  const { length } = await readFile(`${to}.part`);
  expect(length).toBeGreaterThan(0);
  await get();
  expect(await readFile(to)).toEqual(CONTENT);
  expect(ranges()).toEqual([undefined, `bytes=${length}-`]);
  expect(hub.requests).toHaveLength(2);
});

test('a part of a file that has changed since is begun anew', async () => {
  const { hub, to, get } = await setUp({ cuts: { afterBytes: 100_000, times: 1, whenRead: forEver } });
  const stop = new AbortController();
  await expect(get({ onBytes: () => stop.abort(), signal: stop.signal })).rejects.toThrow();
  const changed = Buffer.from(CONTENT).fill(7, 0, 10);
  hub.put('a/b', 'model.onnx', changed);
  await get();
  expect(await readFile(to)).toEqual(changed);
});

test('a connection that brings nothing again and again is given up', async () => {
  const { get, ranges } = await setUp({ cuts: { afterBytes: 0, times: 100 } });
  await expect(get()).rejects.toMatchObject({ name: 'SourceFailure' });
  expect(ranges()).toHaveLength(3);
});

test('redirects are followed', async () => {
  const { hub, to, get } = await setUp({ redirect: true });
  await get();
  expect(await readFile(to)).toEqual(CONTENT);
  expect(hub.paths()).toEqual(['/a/b/resolve/main/model.onnx', '/stored/a/b/resolve/main/model.onnx']);
});

test.each([{}, { redirect: true }])(
  'a file that is not what the hub announced is thrown away %j',
  async (behaviour) => {
    const { to, get } = await setUp({ ...behaviour, announcedHash: 'f'.repeat(64) });
    await expect(get()).rejects.toThrow(/the file has sha256 [0-9a-f]{64}, expected f{64}/);
    expect([existsSync(to), existsSync(`${to}.part`)]).toEqual([false, false]);
  },
);

test('a hash known beforehand counts more than the announced one', async () => {
  const { get } = await setUp();
  await expect(get({ sha256: 'e'.repeat(64) })).rejects.toThrow(/expected e{64}/);
});

test('an absent file is told by its status, at once', async () => {
  const { hub, get } = await setUp();
  await expect(get({}, 'other')).rejects.toMatchObject({ message: 'answered 404', status: 404, isUnreachable: false });
  expect(hub.requests).toHaveLength(1);
});

test('a file above the limit is refused before it is written', async () => {
  const { to, get } = await setUp();
  await expect(get({ bytesMax: CONTENT.length - 1 })).rejects.toThrow(`larger than the ${CONTENT.length - 1} bytes`);
  expect(existsSync(`${to}.part`)).toBe(false);
  await get({ bytesMax: CONTENT.length });
});

test('a server that is not there is unreachable', async () => {
  const { get } = await setUp();
  const request = async () => ({ url: 'https://127.0.0.1:1/' });
  await expect(get({ request })).rejects.toMatchObject({ isUnreachable: true, message: /127\.0\.0\.1/ });
});

test('a forgotten part without a version is begun anew', async () => {
  const { to, get, ranges } = await setUp();
  await writeFile(`${to}.part`, 'leftover');
  await get();
  expect(await readFile(to)).toEqual(CONTENT);
  expect(ranges()).toEqual([undefined]);
});
