import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseModelFile } from '@pelorus/inference';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import {
  componentsOf,
  type LoopbackService,
  REFUSED,
  serveEmbeddings,
} from '../../../inference/test/service/loopback-service.js';
import { send } from './exchange.js';
import { openService, type Service } from './service.js';

const DIM = 8;
const KEY = 'sk-operators';

let folder: string;
let service: Service;
/** One of each form. Where `answer` is set, it answers in their place. */
let services: Readonly<Record<'openai' | 'ollama' | 'cohere', LoopbackService>>;
let answer: ((response: ServerResponse) => void) | null = null;
const ends: (() => void)[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pelorus-services-'));
  const serve = (form: 'openai' | 'ollama' | 'cohere') =>
    serveEmbeddings(form, {
      dimensions: DIM,
      interrupt: (_, response) => {
        answer?.(response);
        return answer !== null;
      },
      onEnd: (end) => ends.push(end),
    });
  services = { openai: await serve('openai'), ollama: await serve('ollama'), cohere: await serve('cohere') };
  await writeFile(join(folder, 'cohere.key'), `${KEY}\n`);
  const properties = ({ form: type, url }: LoopbackService) => ({ type, url, name: 'minilm', dimensions: DIM });
  const models = {
    openai: { properties: { ...properties(services.openai), textQueryPrefix: 'q: ', textChunkPrefix: 'p: ' } },
    ollama: { properties: properties(services.ollama) },
    cohere: { properties: properties(services.cohere), keyFile: 'cohere.key' },
  };
  const modelFile = parseModelFile({ models }, join(folder, 'models.json'));
  service = await openService(
    { PELORUS_MODEL_DOWNLOAD_ALLOWED_NETWORKS: '127.0.0.0/8', MARQO_ENABLE_OPS_API: 'true' },
    { modelFile },
  );
});

beforeEach(() => {
  answer = null;
});

afterAll(async () => {
  expect(service.responses.faults).toEqual([]);
  await service.close();
  for (const end of ends) end();
  await rm(folder, { recursive: true });
});

const post = (path: string, body: unknown) => send(service.app, { request: `POST ${path}`, body });
const asked = ({ asked }: LoopbackService) => asked.flatMap(({ texts }) => texts);
const unit = (vector: readonly number[]) => vector.map((component) => component / Math.hypot(...vector));

async function created(name: string, settings: object): Promise<void> {
  const { statusCode, body } = await post(`/indexes/${name}`, settings);
  expect(statusCode, body).toBe(200);
}

const documents = ['a lamp', 'a coat', 'a kettle'].map((title, at) => ({ _id: `${at}`, title }));
const added = (index: string, more: object = {}) =>
  post(`/indexes/${index}/documents`, { documents, tensorFields: ['title'], ...more });

