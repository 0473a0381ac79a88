import { PelorusError } from '@pelorus/contract';
import { createInference, type Inference, textInputs } from '@pelorus/inference';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GatheredQueries } from '../../src/search/gathered-queries.js';
import { AnswerRoom } from '../../src/search/multi-search.js';
import { send } from '../operations/exchange.js';
import { Gate } from '../operations/gate.js';
import { openService, type Service } from '../operations/service.js';
import { type Body, oneOf, type Random, randomBody, randomOf, spoil } from './random-bodies.js';

const seed = 20_261_126;
const gate = new Gate();
let service: Service;

beforeAll(async () => {
  service = await openService({ MARQO_MAX_CONCURRENT_SEARCH: '2' }, { inFrontOf: (engine) => gate.before(engine) });
  const own = { model: 'no_model', modelProperties: { type: 'no_model', dimensions: 2 } };
  const text = ['red dog', 'dogs and cats', 'a tree', 'cats'];
  const documents = text.map((title, n) => ({ _id: `d${n}`, title, n, m: { k: n }, sku: `s${n % 2}` }));
  const vectors = documents.map((document, n) => ({ ...document, v: { vector: [n - 1, 1], content: '' } }));
  for (const [request, body] of [
    ['POST /indexes/texts', { model: 'random/small', collapseFields: [{ name: 'sku' }] }],
    ['POST /indexes/texts/documents', { documents, tensorFields: ['title'] }],
    ['POST /indexes/own', own],
    [
      'POST /indexes/own/documents',
      { documents: vectors, tensorFields: ['v'], mappings: { v: { type: 'custom_vector' } } },
    ],
  ] as const) {
    const response = await send(service.app, { request, body });
    expect(response.statusCode, response.body).toBe(200);
  }
});
afterAll(async () => {
  expect(service.responses.faults).toEqual([]);
  await service.close();
});

const multi = (queries: readonly object[], headers: Record<string, string> = {}) =>
  send(service.app, { request: 'POST /multi-search', body: { queries }, headers });

/** An answer without what differs from one call to the next: its time, and the names of cursors. */
function comparable(answer: Record<string, unknown>): Record<string, unknown> {
  const { processingTimeMs, cursor, ...rest } = answer;
  return typeof cursor === 'string' ? { ...rest, cursor: 'another' } : { ...answer, processingTimeMs: 0 };
}

/** Searches of every kind: good ones, and some with a fault. */
function queryOf(random: Random): Body & { indexName: string } {
  const body = randomBody(random);
  // A factor of now would differ from one call to the next.
  delete body.recencyParameters;
  if (random() < 0.3) spoil(body, random);
  return { ...body, indexName: oneOf(random, ['texts', 'texts', 'own', 'nobody']) };
}

test('answers are those of the searches one by one', async () => {
  const random = randomOf(seed);
  for (let call = 0; call < 40; call += 1) {
    const drawn = Array.from({ length: 1 + Math.floor(random() * 12) }, () => queryOf(random));
    // Half a character is no text, and no call holds one.
    const queries = drawn.filter((query) => !JSON.stringify(query).includes(String.raw`\ud800`));
    if (queries.length === 0) continue;
    const together = await multi(queries);
    const said = `seed ${seed}, call ${call}: ${JSON.stringify(queries)}`;
    expect(together.statusCode, said).toBe(200);
    const { results, errors } = together.json();
    expect(results, said).toHaveLength(queries.length);
    for (const [at, { indexName, ...body }] of queries.entries()) {
      const alone = await send(service.app, { request: `POST /indexes/${indexName}/search`, body });
      const { status, response, error } = results[at];
      expect(results[at].indexName).toBe(indexName);
      expect([status, comparable(response ?? error)], `${said}: query ${at}`).toEqual([
        alone.statusCode,
        comparable(alone.json()),
      ]);
      expect(response === undefined, said).toBe(status !== 200);
    }
    expect(errors, said).toBe(results.some(({ status }: { status: number }) => status !== 200));
  }
});

test('numbers and the order of weighted texts of a query come back as they were sent', async () => {
  const body = '{"queries":[{"q":{"b":1.0, "10":2e0},"indexName":"texts"},{"indexName":"texts","q":"\\u0061"}]}';
  const response = await send(service.app, { request: 'POST /multi-search', body });
  expect(response.body).toContain('"query":{"b":1.0, "10":2e0},');
  expect(response.body).toContain('"query":"a",');
});

test('the last of several lists of queries counts, however its name is spelt', async () => {
  const name = String.raw`"quer\u0069es"`;
  const body = `{"queries":[{"indexName":"nobody","q":1}],${name}:[{"indexName":"texts","q":"\\u0061"},{"indexName":"texts","q":{"b":1.0}}]}`;
  const response = await send(service.app, { request: 'POST /multi-search', body });
  const { results } = response.json();
  expect(results.map(({ status }: { status: number }) => status)).toEqual([200, 200]);
  expect(response.body).toContain('"query":{"b":1.0},');
});

test('one place for searches is enough, and others that are free are given back', async () => {
  const queries = Array.from({ length: 20 }, () => ({ indexName: 'texts', q: 'cats' }));
  for (let call = 0; call < 5; call += 1) {
    const { results } = (await multi(queries)).json();
    expect(results.map(({ status }: { status: number }) => status)).toEqual(queries.map(() => 200));
  }
  const { reached, open } = gate.hold('search');
  const held = send(service.app, { request: 'POST /indexes/texts/search', body: { q: 'cats' } });
  await reached;
  const { results } = (await multi(queries)).json();
  expect(results.every(({ status }: { status: number }) => status === 200)).toBe(true);
  open();
  expect((await held).statusCode).toBe(200);
});

