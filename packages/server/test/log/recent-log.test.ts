import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog, createPassingLog, recentLogOf, writeLine } from '../../src/app.js';
import { CHARACTERS_MAX, LINE_LENGTH_MAX, LINES_MAX, RecentLog } from '../../src/log/recent-log.js';
import { send } from '../operations/exchange.js';
import { openService, type Service } from '../operations/service.js';

const ALL = { level: 'trace', after: 0, limit: LINES_MAX } as const;

function openLog(logLevel: 'trace' | 'warn' = 'trace') {
  const written: string[] = [];
  const log = createLog({ logLevel }, { write: (line) => void written.push(line) });
  return { log, written, recent: recentLogOf(log) };
}

test('lines are passed on as they are, and told the newest first', () => {
  const { log, written, recent } = openLog();
  log.info({ place: 'here' }, 'first');
  log.child({ reqId: 'r1' }).warn({ status: 500, ms: 2 }, 'request');
  log.fatal('last');
  expect(written.map((line) => JSON.parse(line).msg)).toEqual(['first', 'request', 'last']);
  const at = expect.stringMatching(/^\d{4}-.*Z$/);
  expect(recent.list(ALL)).toEqual([
    { number: 3, at, level: 'fatal', message: 'last', requestId: null, fields: {} },
    { number: 2, at, level: 'warn', message: 'request', requestId: 'r1', fields: { status: 500, ms: 2 } },
    { number: 1, at, level: 'info', message: 'first', requestId: null, fields: { place: 'here' } },
  ]);
});

test('lines are chosen by level, number and count', () => {
  const { log, recent } = openLog();
  for (const level of ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const) log[level](level);
  const told = (choice: object) => recent.list({ ...ALL, ...choice }).map(({ message }) => message);
  expect(told({ level: 'warn' })).toEqual(['fatal', 'error', 'warn']);
  expect(told({ after: 4 })).toEqual(['fatal', 'error']);
  expect(told({ limit: 1 })).toEqual(['fatal']);
  expect(told({ level: 'error', after: 5 })).toEqual(['fatal']);
  expect(told({ after: 6 })).toEqual([]);
});

test('lines below the level of the log are neither written nor kept', () => {
  const { log, written, recent } = openLog('warn');
  log.info('a');
  log.warn('b');
  expect(written).toHaveLength(1);
  expect(recent.list(ALL)).toMatchObject([{ number: 1, message: 'b' }]);
});

test('as many lines are kept as there may be, by number and by length', () => {
  const { log, recent } = openLog();
  for (let at = 1; at <= LINES_MAX + 5; at += 1) log.info(String(at));
  const kept = recent.list(ALL);
  expect([kept.length, kept[0]?.message, kept.at(-1)?.message]).toEqual([LINES_MAX, String(LINES_MAX + 5), '6']);
  const long = 'x'.repeat(LINE_LENGTH_MAX - 200);
  for (let at = 0; at < 300; at += 1) log.info({ at, long }, 'long');
  const longs = recent.list(ALL);
  expect(longs[0]?.fields.at).toBe(299);
  expect(longs.every(({ message }) => message === 'long')).toBe(true);
  expect(longs.length).toBeLessThanOrEqual(CHARACTERS_MAX / long.length);
  expect(longs.length).toBeGreaterThan(100);
});

test('a line that is too long loses its fields and not its meaning', () => {
  const { log, written, recent } = openLog();
  log.child({ reqId: 'r1' }).error({ more: 'x'.repeat(LINE_LENGTH_MAX) }, 'y'.repeat(5_000));
  expect(written[0]?.length).toBeGreaterThan(LINE_LENGTH_MAX);
  const [line] = recent.list(ALL);
  expect(line).toEqual({
    ...{ number: 1, at: expect.any(String), level: 'error', requestId: 'r1', fields: {} },
    message: 'y'.repeat(2_000),
  });
});

test('secrets of URLs and keys are left out, whoever wrote them', () => {
  const { log, recent } = openLog();
  log.warn(
    { url: 'https://me:hidden@host/a?signature=hidden', deep: [{ at: 'http://x:hidden@y/' }] },
    'http://a:hidden@b/',
  );
  expect(JSON.stringify(recent.list(ALL))).not.toContain('hidden');
  expect(recent.list(ALL)).toMatchObject([{ message: 'http://b/' }]);
});

test('lines of other threads are kept with the others, and once', () => {
  const { log, recent } = openLog();
  const passed: string[] = [];
  const other = createPassingLog({ logLevel: 'info' }, { write: (line) => void passed.push(line) });
  other.child({ httpThread: 2 }).info('from there');
  for (const line of passed) writeLine(log, line);
  expect(recent.list(ALL)).toMatchObject([{ message: 'from there', fields: { httpThread: 2 } }]);
  expect(recentLogOf(other).list(ALL)).toEqual([]);
});

test('a text that is no line of a log is told as it is', () => {
  const recent = new RecentLog({ write: () => undefined });
  for (const line of ['half {', '[1]', 'null', '{"level":"high","time":"now"}']) recent.write(line);
  const lines = recent.list(ALL);
  expect(lines.map(({ message }) => message)).toEqual(['', '', '', 'half {']);
  expect(lines.every(({ level, at }) => level === 'info' && at === new Date(0).toISOString())).toBe(true);
});

const ADMIN = 'an-admin-key-for-tests-of-the-log';
let service: Service;
const call = (request: string, body?: unknown, key = ADMIN) =>
  send(service.app, { request, body, headers: { 'x-api-key': key, 'x-request-id': 'asked-for' } });

beforeAll(async () => {
  service = await openService({ PELORUS_ADMIN_KEY: ADMIN, MARQO_LOG_LEVEL: 'info' });
});
afterAll(async () => {
  expect(service.responses.faults).toEqual([]);
  await service.close();
});

test('a server tells its log to keys that manage all indexes', async () => {
  expect((await call('GET /indexes/nope/stats')).statusCode).toBe(404);
  const answer = (await call('GET /log?level=info')).json();
  expect(answer.logLevel).toBe('info');
  const line = answer.lines.find(({ fields }: any) => fields.status === 404);
  expect(line).toMatchObject({ level: 'info', message: 'request', requestId: 'asked-for' });
  expect(JSON.stringify(answer)).not.toContain(ADMIN);
  const none = (await call(`GET /log?after=${line.number}&limit=1000`)).json();
  expect(none.lines.every(({ number }: any) => number > line.number)).toBe(true);
  const make = async (members: object) => (await call('POST /api/v2/keys', { name: 'a', ...members })).json().secret;
  for (const key of [await make({ scope: 'read_write' }), await make({ scope: 'admin', indexes: ['a'] })]) {
    for (const path of ['/log', '/queues']) expect((await call(`GET ${path}`, undefined, key)).statusCode).toBe(403);
  }
  for (const query of ['level=loud', 'limit=0', 'limit=1001', 'after=-1']) {
    expect((await call(`GET /log?${query}`)).statusCode, query).toBe(422);
  }
});
