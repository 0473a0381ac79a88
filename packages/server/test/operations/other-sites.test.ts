import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { send } from './exchange.js';
import { openService, type Service } from './service.js';

let service: Service;

beforeAll(async () => {
  service = await openService();
  await send(service.app, { request: 'POST /indexes/a', body: { model: 'random/small' } });
});

afterAll(() => service.close());

const get = (headers: Record<string, string>, app: FastifyInstance = service.app) =>
  send(app, { request: 'GET /indexes', headers });

function expectForbidden(response: LightMyRequestResponse, inMessage: string): void {
  expect(response.statusCode, response.body).toBe(403);
  expect(response.json()).toEqual({
    message: expect.stringContaining(inMessage),
    code: 'forbidden',
    type: 'invalid_request',
    link: null,
  });
}

describe('the host that a request names', () => {
  test.each([
    'localhost',
    'LOCALHOST:8882',
    'localhost.:8882',
    'shop.localhost',
    '127.0.0.1',
    '127.0.0.1:9000',
    '192.168.1.5',
    '[::1]:8882',
    '[2001:db8::1]',
  ])('%s is this server', async (host) => {
    expect((await get({ host })).statusCode).toBe(200);
  });

  test.each([
    'evil.test',
    'EVIL.TEST:8882',
    'evil.test.',
    'localhost.evil.test',
    'notlocalhost',
    '127.0.0.1.evil.test',
    '127.0.0.1.nip.io',
  ])('%s is not', async (host) => {
    expectForbidden(await get({ host }), '--allowed-hosts');
  });

  test.each(['a b', 'a@localhost', 'localhost:x', '[::1', '::1'])('"%s" is no host at all', async (host) => {
    const response = await get({ host });
    expect([response.statusCode, response.json().code]).toEqual([400, 'bad_request']);
  });

  test.each([
    'GET /docs',
    'GET /docs/static/swagger-ui.css',
    'GET /openapi.json',
    'GET /nope',
    'PUT /indexes',
    'GET /indexes/',
  ])('%s looks at it as well', async (request) => {
    expectForbidden(await send(service.app, { request, headers: { host: 'evil.test' } }), 'evil.test');
  });

  test('is one of those that the operator allows, or any', async () => {
    const named = await openService({
      PELORUS_ALLOWED_HOSTS: 'Search.Example, other.example',
      PELORUS_HOST: 'box.lan',
    });
    for (const host of ['search.example:443', 'OTHER.example.', 'box.lan:8882', 'localhost', '10.0.0.1']) {
      expect((await get({ host }, named.app)).statusCode, host).toBe(200);
    }
    expectForbidden(await get({ host: 'www.search.example' }, named.app), 'www.search.example');
    await named.close();

    const any = await openService({ PELORUS_ALLOWED_HOSTS: '*' });
    expect((await get({ host: 'evil.test' }, any.app)).statusCode).toBe(200);
    expectForbidden(await get({ host: 'evil.test', origin: 'http://other.test' }, any.app), 'other.test');
    await any.close();
  });
});

