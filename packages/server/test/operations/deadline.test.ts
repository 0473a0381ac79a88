import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { isEngineError, type StorageEngine } from '@pelorus/engine';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { send } from './exchange.js';
import { Gate } from './gate.js';
import { openService, type Service } from './service.js';

const gate = new Gate();
/** The end of each search of the engine: a code, or `answered`. */
const ends: string[] = [];
let running = 0;
let service: Service;

/** Counts the searches that the engine is at. */
function counted(engine: StorageEngine): StorageEngine {
  const search: StorageEngine['search'] = async (...args) => {
    running += 1;
    try {
      const answer = await engine.search(...args);
      ends.push('answered');
      return answer;
    } catch (error) {
      ends.push(isEngineError(error) ? error.code : String(error));
      throw error;
    } finally {
      running -= 1;
    }
  };
  return new Proxy(engine, {
    get: (target, name) => {
      if (name === 'search') return search;
      const member = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

beforeAll(async () => {
  service = await openService(
    { VESPA_SEARCH_TIMEOUT_MS: '600000', MARQO_MAX_CONCURRENT_SEARCH: '1' },
    { inFrontOf: (engine) => gate.before(counted(engine)) },
  );
  await send(service.app, { request: 'POST /indexes/a', body: { model: 'random/small' } });
  const documents = [{ _id: 'one', title: 'a boat' }];
  await send(service.app, { request: 'POST /indexes/a/documents', body: { documents, tensorFields: ['title'] } });
  await service.app.listen({ host: '127.0.0.1', port: 0 });
});

afterAll(async () => {
  expect(service.responses.faults).toEqual([]);
  await service.close();
});

/** Sends a search over a connection of its own. */
function sendSearch(headers: Record<string, string> = {}): { sent: ClientRequest; answer: Promise<IncomingMessage> } {
  const { port } = service.app.server.address() as AddressInfo;
  const options = { port, method: 'POST', path: '/indexes/a/search', agent: false as const };
  const sent = request({ ...options, headers: { 'content-type': 'application/json', ...headers } });
  const answer = new Promise<IncomingMessage>((resolve, reject) => sent.on('response', resolve).on('error', reject));
  sent.end(JSON.stringify({ q: 'boat', searchMethod: 'HYBRID' }));
  return { sent, answer };
}

test('a search that the engine is still at when its time is up answers 504, and ends there', async () => {
  const { reached, open } = gate.hold('search');
  const { answer } = sendSearch({ 'x-request-timeout-ms': '50' });
  // A machine that is slow may not come to the engine in that time.
  const isReached = await Promise.race([reached.then(() => true), answer.then(() => false)]);
  const response = await answer;
  expect(response.statusCode).toBe(504);
  expect(await json(response)).toEqual({
    message: 'Vector store request timed out. Try your request again later.',
    code: 'vector_store_timeout',
    type: 'invalid_request',
    link: null,
  });
  open();
  const ended = expect.stringMatching(/^(vector_store_timeout|client_closed_request)$/);
  await expect.poll(() => ends).toEqual(isReached ? [ended] : []);
  expect(running).toBe(0);
});

test('the search of a client that hangs up ends, and its place is free', async () => {
  ends.length = 0;
  const { reached, open } = gate.hold('search');
  const { sent, answer } = sendSearch();
  await reached;
  sent.destroy();
  await expect(answer).rejects.toThrow();
  await expect.poll(() => [...service.responses.seen]).toContain('search 499');
  open();
  await expect.poll(() => ends).toEqual(['client_closed_request']);
  expect(running).toBe(0);

  const next = await sendSearch().answer;
  expect(next.statusCode).toBe(200);
  expect(await json(next)).toMatchObject({ hits: [{ _id: 'one' }] });
});

test('the time that the operator gives ends a search whose client names none', async () => {
  const held = new Gate();
  const hurried = await openService({ VESPA_SEARCH_TIMEOUT_MS: '1' }, { inFrontOf: (engine) => held.before(engine) });
  try {
    await send(hurried.app, { request: 'POST /indexes/a', body: { model: 'random/small' } });
    const { open } = held.hold('search');
    const { statusCode } = await send(hurried.app, {
      request: 'POST /indexes/a/search',
      body: { q: 'boat', searchMethod: 'LEXICAL' },
    });
    expect(statusCode).toBe(504);
    open();
  } finally {
    await hurried.close();
  }
});
