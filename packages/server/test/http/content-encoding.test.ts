import { randomBytes } from 'node:crypto';
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { installBodyParser } from '../../src/http/body-parser.js';
import { ByteBudget, ByteLease } from '../../src/http/byte-budget.js';
import { codingOf } from '../../src/http/content-encoding.js';
import { handleError } from '../../src/http/errors.js';
import { withBody } from '../../src/http/read-body.js';

const LIMIT = 1024 * 1024;
const budget = new ByteBudget('body', 256 * 1024 * 1024);
/** Room for 24 MiB of large bodies. */
const tight = new ByteBudget('body', 32 * LIMIT);
let app: FastifyInstance;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

beforeAll(async () => {
  app = Fastify();
  installBodyParser(app);
  app.setErrorHandler(handleError);
  app.post('/', { bodyLimit: LIMIT }, (request) =>
    withBody(request, budget, undefined, async (body) => {
      return { length: body.length, start: body.subarray(0, 64).toString('latin1'), sum: sumOf(body) };
    }),
  );
  app.post('/tight', (request) => withBody(request, tight, undefined, async (body) => ({ length: body.length })));
  await app.listen({ host: '127.0.0.1', port: 0 });
});

afterAll(async () => {
  agent.destroy();
  await app.close();
  expect(budget.bytes).toBe(0);
});

interface Received {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: { length?: number; start?: string; sum?: number; code?: string; message?: string };
}

