import { PassThrough } from 'node:stream';
import type { KeyStore } from '@pelorus/keys';
import { createLog, readConfig } from '@pelorus/server';
import { expect, test } from 'vitest';
import { prettyStream } from '../../src/serve/log.js';
import { type StartUp, startUpText } from '../../src/serve/start-up.js';

const noKeys = { isRequired: false, list: () => [] };
const keys = { isRequired: true, list: () => [{}, {}] as unknown as ReturnType<KeyStore['list']> };
const config = readConfig({}, { data: 'somewhere', 'max-memory': '4GB' });
const facts: StartUp = { urls: ['http://127.0.0.1:8882'], after: '0.9 s', config, keys: noKeys, indexes: '2 indexes' };
const terminal = Object.assign(new PassThrough(), { isTTY: true, columns: 200 });

test('a start is one line where no terminal reads it', () => {
  expect(startUpText(facts, new PassThrough())).toBe(
    'Pelorus is listening on http://127.0.0.1:8882 after 0.9 s; data in somewhere; console at http://127.0.0.1:8882/console\n',
  );
  const cluster = { ...facts, cluster: 'OpenSearch 3.5.0 at http://a:9200: b, 1 node, green' };
  expect(startUpText(cluster, new PassThrough())).toContain(
    'after 0.9 s; indexes on OpenSearch 3.5.0 at http://a:9200: b, 1 node, green; data in somewhere; console at http://127.0.0.1:8882/console\n',
  );
  expect(startUpText(cluster, terminal)).toMatch(/engine.* {2,}OpenSearch 3\.5\.0 at http:\/\/a:9200/);
  const hosted = { ...facts, config: { ...config, hosted: true } };
  expect(startUpText(hosted, new PassThrough())).toContain('after 0.9 s, in the hosted form; data in somewhere');
});

test('a start on a terminal is a table of all that an operator asks first', () => {
  const text = startUpText(facts, terminal);
  expect(text).toMatch(/^.*Pelorus is listening on http:\/\/127\.0\.0\.1:8882.* after 0\.9 s\n\n/);
  for (const line of [
    /address.* {2}http:\/\/127\.0\.0\.1:8882\n/,
    /console.* {2}http:\/\/127\.0\.0\.1:8882\/console\n/,
    /docs.* {2}http:\/\/127\.0\.0\.1:8882\/docs\n/,
    /engine.* {2,}embedded\n/,
    /data.* {2,}\S+somewhere\n/,
    /indexes.* {2}2 indexes\n/,
    /models.* {2,}loaded at their first use, 4 GB at once\n/,
    /encoder.* {2,}(Pelorus in f32 \(\w+ kernels\); ONNX Runtime for .+|ONNX Runtime: .+)\n/,
    /model folder.* {2}\S+models\n/,
    /threads.* {2}\d+ for HTTP, \d+ threads? for models, on \d+ cores?\n/,
    /memory.* {2,}4\.0 GB at most\n/,
    /keys.* {2,}none: every program of this machine may call\n/,
  ]) {
    expect(text).toMatch(line);
  }
});

test.each([
  ['keys are there', { keys }, '2 keys; each call needs one'],
  ['none is asked for', { config: { ...config, keysEnforcement: 'off' as const } }, 'none is asked for'],
  [
    'models are loaded ahead',
    { config: { ...config, preloads: [{ model: 'random/small' }] } },
    'loaded now: random/small, 4 GB at once',
  ],
])('a start says that %s', (_, change, said) => {
  expect(startUpText({ ...facts, ...change }, terminal)).toContain(said);
});

test('a line of the log for people has its time, level, message and fields in one line', async () => {
  const written: string[] = [];
  const out = new PassThrough().setEncoding('utf8').on('data', (text: string) => written.push(text));
  const log = createLog({ logLevel: 'info' }, await prettyStream(out));
  log.warn({ route: '/indexes/:indexName/search', status: 200, ms: 1200 }, 'request');
  await expect.poll(() => written.join('')).toMatch(/^\[\d\d:\d\d:\d\d\] WARN: request .*"ms":1200.*\n$/);
  expect(written.join('')).not.toContain('hostname');
});
