import { writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { InputBatch } from '@pelorus/node';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { EmbeddingService, ServiceForm } from '../../src/resolved-model.js';
import { allVectors, type EncodeOptions, textInputs } from '../../src/runtime/encoder.js';
import { EmbeddingServices } from '../../src/service/embedding-services.js';
import { ServiceEncoder, ServiceWork } from '../../src/service/service-encoder.js';
import { describeEncoder } from '../runtime/encoder-conformance.js';
import { temporaryDirectory } from '../temporary-directory.js';
import {
  type Asked,
  componentsOf,
  type Interruption,
  type LoopbackService,
  REFUSED,
  serveEmbeddings,
} from './loopback-service.js';

const FORMS: readonly ServiceForm[] = ['openai', 'ollama', 'cohere'];
const DIM = 4;
const DOCUMENT: EncodeOptions = { normalize: false, priority: 'document' };
const QUERY: EncodeOptions = { normalize: false, priority: 'query' };
const KEY = 'sk-secret';

interface Asking {
  readonly encoder: ServiceEncoder;
  readonly work: ServiceWork;
  /** The waits between tries, in milliseconds: none takes any time. */
  readonly waits: number[];
}

function encoderOf(
  at: Pick<LoopbackService, 'form' | 'url'>,
  changes: Partial<EmbeddingService> = {},
  allowedNetworks = ['127.0.0.0/8'],
): Asking {
  const service: EmbeddingService = {
    form: at.form,
    url: at.url,
    model: 'minilm',
    sendsDimensions: false,
    batchInputsMax: 8,
    timeoutMs: 60_000,
    isOperators: true,
    keyPlace: { variable: 'SERVICE_KEY' },
    ...changes,
  };
  const waits: number[] = [];
  const properties = { type: service.form, url: service.url };
  const services = new EmbeddingServices({
    modelFile: new Map(service.isOperators ? [['far', { properties }]] : []),
    allowedNetworks: service.isOperators ? [] : allowedNetworks,
    pause: async (ms) => waits.push(ms),
    environment: { SERVICE_KEY: KEY },
  });
  onTestFinished(() => services.close());
  const work = new ServiceWork();
  const parts = { name: 'far', service, dimensions: DIM, device: 'cpu', services, work } as const;
  return { encoder: new ServiceEncoder(parts), work, waits };
}

const batch = (...texts: string[]) => InputBatch.of(textInputs(texts));
const many = (count: number) => Array.from({ length: count }, (_, at) => `text ${at}`);
const expected = (texts: readonly string[], as = '') =>
  Float32Array.from(texts.flatMap((text) => componentsOf(text, DIM, as)));

/** A service whose first answers are interrupted. */
async function interrupted(
  answer: (response: ServerResponse, number: number) => boolean,
  form: ServiceForm = 'openai',
) {
  const interrupt: Interruption = (_, response, number) => answer(response, number);
  return serveEmbeddings(form, { dimensions: DIM, interrupt });
}

const answering =
  (status: number, body: string, headers = {}) =>
  (response: ServerResponse) => {
    response.writeHead(status, headers).end(body);
    return true;
  };

describe('a service of every form', () => {
  for (const form of FORMS) {
    // Vectors of queries are others in the form of cohere.
    if (form !== 'cohere') {
      describeEncoder(`ServiceEncoder of ${form}`, {
        open: async () => encoderOf(await serveEmbeddings(form, { dimensions: DIM })).encoder,
        failing: { kind: 'text', text: REFUSED },
      });
    }

    test(`${form} gives the vectors of its texts, in their order`, async () => {
      const service = await serveEmbeddings(form, { dimensions: DIM });
      const { encoder, work } = encoderOf(service);
      const texts = many(20);
      const { vectors, failures, parts } = await encoder.encode(batch(...texts), DOCUMENT);
      expect([failures, parts]).toEqual([[], []]);
      expect(vectors).toEqual(expected(texts, form === 'cohere' ? 'search_document' : ''));
      expect(service.asked.map(({ texts }) => texts.length).sort()).toEqual([4, 8, 8]);
      expect(service.asked.map(({ headers }) => headers.authorization)).toEqual(Array(3).fill(`Bearer ${KEY}`));
      expect(service.asked.map(({ body }) => body.model)).toEqual(Array(3).fill('minilm'));
      expect(work.now()).toEqual({ batches: 3, inputs: 20, tokens: 0, waiting: 0 });
    });

    test(`${form} is told the dimensions where its vectors can be shortened`, async () => {
      const service = await serveEmbeddings(form, { dimensions: DIM });
      const { encoder } = encoderOf(service, { sendsDimensions: true });
      await encoder.encode(batch('a'), DOCUMENT);
      const { body } = service.asked[0] as Asked;
      expect('dimensions' in body ? body.dimensions : body.output_dimension).toBe(DIM);
    });

    test(`${form} may refuse one text, and the others have their vectors`, async () => {
      const service = await serveEmbeddings(form, { dimensions: DIM });
      const texts = [...many(5), REFUSED, ...many(9)];
      const { vectors, failures } = await encoderOf(service).encoder.encode(batch(...texts), DOCUMENT);
      expect(failures).toEqual([{ row: 5, message: expect.stringMatching(/^far: it answered 4\d\d: '/) }]);
      const others = expected(texts, form === 'cohere' ? 'search_document' : '');
      others.fill(0, 5 * DIM, 6 * DIM);
      expect(vectors).toEqual(others);
    });

    test.each([
      ['too few vectors', [1, 1], 'it answered with 1 vectors for 2 texts'],
      ['too many vectors', [1, 1, 1, 1], 'it answered with 4 vectors for 2 texts'],
    ])(`${form} that gives %s is refused`, async (_, counts, reason) => {
      const vectors = counts.length === 2 ? [componentsOf('a', DIM)] : counts.map(() => componentsOf('a', DIM));
      const service = await interrupted(answering(200, JSON.stringify(written(form, vectors))), form);
      await expect(encoderOf(service).encoder.encode(batch('a', 'b'), DOCUMENT)).rejects.toMatchObject({
        code: 'bad_request',
        message: `Model far has no vectors from ${service.url}: ${reason}`,
      });
    });

    test.each([
      ['of other dimensions', componentsOf('a', 3), 'its vectors have 3 dimensions, expected 4'],
      ['of words', ['a', 'b', 'c', 'd'], 'it answered with a vector of what are no numbers'],
      ['of numbers that are too large', [1e300, 0, 0, 0], 'it answered with a vector of what are no numbers'],
      ['that are no lists', 7, 'it answered with a vector that is no list of numbers'],
    ])(`${form} that gives vectors %s is refused`, async (_, vector, reason) => {
      const service = await interrupted(answering(200, JSON.stringify(written(form, [vector]))), form);
      await expect(encoderOf(service).encoder.encode(batch('a'), QUERY)).rejects.toMatchObject({
        code: 'bad_request',
        message: `Model far has no vectors from ${service.url}: ${reason}`,
      });
    });
  }

  test('cohere is told queries from documents', async () => {
    const service = await serveEmbeddings('cohere', { dimensions: DIM });
    const { encoder } = encoderOf(service);
    const told = async (options: EncodeOptions) => allVectors(await encoder.encode(batch('a'), options));
    expect(await told(QUERY)).toEqual(expected(['a'], 'search_query'));
    expect(await told(DOCUMENT)).toEqual(expected(['a'], 'search_document'));
    expect(await told({ ...QUERY, textsAs: 'document' })).toEqual(expected(['a'], 'search_document'));
  });

  test('openai may know no base64, and number nothing', async () => {
    const data = ['a', 'b'].map((text) => ({ embedding: componentsOf(text, DIM) }));
    const service = await interrupted(answering(200, JSON.stringify({ data })));
    expect(allVectors(await encoderOf(service).encoder.encode(batch('a', 'b'), QUERY))).toEqual(expected(['a', 'b']));
    expect(service.asked[0]?.body.encoding_format).toBe('base64');
  });
});

/** An answer of a form with these vectors. */
function written(form: ServiceForm, vectors: readonly unknown[]): object {
  if (form === 'openai') return { data: vectors.map((embedding, index) => ({ index, embedding })) };
  return form === 'ollama' ? { embeddings: vectors } : { embeddings: { float: vectors } };
}

describe('a service that fails', () => {
  const wait = (retryAfter: string) =>
    answering(429, '{"error":{"message":"slow down"}}', { 'retry-after': retryAfter });

  test('is asked again, each time after a longer wait', async () => {
    const service = await interrupted((response, number) => number < 5 && answering(500 + number, 'oops')(response));
    const { encoder, waits } = encoderOf(service);
    expect(allVectors(await encoder.encode(batch('a'), DOCUMENT))).toEqual(expected(['a']));
    expect(waits).toHaveLength(4);
    for (const [at, ms] of waits.entries()) {
      expect(ms).toBeGreaterThanOrEqual(125 * 2 ** at);
      expect(ms).toBeLessThanOrEqual(250 * 2 ** at);
    }
  });

  test('is asked again when it wants to be', async () => {
    const service = await interrupted((response, number) => number === 1 && wait('7')(response));
    const { encoder, waits } = encoderOf(service);
    await encoder.encode(batch('a'), DOCUMENT);
    expect(waits).toEqual([7_000]);
  });

  test.each([
    ['document', 5, '40'],
    ['query', 3, '5'],
  ] as const)(
    'is given up for a %s after %d tries, and at once where the wait would be too long',
    async (priority, triesMax, retryAfter) => {
      const options = { normalize: false, priority };
      const down = await interrupted(answering(503, ''));
      const tried = encoderOf(down);
      await expect(tried.encoder.encode(batch('a'), options)).rejects.toMatchObject({
        code: 'service_unavailable',
        message: `Model far has no vectors from ${down.url}: it answered 503, ${triesMax} times. Try again later.`,
        headers: { 'retry-after': '1' },
      });
      expect(down.asked).toHaveLength(triesMax);

      const busy = await interrupted(wait(retryAfter));
      const { encoder, waits } = encoderOf(busy);
      await expect(encoder.encode(batch('a'), options)).rejects.toMatchObject({
        code: 'service_unavailable',
        message: `Model far has no vectors from ${busy.url}: it answered 429: 'slow down'. Try again later.`,
        headers: { 'retry-after': retryAfter },
      });
      expect(waits).toEqual([]);
    },
  );

  test('in the middle of its answer is asked again', async () => {
    const service = await interrupted((response, number) => {
      if (number > 1) return false;
      response.writeHead(200, { 'content-length': 1_000 }).write('{"data":', () => response.destroy());
      return true;
    });
    const { encoder, waits } = encoderOf(service);
    expect(allVectors(await encoder.encode(batch('a'), QUERY))).toEqual(expected(['a']));
    expect(waits).toHaveLength(1);
  });

  test('and does not listen answers 503 in the end', async () => {
    const { encoder } = encoderOf({ form: 'ollama', url: 'http://127.0.0.1:1/api/embed' });
    await expect(encoder.encode(batch('a'), QUERY)).rejects.toMatchObject({
      code: 'service_unavailable',
      message: expect.stringMatching(/ECONNREFUSED/),
    });
  });

  test('and never answers is given up after its time', async () => {
    const service = await interrupted(() => true);
    const { encoder, waits } = encoderOf(service, { timeoutMs: 1 });
    await expect(encoder.encode(batch('a'), QUERY)).rejects.toMatchObject({
      code: 'service_unavailable',
      message: expect.stringContaining('it did not answer within 1 ms, 3 times'),
    });
    expect(waits).toHaveLength(2);
  });

  test('and never ends its answer is given up at the bytes that vectors take', async () => {
    const service = await interrupted((response) => {
      const more = () => {
        while (response.write(Buffer.alloc(65_536, ' ')));
      };
      response.on('drain', more);
      more();
      return true;
    });
    await expect(encoderOf(service).encoder.encode(batch('a'), QUERY)).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringMatching(/it answered with more than the \d+ bytes that vectors take$/),
    });
  });

  test('and announces too long an answer is not listened to', async () => {
    const service = await interrupted((response) => {
      response.writeHead(200, { 'content-length': 10 ** 9 }).write(' ');
      return true;
    });
    await expect(encoderOf(service).encoder.encode(batch('a'), QUERY)).rejects.toThrow('bytes that vectors take');
  });

  test.each([
    ['no JSON', 'hello', 'it answered with what is no JSON'],
    ['another JSON', '[]', 'it answered with no vectors where the form openai has them'],
  ])('with %s is told of', async (_, body, reason) => {
    const service = await interrupted(answering(200, body));
    await expect(encoderOf(service).encoder.encode(batch('a'), QUERY)).rejects.toMatchObject({
      code: 'bad_request',
      message: `Model far has no vectors from ${service.url}: ${reason}`,
    });
  });

  test('for want of the right key is told of, without the key', async () => {
    const service = await interrupted(answering(401, JSON.stringify({ error: { message: `Incorrect key: ${KEY}.` } })));
    const { encoder, waits } = encoderOf(service);
    const error = await encoder.encode(batch('a'), DOCUMENT).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'bad_request' });
    expect(error.message).toContain("it answered 401: 'Incorrect key: [key].'. Its key is the keyFile");
    expect(waits).toEqual([]);
  });

  test('for want of the model is told of in its own words', async () => {
    const service = await serveEmbeddings('ollama', { dimensions: DIM });
    const { encoder } = encoderOf(service, { model: 'nope' });
    await expect(encoder.encode(batch('a'), DOCUMENT)).rejects.toMatchObject({
      code: 'bad_request',
      message: `Model far has no vectors from ${service.url}: it answered 404: 'model "nope" not found, try pulling it first'`,
    });
  });

  test('every text is asked for a bounded number of times', async () => {
    const service = await interrupted(answering(400, '{"error":"bad model"}'));
    const { encoder } = encoderOf(service, { batchInputsMax: 512 });
    const { failures } = await encoder.encode(batch(...many(512)), DOCUMENT);
    expect(failures.map(({ row }) => row)).toEqual([...many(512).keys()]);
    expect(failures[0]?.message).toBe("far: it answered 400: 'bad model'");
    expect(service.asked.length).toBeLessThan(100);
  });

  test('with a redirect is not followed', async () => {
    const service = await interrupted(answering(307, '', { location: 'http://127.0.0.1:1/' }));
    await expect(encoderOf(service).encoder.encode(batch('a'), QUERY)).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('it answers with a redirect, which is not followed'),
    });
    expect(service.asked).toHaveLength(1);
  });
});

