import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { connectionWith, type Endpoint, index, openEndpoint } from './endpoint.js';

/** Only what hangs meets it. */
const within = { timeout: 60_000 };

const below = `/e/${index.id}/indexes/shoes`;

let endpoint: Endpoint;
let client: Client;
/** The calls that came to the index: from the framework where they name their connection, else from the relay. */
let asked: { what: string; isRelayed: boolean; headers: IncomingMessage['headers'] }[] = [];
/** Answers what the index is asked for, once that is all there. */
let answer: (response: ServerResponse, body: string, request: IncomingMessage) => void;

beforeEach(async () => {
  endpoint = await openEndpoint();
  asked = [];
  answer = (response, body, { method, url }) => void response.end(`${method} ${url} ${body}`);
  endpoint.answer = async (request, response) => {
    const body = await text(request);
    const { method, url, headers } = request;
    asked.push({ what: `${method} ${url}`, isRelayed: headers.connection === undefined, headers });
    answer(response, body, request);
  };
  client = new Client(await connectionWith(endpoint.port, ''));
});
afterEach(() => endpoint.close());

/** A client that writes bytes, and reads answers that tell their length. */
class Client {
  readonly socket: Socket;
  isOver = false;
  #received = Buffer.alloc(0);

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (bytes) => {
      this.#received = Buffer.concat([this.#received, bytes]);
    });
    socket.on('close', () => {
      this.isOver = true;
    });
    socket.resume();
  }

  write(bytes: string | Buffer): void {
    this.socket.write(bytes);
  }

  /** The next answer; null where the connection ends before it is whole. */
  async answer(): Promise<{ status: number; head: string; body: string } | null> {
    const whole = () => {
      const end = this.#received.indexOf('\r\n\r\n');
      const head = this.#received.toString('latin1', 0, Math.max(0, end));
      const length = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0);
      return end >= 0 && this.#received.length >= end + 4 + length ? { head, at: end + 4, length } : null;
    };
    await vi.waitUntil(() => whole() !== null || this.isOver, { ...within, interval: 1 });
    const found = whole();
    if (found === null) return null;
    const { head, at, length } = found;
    const body = this.#received.toString('utf8', at, at + length);
    this.#received = this.#received.subarray(at + length);
    return { status: Number(head.slice(9, 12)), head, body };
  }

  async call(bytes: string | Buffer): Promise<{ status: number; head: string; body: string } | null> {
    this.write(bytes);
    return await this.answer();
  }
}

function requestOf(method: string, path: string, body = '', ...fields: string[]): string {
  const length = body === '' ? [] : [`content-length: ${Buffer.byteLength(body)}`];
  return [`${method} ${path} HTTP/1.1`, 'host: localhost', ...length, ...fields, '', body].join('\r\n');
}
const search = (body = '{}', ...fields: string[]) => requestOf('POST', `${below}/search`, body, ...fields);
const ways = () => asked.map(({ isRelayed }) => isRelayed);

/** Leaves the first call, which is the framework's on every connection, behind. */
async function warm(...fields: string[]): Promise<void> {
  expect((await client.call(search('{}', ...fields)))?.status).toBe(200);
  asked = [];
}

test('from the second call of a connection on, plain ones are relayed, and the index is told the same', async () => {
  const trace = ['traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', 'tracestate: shop=1'];
  const fields = ['x-api-key: k', 'content-type: application/json', 'x-request-id: r', 'cookie: c', ...trace];
  const others = ['x-request-timeout-ms: 60000', 'x-pelorus-grant: guess deleteDocuments admin'];
  const answers = [];
  for (let i = 0; i < 3; i += 1) answers.push(await client.call(search('{"q": 1}', ...fields, ...others)));
  expect(ways()).toEqual([false, true, true]);
  const [byFramework, ...relayed] = asked.map(({ headers: { connection, ...headers } }) => headers);
  for (const headers of relayed) {
    expect(headers).toEqual({ ...byFramework, 'x-request-timeout-ms': expect.stringMatching(/^\d+$/) });
    expect(headers['x-pelorus-grant']).toBe('secret search read - k');
    expect([`traceparent: ${headers.traceparent}`, `tracestate: ${headers.tracestate}`]).toEqual(trace);
  }
  for (const each of answers) expect([each?.status, each?.body]).toEqual([200, 'POST /indexes/shoes/search {"q": 1}']);
});

