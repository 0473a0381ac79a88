import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { send } from './exchange.js';
import { openService, type Service } from './service.js';

let service: Service;
let port: number;

beforeAll(async () => {
  service = await openService();
  await service.app.listen({ host: '127.0.0.1', port: 0 });
  port = (service.app.server.address() as AddressInfo).port;
});

afterAll(() => service.close());

test('the contract is served as a document and as a page', async () => {
  const document = await send(service.app, { request: 'GET /openapi.json' });
  expect(document.json().paths['/indexes/{indexName}/search'].post.operationId).toBe('search');
  const page = await send(service.app, { request: 'GET /docs' });
  expect(page.statusCode).toBe(200);
  expect(page.headers['content-type']).toContain('text/html');
  const shown = await send(service.app, { request: 'GET /docs/json' });
  expect(shown.json()).toEqual(document.json());
});

test('the page answers with the bytes of the document, which are YAML too, and writes none anew', async () => {
  const document = await send(service.app, { request: 'GET /openapi.json' });
  for (const [path, type] of [
    ['/docs/json', 'application/json'],
    ['/docs/yaml', 'application/yaml'],
  ]) {
    const { statusCode, headers, rawPayload } = await send(service.app, { request: `GET ${path}` });
    expect([statusCode, headers['content-type']]).toEqual([200, type]);
    expect(rawPayload.equals(document.rawPayload)).toBe(true);
  }
});

/** Sends the target as it stands: clients and `inject` would put its dots and backslashes in order first. */
async function get(target: string, headers = ''): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(`GET ${target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n${headers}\r\n`);
  return text(socket);
}

describe('a path that leads out of the folder of the documentation', () => {
  const up = ['..', '%2e%2e', '%2E%2E', '.%2e', '%2e.', '%252e%252e', '%c0%ae%c0%ae', '..%00', '...', '....', '.'];
  const separators = ['/', '%2f', '%2F', '\\', '%5c', '%252f', '//', '/./', '%c0%af', ';/'];
  const files = ['package.json', 'etc/passwd', '', '%00', 'static/csp.json%00.html'];

  test.each(up)('by %s leads nowhere, whatever stands between and behind', { timeout: 60_000 }, async (dots) => {
    const targets = separators.flatMap((separator) =>
      files.flatMap((file) =>
        [2, 7].flatMap((depth) => [
          `/docs/static/${(dots + separator).repeat(depth)}${file}`,
          `/docs${separator}static${separator}${(dots + separator).repeat(depth)}${file}`,
        ]),
      ),
    );
    for (const target of targets) {
      const answer = await get(target);
      const status = Number(answer.slice(9, 12));
      expect([200, 307, 400, 404], `${target}: ${answer}`).toContain(status);
      if (status >= 400) expect(answer, target).toMatch(/"code":"(not_found|bad_request)"/);
      // A served file is the documentation's own: its page, or its list of policies.
      if (status === 200) expect(answer, target).toMatch(/swagger-ui|^\{"script":\[/m);
    }
  });
});

test.each([
  ['a range past its end', 'range: bytes=99999999-\r\n', /^HTTP\/1\.1 400 /],
  ['a range of nonsense', 'range: bytes=x\r\n', /^HTTP\/1\.1 (200|4\d\d) /],
  ['a condition that does not hold', 'if-match: "other"\r\n', /^HTTP\/1\.1 400 /],
])('%s of a file of the documentation is no fault of ours', async (_title, headers, expected) => {
  expect(await get('/docs/static/index.css', headers)).toMatch(expected);
});

describe('answers tell a browser', () => {
  const everywhere = {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
  };

  test.each([
    ['GET /indexes', 200],
    ['GET /indexes/nope/stats', 404],
    ['GET /nope', 404],
    ['PUT /indexes', 405],
    ['GET /indexes/', 307],
    ['GET /indexes/%zz/stats', 400],
    ['GET /openapi.json', 200],
  ])('to keep no copy of %s and to take it as it is said', async (request, status) => {
    const { headers, statusCode } = await send(service.app, { request });
    expect(statusCode).toBe(status);
    expect(headers).toMatchObject({ ...everywhere, 'cache-control': 'no-store' });
  });

  test.each(['GET /docs', 'GET /docs/static/swagger-ui.css'])('to show %s in no frame', async (request) => {
    const { headers } = await send(service.app, { request });
    expect(headers).toMatchObject(everywhere);
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['content-security-policy']).not.toContain('unsafe-eval');
  });

  test.each([
    ['bytes that are no request', 'hello\r\n\r\n'],
    ['an expectation that is none', 'GET / HTTP/1.1\r\nhost: localhost\r\nexpect: 200-ok\r\n\r\n'],
    ['a version that is not spoken', 'GET / HTTP/2.0\r\nhost: localhost\r\n\r\n'],
  ])('the same after %s', async (_title, bytes) => {
    const socket = connect(port, '127.0.0.1');
    socket.write(bytes);
    const answer = await text(socket);
    for (const [name, value] of Object.entries(everywhere)) expect(answer).toContain(`${name}: ${value}\r\n`);
  });
});