describe('a caller', () => {
  test('gives up, is answered with its reason, and nothing more is asked', async () => {
    const gone = new AbortController();
    const service = await interrupted(() => {
      gone.abort(new Error('gone'));
      return true;
    });
    const { encoder, work } = encoderOf(service);
    const call = encoder.encode(batch(...many(100)), { ...DOCUMENT, signal: gone.signal });
    await expect(call).rejects.toThrow('gone');
    expect(service.asked.length).toBeLessThanOrEqual(4);
    expect(work.now().waiting).toBe(0);
    await expect(encoder.encode(batch('a'), { ...QUERY, signal: gone.signal })).rejects.toThrow('gone');
  });

  test('may bring a key of its own', async () => {
    const service = await serveEmbeddings('cohere', { dimensions: DIM });
    const { encoder } = encoderOf(service, { keyPlace: null });
    await expect(encoder.encode(batch('a'), QUERY)).rejects.toThrow("it answered 401: 'no api key supplied'");
    await encoder.encode(batch('a'), { ...QUERY, serviceKey: 'mine' });
    expect(service.asked.map(({ headers }) => headers.authorization)).toEqual([undefined, 'Bearer mine']);
  });

  test('may name a place within the network only where it is allowed', async () => {
    const service = await serveEmbeddings('ollama', { dimensions: DIM });
    const theirs = { isOperators: false, keyPlace: null };
    await expect(encoderOf(service, theirs, []).encoder.encode(batch('a'), QUERY)).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringMatching(
        /: 127\.0\.0\.1 is not a public address\. If this place is intended, .*--model-download-allowed-networks/,
      ),
    });
    expect(service.asked).toEqual([]);
    expect(allVectors(await encoderOf(service, theirs).encoder.encode(batch('a'), QUERY))).toEqual(expected(['a']));
  });
});

describe('the key of the operator', () => {
  test('is read from its file for each request', async () => {
    const file = join(await temporaryDirectory(), 'key');
    const service = await serveEmbeddings('cohere', { dimensions: DIM });
    const { encoder } = encoderOf(service, { keyPlace: { file } });
    for (const key of ['first', 'second']) {
      await writeFile(file, `${key}\n`);
      await encoder.encode(batch('a'), QUERY);
    }
    expect(service.asked.map(({ headers }) => headers.authorization)).toEqual(['Bearer first', 'Bearer second']);
  });

  test.each([
    ['variable', { variable: 'NO_KEY' }, 'the variable NO_KEY'],
    ['file', { file: '/nowhere/key' }, 'the file /nowhere/key'],
  ])('that its %s does not hold is missed', async (_, keyPlace, place) => {
    const service = await serveEmbeddings('openai', { dimensions: DIM });
    await expect(encoderOf(service, { keyPlace }).encoder.encode(batch('a'), QUERY)).rejects.toMatchObject({
      code: 'bad_request',
      message: `Model far cannot be asked: ${place}, which the model file names, holds no key`,
    });
    expect(service.asked).toEqual([]);
  });
});
