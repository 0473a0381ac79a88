import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RankedSearch, StorageEngine } from '@pelorus/engine';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { send } from './exchange.js';
import { openService, type Service } from './service.js';

const body = { q: 'boat', searchMethod: 'LEXICAL', limit: 1, withCursor: true };
/** The numbers of rankings that were made, and closed. */
const counts = { made: 0, closed: 0 };
/** Holds a finished ranking back before anybody hears of it. */
let release = Promise.resolve();
/** Tells whether nobody waits for the last one any more. */
let isForNobody = false;
let service: Service;

function counted(engine: StorageEngine): StorageEngine {
  const rank: StorageEngine['rank'] = async (name, plan, vectors, wait) => {
    isForNobody = false;
    wait?.onEnd(() => {
      isForNobody = true;
    });
    const ranked = await engine.rank(name, plan, vectors);
    counts.made += 1;
    await release;
    return {
      count: ranked.count,
      memoryBytes: ranked.memoryBytes,
      page: (...args: Parameters<RankedSearch['page']>) => ranked.page(...args),
      close: () => {
        counts.closed += 1;
        ranked.close();
      },
    };
  };
  return new Proxy(engine, {
    get: (target, name) => {
      if (name === 'rank') return rank;
      const member = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

beforeAll(async () => {
  service = await openService({}, { inFrontOf: counted });
  await send(service.app, { request: 'POST /indexes/a', body: { model: 'random/small' } });
  const documents = [{ title: 'a boat' }, { title: 'the boat' }, { title: 'boats' }];
  await send(service.app, { request: 'POST /indexes/a/documents', body: { documents, tensorFields: [] } });
  await service.app.listen({ host: '127.0.0.1', port: 0 });
});

afterAll(async () => {
  expect(service.responses.faults).toEqual([]);
  await service.close();
});

test('a body whose list is no vector, and is not ranked by, holds one ranking', async () => {
  const before = { ...counts };
  // Too large for a number of 32 bits, which only a ranking by vectors would ask for.
  const q = { customVector: { content: 'boat', vector: [1e39, 0] } };
  const filter = `${'a:b OR '.repeat(200)}NOT a:b`;
  const byWords = {
    searchMethod: 'HYBRID',
    hybridParameters: { retrievalMethod: 'lexical', rankingMethod: 'lexical' },
  };
  const told = await send(service.app, {
    request: 'POST /indexes/a/search',
    body: { ...body, ...byWords, q, filter },
  });
  expect(told.json()).toMatchObject({ hits: [{ title: expect.stringContaining('boat') }], query: q });
  expect(counts.made - before.made).toBe(1);
});

test('a ranking that comes when its client is gone is let go', async () => {
  const before = { ...counts };
  const { promise, resolve } = Promise.withResolvers<void>();
  release = promise;
  const { port } = service.app.server.address() as AddressInfo;
  const sent = request({ port, method: 'POST', path: '/indexes/a/search', agent: false });
  sent.setHeader('content-type', 'application/json');
  sent.on('error', () => undefined);
  sent.end(JSON.stringify(body));
  await expect.poll(() => counts.made).toBe(before.made + 1);

  sent.destroy();
  await expect.poll(() => isForNobody).toBe(true);
  resolve();

  await expect.poll(() => counts.closed).toBe(before.closed + 1);
});

test('a ranking is let go once it is read to its end, and not before', async () => {
  const before = { ...counts };
  const search = (next: object) => send(service.app, { request: 'POST /indexes/a/search', body: next });
  const first = await search(body);
  const second = await search({ cursor: first.json().cursor });
  expect(counts).toEqual({ made: before.made + 1, closed: before.closed });
  const third = await search({ cursor: second.json().cursor });
  expect(third.json().cursor).toBeNull();
  expect(counts.closed).toBe(before.closed + 1);
});

test('a ranking that fits on one page is let go at once', async () => {
  const before = { ...counts };
  await send(service.app, { request: 'POST /indexes/a/search', body: { ...body, limit: 3 } });
  expect(counts).toEqual({ made: before.made + 1, closed: before.closed + 1 });
});