/** Sends `body` on the one connection that all tests share, with its length in the head unless it comes in chunks. */
function post(encoding: string, body: Buffer, { isChunked = false, path = '/' } = {}): Promise<Received> {
  const { port } = app.server.address() as AddressInfo;
  const length = isChunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': body.length };
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-encoding': encoding, ...length };
    const sent = httpRequest({ port, method: 'POST', path, agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
      response.on('end', () => {
        const { statusCode: status, headers } = response;
        resolve({ status, headers, body: JSON.parse(Buffer.concat(chunks).toString('utf8')) });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function sumOf(bytes: Uint8Array): number {
  return bytes.reduce((sum, byte) => (sum * 31 + byte) % 1_000_003, 7);
}

const codings: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
};

/** Bytes that shrink to little, and such as do not. */
const contents = [Buffer.from('{}'), Buffer.alloc(LIMIT, '[1, 2]  '), randomBytes(LIMIT - 1000)];

describe.each(Object.entries(codings))('a body in %s', (name, encode) => {
  test.each(contents.map((content) => [content.length, content] as const))(
    'of %i bytes is read',
    async (_, content) => {
      const encoded = encode(content);
      for (const isChunked of [false, true]) {
        const { status, body } = await post(name, encoded, { isChunked });
        expect(status).toBe(200);
        expect(body).toMatchObject({ length: content.length, sum: sumOf(content) });
      }
    },
  );

  test('is refused with one byte more than the route takes, however little was sent', async () => {
    const { status, body } = await post(name, encode(Buffer.alloc(LIMIT + 1)));
    expect([status, body.code]).toEqual([413, 'payload_too_large']);
  });

  test('never holds more than the route takes, even if it is much larger', async () => {
    const bomb = encode(Buffer.alloc(20 * LIMIT));
    expect(bomb.length).toBeLessThan(LIMIT);
    const resized = vi.spyOn(ByteLease.prototype, 'resize');
    expect((await post(name, bomb)).status).toBe(413);
    const { decoderBytes = 0 } = codingOf({ 'content-encoding': name }) ?? {};
    expect(Math.max(...resized.mock.calls.map(([bytes]) => bytes))).toBeLessThanOrEqual(LIMIT + decoderBytes);
    resized.mockRestore();
    expect(budget.bytes).toBe(0);
  });

  test('is refused, at its head or where it is, when its encoded form is larger than the route takes', async () => {
    const empty = encode(Buffer.alloc(0));
    const many = Buffer.concat(Array.from({ length: LIMIT / empty.length + 1 }, () => empty));
    expect((await post(name, many)).status).toBe(413);
    // In most codings a second body behind the first is a fault.
    expect([400, 413]).toContain((await post(name, many, { isChunked: true })).status);
  });

  test('is refused by its name when it is cut off anywhere', async () => {
    const encoded = encode(Buffer.from(JSON.stringify({ q: randomBytes(300).toString('base64') })));
    for (let length = 1; length < encoded.length; length += 7) {
      const { status, body } = await post(name, encoded.subarray(0, length));
      expect([status, body.code, body.message]).toEqual([
        400,
        'bad_request',
        expect.stringMatching(new RegExp(`^The body is not valid ${name}, which Content-Encoding names: `)),
      ]);
    }
  });

  test('with bytes behind its end is refused', async () => {
    const { status } = await post(name, Buffer.concat([encode(Buffer.from('{}')), Buffer.from('{"more": 1}')]));
    expect(status).toBe(400);
  });

  test('is refused when it is something else', async () => {
    for (const other of [Buffer.from('{"q": "shoe"}'), randomBytes(5000), Buffer.alloc(5000)]) {
      expect((await post(name, other)).status).toBe(400);
    }
    for (const [other, encodeOther] of Object.entries(codings)) {
      const expected = other === name ? 200 : 400;
      expect((await post(name, encodeOther(Buffer.from('{"q": "shoe"}')))).status).toBe(expected);
    }
  });

  test('is no body when it has no bytes at all', async () => {
    for (const isChunked of [false, true]) {
      expect((await post(name, Buffer.alloc(0), { isChunked })).body).toMatchObject({ length: 0 });
    }
  });
});

test.each(['identity', '', ' , ', 'identity, identity'])('%j is no coding', async (encoding) => {
  expect((await post(encoding, Buffer.from('{"a":1}'))).body).toMatchObject({ length: 7 });
});

test.each(['GZIP', 'x-gzip', 'gzip, identity'])('%j is gzip', async (encoding) => {
  expect((await post(encoding, gzipSync('{"a":1}'))).body).toMatchObject({ length: 7 });
});

test.each(['compress', 'zstd', 'gzip, gzip', 'br,gzip', 'gzip;q=1', 'utf-8', '*', 'x'.repeat(5000)])(
  '%.20s is refused with what would be read',
  async (encoding) => {
    const { status, headers, body } = await post(encoding, gzipSync(gzipSync('{}')));
    expect([status, body.code]).toEqual([415, 'unsupported_media_type']);
    expect(body.message).toMatch(/^Content-Encoding must be one of gzip, deflate, br, or identity, received '/);
    expect(body.message?.length).toBeLessThan(1000);
    expect(headers['accept-encoding']).toBe('gzip, deflate, br');
  },
);

test('where there is no body its coding is no matter', async () => {
  expect((await post('unheard-of', Buffer.alloc(0))).body).toMatchObject({ length: 0 });
});

test('deflate without its frame is refused', async () => {
  expect((await post('deflate', deflateRawSync('{}'))).status).toBe(400);
});

test.each([10, 16, 17, 18, 22, 24])('a window of 2^%i bytes in brotli is told by its first byte', (windowBits) => {
  const params = { [constants.BROTLI_PARAM_LGWIN]: windowBits };
  const [first = 0] = brotliCompressSync(randomBytes(100_000), { params });
  expect(codingOf({ 'content-encoding': 'br' })?.decoderBytesOf(first)).toBe(2 ** windowBits + 1024 * 1024);
});

test('a decoder counts in the budget while it runs', async () => {
  const others = tight.lease();
  others.resize(10 * LIMIT);
  const [gzip, br] = [gzipSync('{}'), brotliCompressSync('{}')];
  expect((await post('br', br, { path: '/tight' })).status).toBe(429);
  expect((await post('gzip', gzip, { path: '/tight' })).status).toBe(200);
  others.release();
  expect((await post('br', br, { path: '/tight' })).status).toBe(200);
  expect(tight.bytes).toBe(0);
});

test('a byte order mark before a text is none of it', async () => {
  const text = '{"a":1}';
  const marked = Buffer.from(`\uFEFF${text}`);
  for (const [encoding, body] of [
    ['identity', marked],
    ['gzip', gzipSync(marked)],
  ] as const) {
    expect((await post(encoding, body)).body).toMatchObject({ length: text.length, start: text });
  }
  expect((await post('identity', Buffer.from('\uFEFF'))).body).toMatchObject({ length: 0 });
  expect((await post('identity', Buffer.from(`\uFEFF\uFEFF${text}`))).body).toMatchObject({ length: text.length + 3 });
});