test('a query goes on as far as its operation knows it', async () => {
  await warm();
  const path = `${below}/search?device=cpu&other=1&telemetry=true`;
  expect((await client.call(requestOf('POST', path, '{}')))?.body).toBe(
    'POST /indexes/shoes/search?device=cpu&telemetry=true {}',
  );
  expect(ways()).toEqual([true]);
});

const frameworks: readonly [what: string, request: string, status: number][] = [
  ['of another site', search('{}', 'origin: https://evil.example'), 403],
  ['that a browser sends for a page', search('{}', 'sec-fetch-site: same-origin'), 200],
  ['for another host', search().replace('host: localhost', 'host: evil.example'), 403],
  ['of an endpoint that is none', requestOf('POST', '/e/0/indexes/shoes/search', '{}'), 404],
  ['of another index', requestOf('POST', `/e/${index.id}/indexes/boots/search`, '{}'), 404],
  ['of an operation that is none', requestOf('POST', `${below}/nothing`, '{}'), 404],
  ['with a method that is none of the path', requestOf('PUT', `${below}/search`, '{}'), 405],
  ['with an encoded path', requestOf('POST', `${below}/%73earch`, '{}'), 200],
  ['with doubled slashes', requestOf('POST', `${below}//search`, '{}'), 200],
  ['of a document', requestOf('GET', `${below}/documents/a`), 200],
  ['with two keys', search('{}', 'x-api-key: a', 'x-api-key: b'), 200],
  [
    'with a body in chunks',
    requestOf('POST', `${below}/search`, '', 'transfer-encoding: chunked').concat('2\r\n{}\r\n0\r\n\r\n'),
    200,
  ],
  ['with a large body', search('x'.repeat(70_000)), 200],
  ['that ends the connection', search('{}', 'connection: close'), 200],
  ['of HTTP/1.0', search('{}', 'connection: keep-alive').replace('HTTP/1.1', 'HTTP/1.0'), 200],
];

test.each(frameworks)('a call %s is the framework’s', async (_what, request, status) => {
  await warm();
  expect((await client.call(request))?.status).toBe(status);
  expect(ways()).not.toContain(true);
});

test('a key that is revoked between two calls of a connection is refused from the next one on', async () => {
  await warm('x-api-key: k');
  const call = () => client.call(search('{}', 'x-api-key: k'));
  expect((await call())?.status).toBe(200);
  expect(ways()).toEqual([true]);
  endpoint.revoke('other');
  expect((await call())?.status).toBe(200);
  endpoint.revoke('k');
  expect((await call())?.status).toBe(401);
  expect((await client.call(search('{}', 'x-api-key: good')))?.status).toBe(200);
  expect(ways()).toEqual([true, true, true]);
});

