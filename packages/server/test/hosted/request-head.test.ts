import { expect, test } from 'vitest';
import { KnownHead, mayBecomeHead, readHead } from '../../src/hosted/request-head.js';

const LINE = 'POST /e/1/indexes/shoes/search HTTP/1.1';
const bytesOf = (...lines: string[]) => Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
const headOf = (...lines: string[]) => readHead(bytesOf(LINE, 'Host: localhost', ...lines));

test('a plain head is read, whatever is behind it', () => {
  const head = bytesOf(
    LINE,
    'Host: localhost',
    'X-Api-Key:  k ',
    'content-length: 2',
    'Accept:',
    'Connection: Keep-Alive',
  );
  expect(readHead(Buffer.concat([head, Buffer.from('{}GET')]))).toMatchObject({
    ...{ method: 'POST', target: '/e/1/indexes/shoes/search', headBytes: head.length, bodyBytes: 2 },
    headers: { host: 'localhost', 'x-api-key': 'k', 'content-length': '2', accept: '', connection: 'Keep-Alive' },
  });
});

test('a head that is not all there is none', () => {
  const head = bytesOf(LINE, 'host: localhost');
  for (let length = 0; length < head.length; length += 1) expect(readHead(head.subarray(0, length))).toBeNull();
  expect(readHead(head)?.bodyBytes).toBe(0);
});

test('the rest of a plain head is waited for, wherever it is cut, and that of no other', () => {
  const head = bytesOf(LINE, 'host: localhost', 'accept: */*');
  for (let length = 1; length < head.length; length += 1) expect(mayBecomeHead(head.subarray(0, length))).toBe(true);
  expect(mayBecomeHead(head)).toBe(false);
  for (const start of [
    '\x16\x03\x01',
    'get / HTTP',
    'GET / HTTP/1.0\r\nho',
    'GET / HTTP/1.1\nhost',
    '\r\n',
    'GET\t/',
  ]) {
    expect(mayBecomeHead(Buffer.from(start, 'latin1')), JSON.stringify(start)).toBe(false);
  }
  const long = Buffer.from(`${LINE}\r\nx: ${'x'.repeat(8 * 1024)}`);
  expect(mayBecomeHead(long)).toBe(false);
});

const others: readonly [what: string, ...lines: string[]][] = [
  ['of a body in chunks', 'transfer-encoding: chunked'],
  ['with two lengths', 'content-length: 2', 'content-length: 3'],
  ['with one length twice', 'content-length: 2', 'Content-Length: 2'],
  ['with a length and chunks', 'content-length: 2', 'transfer-encoding: chunked'],
  ['with a list of lengths', 'content-length: 2, 2'],
  ['with a signed length', 'content-length: +2'],
  ['with a hexadecimal length', 'content-length: 0x2'],
  ['with an empty length', 'content-length:'],
  ['with a length beyond all bounds', `content-length: ${'9'.repeat(16)}`],
  ['that waits to be told to go on', 'expect: 100-continue'],
  ['that changes the protocol', 'upgrade: h2c', 'connection: upgrade'],
  ['that ends the connection', 'connection: close'],
  ['that names headers of the connection', 'connection: keep-alive, x-api-key'],
  ['with a blank before a colon', 'content-length : 2'],
  ['with a line that goes on', 'x-one: a', ' content-length: 2'],
  ['with a line without a colon', 'content-length'],
  ['with a name of none', ': a'],
  ['with a break that is half one', 'x-one: a\ncontent-length: 2'],
  ['with the other half', 'x-one: a\rcontent-length: 2'],
  ['with a null character', 'x-one: a\0b'],
  ['with a letter beyond ASCII', 'x-one: \u00e9'],
  ['with a second host', 'host: other'],
  ['that is longer than most', `x-one: ${'a'.repeat(9_000)}`],
];

test.each(others)('a head %s is left to the parser of all requests', (_what, ...lines) => {
  expect(headOf(...lines)).toBeNull();
});

test.each([
  ['of an older protocol', 'POST /a HTTP/1.0'],
  ['of a whole address', 'POST http://localhost/a HTTP/1.1'],
  ['without a protocol', 'POST /a'],
  ['with two blanks', 'POST  /a HTTP/1.1'],
  ['with a blank in the target', 'POST /a b HTTP/1.1'],
  ['in small letters', 'post /a HTTP/1.1'],
])('a first line %s is left to the parser of all requests', (_what, line) => {
  expect(readHead(bytesOf(line, 'host: localhost'))).toBeNull();
});

test('a head without a host is left to the parser of all requests', () => {
  expect(readHead(bytesOf(LINE, 'content-length: 2'))).toBeNull();
});

test('the next head of a client is known by all but the length of its body', () => {
  const linesOf = (length: string, key = 'k') => [LINE, 'host: a', `Content-Length: ${length}`, `x-api-key: ${key}`];
  const first = readHead(bytesOf(...linesOf('2')));
  const known = first === null ? null : KnownHead.of(first);
  const next = bytesOf(...linesOf('1234'));
  expect(known?.lengthsOf(next)).toEqual({ headBytes: next.length, bodyBytes: 1234 });
  expect(known?.lengthsOf(next.subarray(0, -1))).toBeNull();
  for (const length of ['', '-1', '1e3', '2, 2', '2\r\ncontent-length: 3', '2\r\ntransfer-encoding: chunked']) {
    expect(known?.lengthsOf(bytesOf(...linesOf(length))), length).toBeNull();
  }
  expect(known?.lengthsOf(bytesOf(...linesOf('2', 'other')))).toBeNull();
  expect(known?.lengthsOf(bytesOf(...linesOf('2'), 'x-api-key: other'))).toBeNull();
  // Where both ends of it overlap, there is no length between them.
  expect(known?.lengthsOf(bytesOf(LINE, 'host: a', 'Content-Length:'))).toBeNull();
});

test('a head without a body is not known again', () => {
  const head = headOf();
  expect(head === null ? null : KnownHead.of(head)).toBeNull();
});