describe('models 2.6: an index whose model is a service', () => {
  test.each(['openai', 'ollama', 'cohere'] as const)(
    '%s of the operator embeds documents and queries',
    async (form) => {
      await created(form, { model: form });
      const { statusCode, body } = await added(form, { documents: [...documents, { _id: 'bad', title: REFUSED }] });
      expect(statusCode, body).toBe(200);
      const { items, errors } = JSON.parse(body);
      const isPrefixed = form === 'openai';
      expect(errors).toBe(!isPrefixed);
      const refused = items.filter((item: { status: number }) => item.status !== 200);
      // With its prefix the text is another one.
      if (!isPrefixed) {
        expect(refused).toEqual([
          expect.objectContaining({ _id: 'bad', status: 400, message: expect.stringMatching(/it answered 4\d\d: /) }),
        ]);
      }
      const found = await post(`/indexes/${form}/search`, { q: 'a coat', limit: 1 });
      expect(found.statusCode, found.body).toBe(200);
      expect(found.json().hits).toHaveLength(1);
      if (form === 'ollama') expect(found.json().hits[0]).toMatchObject({ _id: '1' });
      const texts = asked(services[form]);
      expect(texts).toContain(isPrefixed ? 'p: a lamp' : 'a lamp');
      expect(texts).toContain(isPrefixed ? 'q: a coat' : 'a coat');
    },
  );

  test('the program of such a model is told, and nobody sees a key', async () => {
    await created('told', { model: 'cohere' });
    await post('/indexes/told/search', { q: 'a chair' });
    const models = await send(service.app, { request: 'GET /models' });
    expect(models.json().models).toContainEqual({
      ...{ model_name: 'cohere', model_device: 'cpu', encoder: 'service', precision: 'f32' },
    });
    const settings = await send(service.app, { request: 'GET /indexes/told/settings' });
    expect(settings.body + models.body).not.toContain(KEY);
    expect(services.cohere.asked.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`);
    const metrics = await send(service.app, { request: 'GET /metrics' });
    expect(metrics.body).toMatch(/^pelorus_model_batches_total\{device="cpu",encoder="service"\} [1-9]/m);
  });

  test('content to embed is a query or a document there too', async () => {
    await created('kinds', { model: 'cohere' });
    const vectorOf = async (content_type: string) => {
      const { embeddings } = (await post('/indexes/kinds/embed', { content: 'a vase', content_type })).json();
      return embeddings[0] as number[];
    };
    for (const [kind, as] of [
      ['query', 'search_query'],
      ['document', 'search_document'],
    ] as const) {
      const vector = await vectorOf(kind);
      for (const [at, component] of unit(componentsOf('a vase', DIM, as)).entries()) {
        expect(vector[at]).toBeCloseTo(component, 5);
      }
    }
  });

  test('queries of one call are asked for together', async () => {
    await created('together', { model: 'ollama' });
    const before = services.ollama.asked.length;
    const queries = ['one desk', 'two desks', 'one desk'].map((q) => ({ indexName: 'together', q }));
    const answered = await post('/multi-search', { queries });
    expect(answered.json(), answered.body).toMatchObject({ errors: false });
    expect(services.ollama.asked.slice(before).map(({ texts }) => texts)).toEqual([['one desk', 'two desks']]);
  });

  test('a request may name a service, and bring the key that it alone has', async () => {
    const { url } = services.cohere;
    const modelProperties = { type: 'cohere', url, name: 'embed', dimensions: DIM };
    await created('own', { model: 'mine', modelProperties });
    const shown = await send(service.app, { request: 'GET /indexes/own/settings' });
    expect(shown.json().modelProperties).toEqual(modelProperties);

    const without = await added('own');
    expect(without.statusCode).toBe(400);
    expect(without.json()).toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining("it answered 401: 'no api key supplied'. Its key is the keyFile or keyVariable"),
    });
    const modelAuth = { service: { key: 'sk-callers' } };
    expect((await added('own', { modelAuth })).json()).toMatchObject({ errors: false });
    expect((await post('/indexes/own/search', { q: 'a coat', modelAuth })).statusCode).toBe(200);
    expect(services.cohere.asked.at(-1)?.headers.authorization).toBe('Bearer sk-callers');
    // A vector that one key paid for is not known to those without.
    expect((await post('/indexes/own/search', { q: 'a coat' })).statusCode).toBe(400);
  });

  test('where it is may change, and what its vectors depend on may not', async () => {
    const properties = { type: 'ollama', url: `${services.ollama.origin}/gone`, name: 'minilm', dimensions: DIM };
    await created('moving', { model: 'mine', modelProperties: properties });
    expect((await added('moving')).json()).toMatchObject({ message: expect.stringContaining("404: 'not found'") });
    const patch = (modelProperties: object) =>
      send(service.app, { request: 'PATCH /indexes/moving/index-settings', body: { modelProperties } });
    const moved = await patch({ ...properties, url: services.ollama.url, batchInputsMax: 2, timeoutMs: 5_000 });
    expect(moved.statusCode, moved.body).toBe(200);
    const before = services.ollama.asked.length;
    expect((await added('moving')).json()).toMatchObject({ errors: false });
    expect(services.ollama.asked.slice(before).map(({ texts }) => texts.length)).toEqual([2, 1]);
    expect((await patch({ ...properties, name: 'other' })).json()).toMatchObject({ code: 'invalid_argument' });
  });
});

describe('models 2.6: a service that fails', () => {
  test('fails the call with 503, and with the time that it wants', async () => {
    await created('failing', { model: 'openai' });
    answer = (response) => response.writeHead(429, { 'retry-after': '90' }).end('{"error":{"message":"slow down"}}');
    for (const response of [await added('failing'), await post('/indexes/failing/search', { q: 'a bed' })]) {
      expect(response.statusCode, response.body).toBe(503);
      expect(response.headers['retry-after']).toBe('90');
      expect(response.json()).toMatchObject({
        code: 'service_unavailable',
        message: `Model openai has no vectors from ${services.openai.url}: it answered 429: 'slow down'. Try again later.`,
      });
    }
    answer = null;
    const { results } = (await post('/indexes/failing/documents/get-batch', { documentIds: ['0'] })).json();
    expect(results).toMatchObject([{ _id: '0', _found: false }]);
    expect((await post('/indexes/failing/search', { q: 'a bed' })).statusCode).toBe(200);
  });

  test('fails its search among several, and no other', async () => {
    await created('several', { model: 'openai' });
    await created('others', { model: 'random/small' });
    answer = (response) => response.writeHead(403).end();
    const queries = ['several', 'others'].map((indexName) => ({ indexName, q: 'a rug' }));
    const { results, errors } = (await post('/multi-search', { queries })).json();
    expect(errors).toBe(true);
    expect(results).toMatchObject([
      { indexName: 'several', status: 400, error: { code: 'bad_request' } },
      { indexName: 'others', status: 200 },
    ]);
  });

  test('and is away is asked once for the searches of one call', async () => {
    await created('away', { model: 'ollama' });
    answer = (response) => response.writeHead(503, { 'retry-after': '60' }).end();
    const before = services.ollama.asked.length;
    const queries = ['a bench', 'a stool'].map((q) => ({ indexName: 'away', q }));
    const { results } = (await post('/multi-search', { queries })).json();
    expect(results.map(({ status }: { status: number }) => status)).toEqual([503, 503]);
    expect(services.ollama.asked).toHaveLength(before + 1);
  });

  test('ends with the time of the search', async () => {
    await created('late', { model: 'openai' });
    answer = () => undefined;
    const request = { request: 'POST /indexes/late/search', body: { q: 'a shelf' } };
    const late = await send(service.app, { ...request, headers: { 'x-request-timeout-ms': '50' } });
    expect(late.statusCode, late.body).toBe(504);
  });
});

describe('models 2.6: a place within the network', () => {
  test('is refused where the operator does not allow it', async () => {
    const strict = await openService();
    onTestFinished(() => strict.close());
    const { url } = services.ollama;
    const modelProperties = { type: 'ollama', url, name: 'minilm', dimensions: DIM };
    const before = services.ollama.asked.length;
    await send(strict.app, { request: 'POST /indexes/inside', body: { model: 'mine', modelProperties } });
    const found = await send(strict.app, { request: 'POST /indexes/inside/search', body: { q: 'a' } });
    expect(found.statusCode).toBe(400);
    expect(found.json().message).toContain('127.0.0.1 is not a public address. If this place is intended, its network');
    expect(services.ollama.asked).toHaveLength(before);
  });
});