test('requests of all kinds on one connection, cut anywhere, are answered in turn as each is by itself', async () => {
  let seed = 20_261_127;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed % below;
  };
  const kinds = [
    () => search(`{"q": ${random(1_000)}}`),
    () => search(`{"q": ${random(1_000)}}`, 'x-api-key: k'),
    () => search('x'.repeat(random(70_000) + 1)),
    () => requestOf('GET', `${below}/stats`),
    () => requestOf('GET', `${below}/stats?telemetry=true`),
    () => requestOf('PATCH', `${below}/documents`, '{"documents": []}'),
    () => requestOf('GET', `${below}/documents/${random(100)}`),
    () => requestOf('POST', `${below}/nothing`, 'x'.repeat(random(100) + 1)),
    () => requestOf('POST', '/e/0/indexes/shoes/search', '{}'),
    () => search('', 'transfer-encoding: chunked').concat('3\r\nabc\r\n0\r\n\r\n'),
  ];
  for (let round = 0; round < 40; round += 1) {
    // The kinds that leave a connection to the framework come last, and not in each round.
    const count = kinds.length - (round % 4 === 0 ? 0 : 1);
    const requests = Array.from({ length: 8 }, () => (kinds[random(count)] as () => string)());
    const each = [];
    for (const request of requests) {
      const alone = new Client(await connectionWith(endpoint.port, request));
      each.push((await alone.answer()) ?? null);
      alone.socket.destroy();
    }
    const together = new Client(await connectionWith(endpoint.port, ''));
    const bytes = Buffer.from(requests.join(''));
    const isAsked = round % 2 === 0;
    if (isAsked) expect((await together.call(search()))?.status).toBe(200);
    for (let at = 0; at < bytes.length; ) {
      const length = random(3) === 0 ? random(40) + 1 : random(40_000) + 1;
      together.write(bytes.subarray(at, at + length));
      at += length;
      await new Promise(setImmediate);
    }
    for (const [i, expected] of each.entries()) {
      const found = await together.answer();
      expect([found?.status, found?.body], `round ${round}, request ${i}`).toEqual([expected?.status, expected?.body]);
    }
    together.socket.destroy();
  }
  expect(ways()).toContain(true);
});

