import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ByteExchanges, type Exchange } from '../src/byte-exchanges.js';

/** Only what hangs meets it. */
const within = { timeout: 60_000, interval: 1 };

const folder = mkdtempSync(join(tmpdir(), 'pelorus-exchanges-'));
const path = process.platform === 'win32' ? '\\\\.\\pipe\\pelorus-exchanges' : join(folder, 'socket');
/** The connections to the process, the newest last. */
let lines: Socket[] = [];
/** Told of the bytes of a request. */
let asked: (line: Socket, request: string) => void = () => undefined;
let exchanges: ByteExchanges;
const server = createServer((line) => {
  lines.push(line);
  line.on('error', () => undefined);
  line.on('data', (bytes) => asked(line, bytes.toString('latin1')));
});

beforeEach(async () => {
  lines = [];
  await once(server.listen(path), 'listening');
  exchanges = new ByteExchanges(path);
});
afterEach(async () => {
  exchanges.destroy();
  for (const line of lines) line.destroy();
  await new Promise((resolve) => server.close(resolve));
  rmSync(path, { force: true });
});

interface Told {
  status: number;
  bodyBytes: number;
  text: string;
  error: Error | null;
  isOver: boolean;
}

function ask(request: string, onHead: () => void = () => undefined): { told: Told; exchange: Exchange } {
  const told: Told = { status: 0, bodyBytes: -1, text: '', error: null, isOver: false };
  const exchange = exchanges.exchange(Buffer.from(request), {
    onHead: (status, bodyBytes) => {
      Object.assign(told, { status, bodyBytes });
      onHead();
    },
    onBytes: (bytes) => {
      told.text += bytes.toString('latin1');
      return true;
    },
    onEnd: () => {
      told.isOver = true;
    },
    onError: (error) => Object.assign(told, { error, isOver: true }),
  });
  return { told, exchange };
}

const over = (told: Told) => vi.waitUntil(() => told.isOver, within);
const answerOf = (body: string, head = '') => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n${head}\r\n${body}`;

test('an answer that comes in pieces, cut anywhere, is handed over whole, and its connection is used again', async () => {
  const answer = answerOf('some bytes');
  for (let cut = 1; cut < answer.length; cut += 1) {
    asked = (line) => {
      line.write(answer.slice(0, cut));
      setImmediate(() => line.write(answer.slice(cut)));
    };
    const { told } = ask('request');
    await over(told);
    expect(told).toMatchObject({ status: 200, bodyBytes: 10, text: answer, error: null });
  }
  expect(lines).toHaveLength(1);
});

test('requests at once have a connection each, and later ones take one of these', async () => {
  asked = (line, request) => line.write(answerOf(request));
  const all = ['a', 'b', 'c'].map((request) => ask(request).told);
  for (const told of all) await over(told);
  expect(all.map(({ text }) => text)).toEqual(['a', 'b', 'c'].map((request) => answerOf(request)));
  await over(ask('d').told);
  expect(lines).toHaveLength(3);
});

test('an answer without a body needs no length where its status says so', async () => {
  asked = (line) => line.write('HTTP/1.1 204 No Content\r\n\r\n');
  const { told } = ask('request');
  await over(told);
  expect(told).toMatchObject({ status: 204, bodyBytes: 0, error: null });
});

test.each([
  ['without a length', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n', /does not tell its length/],
  ['that is longer than it tells', `${answerOf('a')}b`, /longer than it tells/],
  ['whose head has no end', `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(70_000)}`, /head of the answer has no end/],
])('an answer %s is an error, and nothing follows it on its connection', async (_what, answer, error) => {
  asked = (line) => line.write(answer);
  const { told } = ask('request');
  await over(told);
  expect(told.error?.message).toMatch(error);
  asked = (line) => line.write(answerOf('next'));
  const next = ask('request').told;
  await over(next);
  expect(next.text).toBe(answerOf('next'));
  expect(lines).toHaveLength(2);
});

test('a connection that ends is told to the request under way, and an idle one is not used again', async () => {
  asked = (line) => line.destroy();
  const { told } = ask('request');
  await over(told);
  expect(told.error).not.toBeNull();
  asked = (line) => line.end(answerOf('last', 'connection: close\r\n'));
  const last = ask('request').told;
  await over(last);
  expect(last.text).toBe(answerOf('last', 'connection: keep-alive\r\n'));
  asked = (line) => line.write(answerOf('next'));
  const next = ask('request').told;
  await over(next);
  expect([next.error, lines.length]).toEqual([null, 3]);
});

test('bytes that nobody asked for end their connection', async () => {
  asked = (line) => line.write(answerOf('a'));
  await over(ask('request').told);
  const [line] = lines as [Socket];
  line.write('more');
  await once(line, 'close');
  await over(ask('request').told);
  expect(lines).toHaveLength(2);
});

test('a request that is given up tells nothing any more, and ends its connection', async () => {
  const isAsked = new Promise<Socket>((resolve) => {
    asked = (line) => resolve(line);
  });
  const { told, exchange } = ask('request');
  const line = await isAsked;
  exchange.abort();
  await once(line, 'close');
  expect(told).toEqual({ status: 0, bodyBytes: -1, text: '', error: null, isOver: false });
});

test('an error of the one who is told the head is the end of it', async () => {
  asked = (line) => line.write(answerOf('a'));
  const { told } = ask('request', () => {
    throw new Error('no room');
  });
  await over(told);
  expect([told.error?.message, told.text]).toEqual(['no room', '']);
});
