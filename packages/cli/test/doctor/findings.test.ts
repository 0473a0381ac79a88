import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, expect, test, vi } from 'vitest';
import { findingsText, worstOf } from '../../src/doctor/examine.js';
import { advice, fault, ok } from '../../src/doctor/finding.js';
import { kernelsOf, memoryFinding, processorFinding } from '../../src/doctor/machine.js';
import { dataFinding, diskFinding, ffmpegFinding, portFinding } from '../../src/doctor/surroundings.js';
import type { AnswerBounds } from '../../src/server-call.js';

// Whoever runs the tests may ask for colours.
vi.stubEnv('FORCE_COLOR', undefined);

const folder = mkdtempSync(join(tmpdir(), 'pelorus-doctor-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const GIB = 2 ** 30;

test.each([
  ['x64', 'flags\t\t: fpu avx2 fma avx512f avx512bw avx512vl avx512_vnni', 'avx512'],
  ['x64', 'flags\t\t: fpu avx2 fma avx512f', 'avx2'],
  ['x64', 'flags\t\t: fpu avx2', 'scalar'],
  ['arm64', 'Features\t: fp asimd', 'neon'],
  ['x64', null, null],
])('the kernels of %s with %s are %s', (arch, cpuinfo, kernels) => {
  expect(kernelsOf(arch, cpuinfo)).toBe(kernels);
});

test('memory is that of the limit where there is one, and too little of it is told', () => {
  expect(memoryFinding(0, 8 * GIB, 16 * GIB)).toMatchObject({ verdict: 'ok', found: '8.6 GB free of 17.2 GB' });
  expect(memoryFinding(GIB / 2, 8 * GIB, 16 * GIB)).toMatchObject({
    verdict: 'advice',
    found: '537 MB free of 537 MB',
  });
  expect(memoryFinding(2 ** 63, 8 * GIB, 16 * GIB).verdict).toBe('ok');
});

test('more threads than cores are told', () => {
  const threads = { hosted: false, httpThreads: null, maxMemory: null, inferenceThreads: null };
  expect(processorFinding(threads).verdict).toBe('ok');
  expect(processorFinding({ ...threads, inferenceThreads: 4096 }).advice).toContain('--inference-threads');
  if (process.platform !== 'linux') return;
  expect(processorFinding({ ...threads, httpThreads: 4096 }).advice).toContain('--http-threads');
});

test('a data folder that is not there is made, and a file is none', async () => {
  const missing = join(folder, 'a', 'b');
  expect(await dataFinding({ dataDir: missing, engine: 'embedded' })).toMatchObject({
    verdict: 'ok',
    found: expect.stringContaining(missing),
  });
  expect((await diskFinding({ dataDir: missing })).found).toMatch(/ free of /);
  const file = join(folder, 'file');
  writeFileSync(file, '');
  expect((await dataFinding({ dataDir: file, engine: 'embedded' })).verdict).toBe('fault');
});

test('a port is free, ours, or that of another program', async () => {
  const finding = async (listener: RequestListener, bounds?: AnswerBounds) => {
    const server = createServer(listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const port = (server.address() as AddressInfo).port;
    const found = await portFinding({ host: '127.0.0.1', port }, bounds);
    server.close().closeAllConnections();
    return found;
  };
  expect((await portFinding({ host: '127.0.0.1', port: 0 })).verdict).toBe('ok');
  const ours = await finding((_, response) => response.end('{"message": "Welcome to Pelorus", "pelorus": "1.2.3"}'));
  expect(ours).toMatchObject({ verdict: 'ok', found: expect.stringContaining('Pelorus 1.2.3 answers') });
  expect((await finding((_, response) => response.end('<html>'))).verdict).toBe('fault');
  // Such a program may listen for ever.
  const bounds = { bytesMax: 1000, headersMs: 20, stallMs: 20 };
  expect((await finding(() => {}, bounds)).verdict).toBe('fault');
  expect((await finding((_, response) => response.write('{'), bounds)).verdict).toBe('fault');
});

test('a program for films that is not there is advice', async () => {
  expect((await ffmpegFinding({ ffmpeg: join(folder, 'no-such-program') })).verdict).toBe('advice');
  expect((await ffmpegFinding({ ffmpeg: 'none' })).verdict).toBe('ok');
});

test('the worst finding is the verdict, and each remedy stands below its finding', () => {
  const [good, better, bad] = [ok('a', 'well'), advice('b', 'so so', 'do this'), fault('c', 'ill', 'do that')];
  expect([worstOf([good]), worstOf([good, better]), worstOf([bad, better])]).toEqual(['ok', 'advice', 'fault']);
  expect(findingsText([good, better, bad], new PassThrough()).split('\n')).toEqual([
    '        part  found',
    'ok      a     well',
    'advice  b     so so',
    '              do this',
    'fault   c     ill',
    '              do that',
    '',
    'A server does not work here: 1 fault.',
    '',
  ]);
});
