import { expect, it } from 'vitest';
import {
  httpBody,
  httpRequest,
  postgresQuery,
  postgresRows,
  postgresStart,
  respCommand,
  respValue,
  WIRES,
  type WireName,
} from './wire.ts';

const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nh\u00e9ll';
const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\na\r\n0123456789\r\n0\r\n\r\n';
const values = '*3\r\n:2\r\n$5\r\na\r\nbc\r\n*2\r\n+OK\r\n$-1\r\n';

/** A message of PostgreSQL. */
function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5, type);
  head.writeInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
}

const row = Buffer.from([0, 2, 0, 0, 0, 2, ...Buffer.from('17'), 255, 255, 255, 255]);
const ready = message('Z', Buffer.from('I'));
const rows = Buffer.concat([message('T', Buffer.from('x')), message('D', row), ready]);

const WHOLE: [WireName, Buffer][] = [
  ['http', Buffer.from(answer)],
  ['http', Buffer.from(chunked)],
  ['resp', Buffer.from(values)],
  ['resp', Buffer.from('-ERR no\r\n')],
  ['postgres', rows],
];

it.each(WHOLE)('finds the end of an answer of %s when it is whole, and not before', (name, bytes) => {
  const wire = WIRES[name];
  const before = Buffer.from('before');
  const all = Buffer.concat([before, bytes, bytes]);
  const end = before.length + bytes.length;
  for (let length = before.length; length < end; length += 1) {
    expect(wire.end(all.subarray(0, length), before.length)).toBe(-1);
  }
  expect(wire.end(all.subarray(0, end), before.length)).toBe(end);
  expect(wire.end(all, before.length)).toBe(end);
});

it('reads the body of an answer in one piece and in chunks', () => {
  expect(httpBody(Buffer.from(answer))).toBe('h\u00e9ll');
  expect(httpBody(Buffer.from(chunked))).toBe('abc0123456789');
});

it('counts the bytes of a request, not its characters', () => {
  const text = httpRequest('POST', '/a', '"\u00e9"').toString();
  expect(text).toMatch(/^POST \/a HTTP\/1\.1\r\n/);
  expect(text).toContain('Content-Length: 4\r\n\r\n"\u00e9"');
});

it('writes commands of Redis with their bytes, and reads its values', () => {
  const command = respCommand('SET', Buffer.from([1, 13, 10]));
  expect([...command]).toEqual([...Buffer.from('*2\r\n$3\r\nSET\r\n$3\r\n'), 1, 13, 10, 13, 10]);
  expect(respValue(Buffer.from(values))).toEqual([2, 'a\r\nbc', ['OK', null]]);
});

it('writes messages of PostgreSQL, and reads its rows', () => {
  expect([...postgresQuery('SELECT')]).toEqual([...Buffer.from('Q'), 0, 0, 0, 11, ...Buffer.from('SELECT\0')]);
  const start = postgresStart('me', 'it');
  expect(start.readInt32BE(0)).toBe(start.length);
  expect(postgresRows(rows)).toEqual([['17', null]]);
});

it('tells faults from successes', () => {
  expect(WIRES.http.fault(Buffer.from(answer))).toBeNull();
  expect(WIRES.http.fault(Buffer.from('HTTP/1.1 422 No\r\nContent-Length: 2\r\n\r\nno'))).toBe('422 no');
  expect(WIRES.resp.fault(Buffer.from('+OK\r\n'))).toBeNull();
  expect(WIRES.resp.fault(Buffer.from('-LOADING\r\n'))).toBe('LOADING');
  expect(WIRES.postgres.fault(rows)).toBeNull();
  const refused = message('E', Buffer.from('SERROR\0Mno such table\0\0'));
  expect(WIRES.postgres.fault(Buffer.concat([refused, ready]))).toContain('no such table');
});