test('a head that comes in pieces is relayed like any other, the first call of a connection too, which is not', async () => {
  for (const body of ['{"q": "first"}', '{"q": "second"}', '{"q": "third"}']) {
    const request = search(body);
    for (const piece of [request.slice(0, 7), request.slice(7, 60)]) {
      client.write(piece);
      // Each is a packet of its own.
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect((await client.call(request.slice(60)))?.body).toBe(`POST /indexes/shoes/search ${body}`);
  }
  expect(ways()).toEqual([false, true, true]);
});

test("a head whose rest does not come soon is the framework's", async () => {
  await warm();
  const request = search('{"q": "late"}');
  client.write(request.slice(0, 30));
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect((await client.call(request.slice(30)))?.body).toBe('POST /indexes/shoes/search {"q": "late"}');
  expect(ways()).toEqual([false]);
});

test('a body that comes late is waited for', async () => {
  await warm();
  const request = search('{"q": "late"}');
  client.write(request.slice(0, -5));
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect((await client.call(request.slice(-5)))?.body).toBe('POST /indexes/shoes/search {"q": "late"}');
  expect(endpoint.admission.bodies.bytes).toBe(0);
});

test('a large answer comes whole to a client that is slow, and is counted until it has it', async () => {
  await warm();
  const large = Buffer.alloc(24_000_000, 'abcdefgh');
  answer = (response) => void response.writeHead(200, { 'content-length': large.length }).end(large);
  const { answers } = endpoint.admission;
  client.socket.pause();
  client.write(search());
  await vi.waitUntil(() => answers.bytes > 0, within);
  client.socket.resume();
  const { body } = (await client.answer()) ?? {};
  expect(body?.length).toBe(large.length);
  expect(body === large.toString('latin1')).toBe(true);
  await vi.waitUntil(() => answers.bytes === 0, within);
  answer = (response) => void response.end('small');
  expect((await client.call(search()))?.body).toBe('small');
  expect(ways()).toEqual([true, true]);
});

test('a process that ends before it answers gives 503 without a time to come again, and the connection goes on', async () => {
  await warm();
  answer = (response) => void response.socket?.destroy();
  const refused = await client.call(search());
  expect([refused?.status, JSON.parse(refused?.body ?? '{}')]).toEqual([
    503,
    expect.objectContaining({ code: 'service_unavailable', message: expect.stringContaining('may have carried out') }),
  ]);
  expect(refused?.head).not.toMatch(/retry-after/i);
  expect(refused?.head).toMatch(/\r\nx-request-id: \S+/);
  expect(refused?.head).toMatch(/\r\nx-content-type-options: nosniff/);
  answer = (response) => void response.end('again');
  expect((await client.call(search()))?.body).toBe('again');
  // Nothing is sent to the index twice.
  expect(asked.map(({ what }) => what)).toEqual(['POST /indexes/shoes/search', 'POST /indexes/shoes/search']);
});

test('a process that ends amid its answer ends the connection of the client', async () => {
  await warm();
  answer = (response) => {
    response.writeHead(200, { 'content-length': 1_000_000 });
    response.write('some', () => response.socket?.destroy());
  };
  expect(await client.call(search())).toBeNull();
});

test('an answer behind which the process closes leaves the connection of the client open', async () => {
  await warm();
  answer = (response) => void response.writeHead(200, { connection: 'close', 'content-length': 4 }).end('last');
  const last = await client.call(search());
  expect([last?.body, /connection: keep-alive/i.test(last?.head ?? '')]).toEqual(['last', true]);
  answer = (response) => void response.end('next');
  expect((await client.call(search()))?.body).toBe('next');
  expect(ways()).toEqual([true, true]);
});

test('a search that its index does not answer in time is answered in its place', async () => {
  await warm();
  const ended = new Promise((resolve) => {
    answer = (response) => void response.once('close', resolve);
  });
  const timed = await client.call(search('{}', 'x-request-timeout-ms: 1'));
  expect([timed?.status, JSON.parse(timed?.body ?? '{}').code]).toEqual([504, 'vector_store_timeout']);
  await ended;
  expect(ways()).toEqual([true]);
});

test('a client that goes away ends the call of the index, and gives back all that it held', async () => {
  await warm();
  const ended = new Promise((resolve) => {
    answer = (response) => {
      response.once('close', resolve);
      client.socket.destroy();
    };
  });
  client.write(search());
  await ended;
  const { bodies, answers } = endpoint.admission;
  await vi.waitUntil(() => bodies.bytes === 0 && answers.bytes === 0, within);
  await endpoint.relay.drain();
});

test('a client that ends its half of the connection is no trouble to others', async () => {
  await warm();
  client.socket.end(search());
  await once(client.socket, 'close');
  const other = new Client(await connectionWith(endpoint.port, ''));
  expect((await other.call(search()))?.status).toBe(200);
});

test('calls under way are answered before the relay is drained, and none is relayed from then on', async () => {
  await warm();
  let go: () => void = () => undefined;
  const isAsked = new Promise<void>((resolve) => {
    answer = (response) => {
      go = () => void response.end('at last');
      resolve();
    };
  });
  client.write(search());
  await isAsked;
  let isDrained = false;
  const drained = endpoint.relay.drain().then(() => {
    isDrained = true;
  });
  await new Promise(setImmediate);
  expect(isDrained).toBe(false);
  go();
  expect((await client.answer())?.body).toBe('at last');
  await drained;
  answer = (response) => void response.end('by the framework');
  expect((await client.call(search()))?.body).toBe('by the framework');
  expect(ways()).toEqual([true, false]);
});

test('a time that is none is for the index to refuse', async () => {
  await warm();
  answer = (response, _, { headers }) => void response.end(headers['x-request-timeout-ms']);
  for (const time of ['soon', '-1', '1e3', '9999999']) {
    expect((await client.call(search('{}', `x-request-timeout-ms: ${time}`)))?.body).toBe(time);
  }
  expect(ways()).not.toContain(false);
});

test('relayed searches are counted once each', async () => {
  await warm();
  const before = endpoint.searches.of(index.id);
  for (const path of ['search', 'recommend', 'suggestions'])
    await client.call(requestOf('POST', `${below}/${path}`, '{}'));
  expect(endpoint.searches.of(index.id) - before).toBe(2);
  expect(ways()).toEqual([true, true, true]);
});