test('a call that finds no place answers 429, whole', async () => {
  const { reached, open } = gate.hold('search');
  const held = multi([
    { indexName: 'texts', q: 'cats' },
    { indexName: 'texts', q: 'cats' },
  ]);
  await reached;
  // The call under way has both places, one for each of its searches, until the held one is through.
  const { statusCode, headers } = await multi([{ indexName: 'texts', q: 'cats' }]);
  expect([statusCode, headers['retry-after']]).toEqual([429, '1']);
  open();
  expect((await held).statusCode).toBe(200);
});

test('searches that are not done when the time is up have the error 504, and the others their answers', async () => {
  const { open } = gate.hold('search');
  const response = await multi(
    [
      { indexName: 'texts', q: 'cats', searchMethod: 'LEXICAL' },
      { indexName: 'nobody', q: 'cats' },
    ],
    { 'x-request-timeout-ms': '100' },
  );
  open();
  // A machine that is slow may not even have read the call by then.
  if (response.statusCode === 504) return;
  expect(response.json().results).toMatchObject([
    { status: 504, error: { code: 'vector_store_timeout' } },
    { status: expect.toBeOneOf([404, 504]) },
  ]);
});

test('a key for some indexes finds no others', async () => {
  const keyed = await openService();
  try {
    const make = (indexes: string[] | null) =>
      keyed.keys.create({ kind: 'api', name: 'k', scope: 'admin', indexes, origins: null, expiresAt: null });
    const { secret: admin } = await make(null);
    const { secret: one } = await make(['one']);
    const as = (secret: string) => ({ headers: { 'x-api-key': secret } });
    for (const name of ['one', 'two']) {
      await send(keyed.app, { request: `POST /indexes/${name}`, body: { model: 'random/small' }, ...as(admin) });
    }
    const queries = ['one', 'two', 'three'].map((indexName) => ({ indexName, q: 'a' }));
    const statuses = async (secret: string) => {
      const answer = await send(keyed.app, { request: 'POST /multi-search', body: { queries }, ...as(secret) });
      return answer.json().results.map(({ status, error }: any) => (status === 200 ? status : error.message));
    };
    expect(await statuses(admin)).toEqual([200, 200, 'Index three not found']);
    expect(await statuses(one)).toEqual([200, 'Index two not found', 'Index three not found']);
  } finally {
    await keyed.close();
  }
});

test('texts of one model are embedded in one call, each with the vector that it has alone', async () => {
  const inference = createInference({ hubUrl: null, mavenCommand: null, ffmpegCommand: null, threads: 1 });
  try {
    const small = inference.resolve('random/small');
    const large = inference.resolve('random/large');
    const asked: number[] = [];
    const counting: Pick<Inference, 'embedQuery' | 'fieldVectors'> = {
      fieldVectors: inference.fieldVectors,
      embedQuery: (model, inputs, options) => {
        asked.push(inputs.length);
        return inference.embedQuery(model, inputs, options);
      },
    };
    const gathered = new GatheredQueries(counting);
    const queries = [
      [small, ['a', 'b'], true],
      [large, ['a'], true],
      [small, ['c'], true],
      [small, ['c'], false],
      [large, ['d', 'a'], true],
    ] as const;
    const embed = (by: Pick<Inference, 'embedQuery'>) =>
      Promise.all(queries.map(([model, texts, normalize]) => by.embedQuery(model, textInputs(texts), { normalize })));
    const together = embed(gathered);
    gathered.flush();
    expect(await together).toEqual(await embed(inference));
    expect(asked).toEqual([3, 3, 1]);
    // A query that comes late waits for nobody.
    expect(await embed(gathered)).toEqual(await embed(inference));
  } finally {
    await inference.close();
  }
});

test.each([
  ['a model that cannot be had now is asked for once', 'service_unavailable', 1],
  ['a query is asked for alone where those beside it may be to blame', 'bad_request', 3],
] as const)('%s', async (_, code, calls) => {
  const inference = createInference({ hubUrl: null, mavenCommand: null, ffmpegCommand: null, threads: 1 });
  try {
    let asked = 0;
    const failing: Pick<Inference, 'embedQuery' | 'fieldVectors'> = {
      fieldVectors: inference.fieldVectors,
      embedQuery: async () => {
        asked += 1;
        throw new PelorusError(code, 'no');
      },
    };
    const gathered = new GatheredQueries(failing);
    const model = inference.resolve('random/small');
    const both = Promise.allSettled(
      ['a', 'b'].map((text) => gathered.embedQuery(model, textInputs([text]), { normalize: true })),
    );
    gathered.flush();
    const failed = { status: 'rejected', reason: expect.objectContaining({ code }) };
    expect(await both).toEqual([failed, failed]);
    expect(asked).toBe(calls);
  } finally {
    await inference.close();
  }
});

test('the answers of one call have so many bytes together', () => {
  const room = new AnswerRoom(10);
  room.take(Buffer.alloc(6));
  expect(() => room.take(Buffer.alloc(5))).toThrow(
    expect.objectContaining({ code: 'payload_too_large', message: expect.stringContaining('10 bytes') }),
  );
  room.take(Buffer.alloc(4));
});