describe('a request as a browser sends it', () => {
  const host = 'localhost:8882';

  test.each<[string, Record<string, string>]>([
    ['nothing, as clients that are no browsers', {}],
    ['a page of this server reads', { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' }],
    ['a page of this server writes', { 'sec-fetch-site': 'same-origin', origin: 'http://localhost:8882' }],
    ['a page of this server, in an older browser', { origin: 'http://localhost:8882' }],
    ['a typed address', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }],
  ])('passes for %s', async (_title, headers) => {
    expect((await get({ host, ...headers })).statusCode).toBe(200);
  });

  test.each<[string, Record<string, string>]>([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another port of this host', { 'sec-fetch-site': 'same-site' }],
    ['a site of a kind we do not know', { 'sec-fetch-site': 'same-origin, none' }],
    ['another origin', { origin: 'http://evil.test' }],
    ['another port, in an older browser', { origin: 'http://localhost:3000' }],
    ['no origin that has a name', { origin: 'null' }],
    ['two origins', { origin: 'http://localhost:8882, http://evil.test' }],
    ['another origin that says it is not', { 'sec-fetch-site': 'same-origin', origin: 'http://evil.test' }],
    [
      'a link of another site',
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    ],
  ])('is refused for %s', async (_title, headers) => {
    const response = await get({ host, ...headers });
    expectForbidden(response, 'page of another site');
    expect(Object.keys(response.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  test('writes nothing and deletes nothing', async () => {
    const origin = 'http://evil.test';
    const body = Buffer.from('{"model": "random/small"}');
    const create = { method: 'POST', url: '/indexes/planted', headers: { origin }, payload: body } as const;
    expectForbidden(await service.app.inject(create), origin);
    expectForbidden(await send(service.app, { request: 'DELETE /indexes/a', headers: { origin } }), origin);
    expectForbidden(await send(service.app, { request: 'OPTIONS /indexes/a', headers: { origin } }), origin);
    const { results } = (await send(service.app, { request: 'GET /indexes' })).json();
    expect(results.map(({ indexName }: { indexName: string }) => indexName)).toEqual(['a']);
  });

  test.each([
    'GET /docs',
    'GET /docs/static/swagger-ui.css',
    'GET /openapi.json',
    'GET /nope',
    'PUT /indexes',
    'GET /indexes/',
  ])('is refused by %s too', async (request) => {
    expectForbidden(await send(service.app, { request, headers: { 'sec-fetch-site': 'cross-site' } }), 'cross-site');
  });
});

describe('a link on another site', () => {
  const followed = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

  test.each(['GET /', 'GET /docs', 'GET /docs/', 'GET /docs?theme=dark'])('leads to %s', async (request) => {
    expect((await send(service.app, { request, headers: followed })).statusCode).toBe(200);
  });

  test.each([
    ['to a host of another name', 'GET /docs', { ...followed, host: 'evil.test' }],
    ['into a frame', 'GET /docs', { ...followed, 'sec-fetch-dest': 'iframe' }],
    ['by a script', 'GET /docs', { ...followed, 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'empty' }],
    ['with a form', 'POST /', followed],
    ['to data', 'GET /indexes', followed],
  ])('does not lead %s', async (_title, request, headers) => {
    expect((await send(service.app, { request, headers })).statusCode).toBe(403);
  });
});

describe('an origin that the operator allows', () => {
  const origin = 'https://shop.example';
  let open: Service;
  beforeAll(async () => {
    open = await openService({ PELORUS_ALLOWED_ORIGINS: `http://localhost:3000, ${origin}/` });
  });
  afterAll(() => open.close());

  test('reads answers, refusals included', async () => {
    const answer = await get({ origin, 'sec-fetch-site': 'cross-site' }, open.app);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'Origin' });
    const missing = await send(open.app, { request: 'GET /indexes/nope/stats', headers: { origin } });
    expect([missing.statusCode, missing.headers['access-control-allow-origin']]).toEqual([404, origin]);
  });

  test('is told what it may send before it sends it', async () => {
    const headers = {
      origin,
      'access-control-request-method': 'DELETE',
      'access-control-request-headers': 'content-type',
    };
    const answer = await send(open.app, { request: 'OPTIONS /indexes/a', headers });
    expect([answer.statusCode, answer.body]).toEqual([204, '']);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': expect.stringContaining('DELETE'),
      'access-control-allow-headers': '*',
    });
  });

  test('opens the door to no other', async () => {
    for (const other of ['https://evil.test', 'http://shop.example', 'https://shop.example:8443', 'null']) {
      expectForbidden(await get({ origin: other }, open.app), other);
    }
  });
});

describe('on a socket', () => {
  let port: number;
  beforeAll(async () => {
    await service.app.listen({ host: '127.0.0.1', port: 0 });
    port = (service.app.server.address() as AddressInfo).port;
  });

  /** The status line of the answer to `head`, and the code of its body. */
  const answerTo = async (head: string, to = port): Promise<string> => {
    const socket = connect(to, '127.0.0.1');
    socket.write(`${head}\r\n\r\n`);
    const answer = await text(socket);
    return `${answer.slice(9, 12)} ${/"code":"(\w+)"/.exec(answer)?.[1] ?? ''}`.trim();
  };
  const close = 'connection: close';

  test.each([
    ['a known host', `GET /indexes HTTP/1.1\r\nhost: localhost\r\n${close}`, '200'],
    ['an unknown host', `GET /indexes HTTP/1.1\r\nhost: evil.test\r\n${close}`, '403 forbidden'],
    ['two hosts', `GET /indexes HTTP/1.1\r\nhost: localhost\r\nHOST: localhost`, '400 bad_request'],
    ['an empty host', `GET /indexes HTTP/1.1\r\nhost:\r\n${close}`, '400 bad_request'],
    [
      'a URL whose host is another',
      `GET http://evil.test/indexes HTTP/1.1\r\nhost: localhost\r\n${close}`,
      '403 forbidden',
    ],
    [
      'a URL of another host and no path',
      `GET http://evil.test?x HTTP/1.1\r\nhost: localhost\r\n${close}`,
      '403 forbidden',
    ],
    [
      'a URL that names a user',
      `GET http://localhost@evil.test/ HTTP/1.1\r\nhost: localhost\r\n${close}`,
      '400 bad_request',
    ],
    ['a URL of this server', `GET HTTP://LOCALHOST/indexes HTTP/1.1\r\nhost: evil.test\r\n${close}`, '200'],
    ['HTTP/1.0 without a host', 'GET /indexes HTTP/1.0', '200'],
    ['HTTP/1.0 with an unknown one', 'GET /indexes HTTP/1.0\r\nhost: evil.test', '403 forbidden'],
    ['an origin and no host', 'GET /indexes HTTP/1.0\r\norigin: http://localhost', '403 forbidden'],
    ['HTTP/2.0 in a line of HTTP/1', `GET /indexes HTTP/2.0\r\nhost: localhost`, '400 bad_request'],
    ['HTTP/0.9', 'GET /indexes', '400 bad_request'],
  ])('%s', async (_title, head, expected) => {
    expect(await answerTo(head)).toBe(expected);
  });

  test('a delete that a page of another site sends by a body without a type does nothing', async () => {
    const head = 'POST /indexes/a/documents/delete-batch HTTP/1.1\r\nhost: evil.test\r\norigin: http://evil.test';
    const body = `content-length: 5\r\n${close}\r\n\r\n["1"]`;
    expect(await answerTo(`${head}\r\n${body}`)).toBe('403 forbidden');
    expect(await answerTo(`${head.replace('host: evil.test', `host: localhost:${port}`)}\r\n${body}`)).toBe(
      '403 forbidden',
    );
  });

  test('a server that other machines reach answers to any host, unless some were named', async () => {
    const headers = { host: 'search.example', 'sec-fetch-site': 'none' };
    for (const [env, status] of [
      [{}, '200'],
      [{ PELORUS_ALLOWED_HOSTS: 'other.example' }, '403 forbidden'],
    ] as const) {
      const open = await openService(env);
      await open.app.listen({ host: '0.0.0.0', port: 0 });
      const to = (open.app.server.address() as AddressInfo).port;
      expect(await answerTo(`GET /indexes HTTP/1.1\r\nhost: search.example\r\n${close}`, to)).toBe(status);
      expectForbidden(await get({ ...headers, host: 'localhost', origin: 'http://evil.test' }, open.app), 'evil.test');
      await open.close();
    }
  });
});
