import { expect, test } from 'vitest';
import { Endpoints } from '../../src/server/endpoints.js';

const SERVER = 'http://pelorus.example/prefix';
const key = { 'x-api-key': 'secret' };

/** A control plane of which an index is at an endpoint, behind a proxy that adds a path. */
function controlPlane() {
  const asked: string[] = [];
  const plane = { endpoint: 'one', asked, status: 200 };
  const send = async (address: string, init: RequestInit) => {
    const path = address.slice(SERVER.length);
    asked.push(`${init.method} ${path}`);
    expect(init.headers).toEqual(key);
    if (plane.status !== 200) return Response.json({ code: 'invalid_api_key' }, { status: plane.status });
    if (path === '/api/v2/indexes') {
      const marqoEndpoint = `https://elsewhere.example/e/${plane.endpoint}`;
      return Response.json({ results: [{ indexName: 'a b', marqoEndpoint }] });
    }
    if (path.startsWith(`/e/${plane.endpoint}/`)) return Response.json({ path });
    return Response.json({ code: 'index_not_found' }, { status: 404 });
  };
  return { plane, endpoints: new Endpoints(SERVER, send) };
}

const get = (endpoints: Endpoints, path: string) =>
  endpoints.fetch(`${SERVER}${path}`, { method: 'GET', headers: key });

test('calls of an index go to its endpoint, which is looked up once', async () => {
  const { plane, endpoints } = controlPlane();
  expect(endpoints.addressOf('a b')).toBe(SERVER);
  expect(await (await get(endpoints, '/indexes/a%20b/stats?x=1')).json()).toEqual({
    path: '/e/one/indexes/a%20b/stats?x=1',
  });
  await get(endpoints, '/indexes/a%20b/settings');
  expect(plane.asked.filter((one) => one === 'GET /api/v2/indexes')).toHaveLength(1);
  expect(endpoints.addressOf('a b')).toBe(`${SERVER}/e/one`);
});

test('a call of the process of an index goes to its endpoint, without the index in its path', async () => {
  const { plane, endpoints } = controlPlane();
  const log = await endpoints.at('a b')(`${SERVER}/log?level=warn`, { method: 'GET', headers: key });
  expect(await log.json()).toEqual({ path: '/e/one/log?level=warn' });
  const unknown = await endpoints.at('nope')(`${SERVER}/log`, { method: 'GET', headers: key });
  expect([unknown.status, await unknown.json()]).toEqual([404, { code: 'index_not_found' }]);
  expect(plane.asked).not.toContain('GET /log?level=warn');
});

test('the list of indexes, and their creation and deletion, are of the control plane; all else is untouched', async () => {
  const { plane, endpoints } = controlPlane();
  await get(endpoints, '/indexes');
  await endpoints.fetch(`${SERVER}/indexes/new`, { method: 'POST', headers: key, body: '{}' });
  await get(endpoints, '/health');
  expect(plane.asked).toEqual(['GET /api/v2/indexes', 'POST /api/v2/indexes/new', 'GET /health']);
});

test('an index that was made anew under its name is found at its new endpoint', async () => {
  const { plane, endpoints } = controlPlane();
  await get(endpoints, '/indexes/a%20b/stats');
  plane.endpoint = 'two';
  expect(await (await get(endpoints, '/indexes/a%20b/stats')).json()).toEqual({ path: '/e/two/indexes/a%20b/stats' });
});

test('an unknown index and a refused key are told as the server tells them', async () => {
  const { plane, endpoints } = controlPlane();
  const unknown = await get(endpoints, '/indexes/nope/stats');
  expect([unknown.status, await unknown.json()]).toEqual([404, { code: 'index_not_found' }]);
  plane.status = 401;
  expect((await get(endpoints, '/indexes/nope/stats')).status).toBe(401);
});
