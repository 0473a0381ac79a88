import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import {
  allVectors,
  createInference,
  type EmbedOptions,
  type Inference,
  type InferenceConfig,
  InputBatch,
  parseModelFile,
  type ResolvedModel,
  textInputs,
} from '@pelorus/inference';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type EncoderSpec,
  encoder,
  external,
  floats,
  graph,
  integers,
  node,
  model as onnxModel,
  value,
  wordTokenizer,
} from '../onnx/onnx-model.js';
import { temporaryDirectory } from '../temporary-directory.js';
import { loseWithNextTask, startedWorkers } from './lost-worker.js';

const DIM = 8;

interface TinySpec {
  /** Bytes of the graph; a small encoder by default. */
  readonly graph?: Uint8Array;
  readonly encoder?: EncoderSpec;
  /** More properties of the model. */
  readonly properties?: Record<string, unknown>;
  readonly config?: InferenceConfig;
}

/** Inference with small models of the operator's, by name. */
async function inferenceWith(
  specs: Record<string, TinySpec>,
  config: InferenceConfig = {},
): Promise<{ inference: Inference; models: Record<string, ResolvedModel> }> {
  const directory = await temporaryDirectory();
  const entries: Record<string, unknown> = {};
  for (const [name, spec] of Object.entries(specs)) {
    const folder = join(directory, name);
    await mkdir(folder);
    await writeFile(join(folder, 'model.onnx'), spec.graph ?? encoder({ dim: DIM, ...spec.encoder }));
    await writeFile(join(folder, 'tokenizer.json'), wordTokenizer());
    entries[name] = {
      folder,
      properties: { name: `test/${name}`, dimensions: DIM, tokens: 64, modelSize: 1, ...spec.properties },
    };
  }
  const modelFile = parseModelFile({ models: entries }, join(directory, 'models.json'));
  const inference = createInference({
    modelFile,
    modelDir: directory,
    hubUrl: null,
    mavenCommand: null,
    threads: 2,
    ...config,
  });
  onTestFinished(() => inference.close());
  const models = Object.fromEntries(Object.keys(specs).map((name) => [name, inference.resolve(name)]));
  return { inference, models };
}

async function tiny(spec: TinySpec = {}): Promise<{ inference: Inference; model: ResolvedModel }> {
  const { inference, models } = await inferenceWith({ tiny: spec }, spec.config);
  return { inference, model: models.tiny as ResolvedModel };
}

type Embedded = EmbedOptions & { readonly as: 'document' | 'query' };
const DOCUMENT: Embedded = { normalize: true, as: 'document' };
const QUERY: Embedded = { normalize: true, as: 'query' };

/** Texts of one to forty words, all different. */
const TEXTS = Array.from({ length: 90 }, (_, i) =>
  Array.from({ length: 1 + ((i * 17) % 40) }, (_, j) => `w${(i * 7 + j * 3) % 59}`).join(' '),
);

/** Vectors of texts, `[texts, dim]`. */
async function embed(
  inference: Inference,
  model: ResolvedModel,
  texts: readonly string[],
  { as, ...options }: Embedded,
): Promise<Float32Array> {
  const inputs = textInputs(texts);
  return allVectors(
    as === 'query'
      ? await inference.embedQuery(model, inputs, options)
      : await inference.embed(model, InputBatch.of(inputs), options),
  );
}

const row = (vectors: Float32Array, i: number, dim = DIM) => [...vectors.subarray(i * dim, (i + 1) * dim)];

function expectClose(received: readonly number[], expected: readonly number[], tolerance = 1e-6): void {
  expect(received).toHaveLength(expected.length);
  for (const [i, value] of expected.entries())
    expect(Math.abs((received[i] ?? Number.NaN) - value)).toBeLessThanOrEqual(tolerance);
}

test('vectors come in the order of the texts, of unit length', async () => {
  const { inference, model } = await tiny();
  const vectors = await embed(inference, model, TEXTS, DOCUMENT);
  expect(vectors).toHaveLength(TEXTS.length * DIM);
  for (const i of TEXTS.keys()) expect(Math.hypot(...row(vectors, i))).toBeCloseTo(1, 5);
});

test("a text's vector does not depend on what else is in its batch", async () => {
  const { inference, model } = await tiny();
  const together = await embed(inference, model, TEXTS, DOCUMENT);
  for (const [i, text] of TEXTS.entries()) {
    const alone = await embed(inference, model, [text], DOCUMENT);
    expectClose(row(together, i), [...alone]);
  }
});

test('a text is cut to the tokens of the model', async () => {
  const { inference, model } = await tiny({ properties: { tokens: 6 } });
  const vectors = await embed(inference, model, ['w1 w2 w3 w4', 'w1 w2 w3 w4 w5 w6'], DOCUMENT);
  expect(row(vectors, 0)).toEqual(row(vectors, 1));
});

test.each([DOCUMENT, QUERY])('repeated texts are answered everywhere, of a $as', async (options) => {
  const { inference, model } = await tiny();
  const vectors = await embed(inference, model, ['w1 w2', 'w3', 'w1 w2'], options);
  expect(row(vectors, 2)).toEqual(row(vectors, 0));
  expect(row(vectors, 1)).not.toEqual(row(vectors, 0));
});

test('a text that the graph cannot take fails alone, wherever it stands', async () => {
  // The graph's table ends before the last words of the tokenizer.
  const { inference, model } = await tiny({ encoder: { vocabulary: 50 } });
  const { vectors, failures } = await inference.embedQuery(model, textInputs(['w59', 'w1', 'w59']), QUERY);
  expect(failures).toEqual([0, 2].map((row) => ({ row, message: expect.any(String) })));
  expectClose(row(vectors, 1), [...(await embed(inference, model, ['w1'], QUERY))]);
  await expect(embed(inference, model, ['w1', 'w59'], QUERY)).rejects.toMatchObject({
    code: 'invalid_argument',
    message: expect.stringMatching(/^The input cannot be embedded: .*Gather/),
  });
});

test('no texts have no vectors', async () => {
  const { inference, model } = await tiny();
  expect(await embed(inference, model, [], DOCUMENT)).toHaveLength(0);
});

test('without normalisation the vector is the mean of the hidden states, with it the same at unit length', async () => {
  const { inference, model } = await tiny();
  const raw = await embed(inference, model, ['w1 w2 w3'], { ...QUERY, normalize: false });
  const unit = await embed(inference, model, ['w1 w2 w3'], QUERY);
  const length = Math.hypot(...raw);
  expect(length).not.toBeCloseTo(1, 2);
  expectClose(
    [...unit],
    [...raw].map((x) => x / length),
  );
});

test('the first token can be taken instead of the mean', async () => {
  const { inference, models } = await inferenceWith({ mean: {}, first: { properties: { poolingMethod: 'cls' } } });
  const [mean, first] = await Promise.all(
    ['mean', 'first'].map((name) => embed(inference, models[name] as ResolvedModel, ['w1 w2'], QUERY)),
  );
  expect(mean).not.toEqual(first);
});

test('queries and documents of one text have one vector', async () => {
  const { inference, model } = await tiny();
  const document = await embed(inference, model, TEXTS.slice(0, 9), DOCUMENT);
  expectClose([...(await embed(inference, model, TEXTS.slice(0, 9), QUERY))], [...document]);
});

test('a query that was asked before is answered without the model', async () => {
  const { inference, model } = await tiny();
  const timings: unknown[] = [];
  const options = { ...QUERY, telemetry: (told: unknown) => timings.push(told) };
  const first = await embed(inference, model, ['w1'], options);
  expect(await embed(inference, model, ['w1'], options)).toEqual(first);
  expect(timings).toHaveLength(1);
  expect(timings[0]).toEqual({ tokenizeMs: expect.any(Number), inferMs: expect.any(Number) });
});

test('queries go before documents that came earlier', async () => {
  const slow = { encoder: { extraLayers: 1500 }, config: { threads: 1, documentBatchTokens: 32 } };
  const { inference, model } = await tiny(slow);
  await inference.load(model);
  const ended: string[] = [];
  const documents = embed(inference, model, TEXTS, DOCUMENT).then(() => ended.push('documents'));
  const queries = ['w1', 'w2', 'w3'].map((text) =>
    embed(inference, model, [text], QUERY).then(() => ended.push('query')),
  );
  await Promise.all([documents, ...queries]);
  expect(ended).toEqual(['query', 'query', 'query', 'documents']);
});

test('many calls at once are all answered rightly', async () => {
  const { inference, model } = await tiny();
  const expected = await embed(inference, model, TEXTS, DOCUMENT);
  await Promise.all(
    Array.from({ length: 60 }, async (_, i) => {
      const some = [i % TEXTS.length, (i * 5 + 1) % TEXTS.length];
      const options = i % 2 === 0 ? QUERY : DOCUMENT;
      const vectors = await embed(
        inference,
        model,
        some.map((at) => TEXTS[at] ?? ''),
        options,
      );
      for (const [place, at] of some.entries()) expectClose(row(vectors, place), row(expected, at));
    }),
  );
});

describe('a graph is fed what it declares', () => {
  test('with token types', async () => {
    const { inference, model } = await tiny({ encoder: { moreInputs: ['token_type_ids'] } });
    await expect(embed(inference, model, TEXTS, DOCUMENT)).resolves.toHaveLength(TEXTS.length * DIM);
  });

  test.each([1, 4])('with a batch of exactly %i', async (batch) => {
    const { inference, models } = await inferenceWith({ any: {}, fixed: { encoder: { batch } } });
    const [any, fixed] = await Promise.all(
      ['any', 'fixed'].map((name) => embed(inference, models[name] as ResolvedModel, TEXTS, DOCUMENT)),
    );
    expectClose([...(fixed ?? [])], [...(any ?? [])]);
  });

  test('and a text with more tokens than it has positions for fails alone, and says how many these are', async () => {
    const step = (op: string, inputs: string[], output: string) => node({ op, inputs, output });
    // The first position is 1, as models have it whose padding is 0.
    const positions = onnxModel(
      graph({
        nodes: [
          step('CumSum', ['attention_mask', 'axis'], 'positions'),
          step('Gather', ['table', 'positions'], 'last_hidden_state'),
        ],
        initializers: [
          floats(
            'table',
            [17, DIM],
            Float32Array.from({ length: 17 * DIM }, (_, i) => Math.sin(i)),
          ),
          integers('axis', [1]),
        ],
        inputs: ['input_ids', 'attention_mask'].map((name) => value(name, 7, ['batch', 'length'])),
        outputs: [value('last_hidden_state', 1, ['batch', 'length', DIM])],
      }),
    );
    const { inference, model } = await tiny({ graph: positions });
    const texts = ['w1', Array.from({ length: 30 }, (_, i) => `w${i}`).join(' ')];
    const { failures } = await inference.embed(model, InputBatch.of(textInputs(texts)), DOCUMENT);
    const message = 'its graph has positions for 17 tokens, received 32; set tokens to what it takes';
    expect(failures).toEqual([{ row: 1, message: expect.stringContaining(message) }]);
  });

  test('and refused when it asks for something else', async () => {
    const { inference, model } = await tiny({ encoder: { moreInputs: ['pixel_values'] } });
    await expect(embed(inference, model, ['w1'], QUERY)).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('its graph asks for an input "pixel_values"'),
    });
  });
});

describe('a model that cannot be loaded is a bad request that says why', () => {
  test.each<[string, TinySpec, string]>([
    ['no graph', { graph: Buffer.from('not a graph') }, 'cannot be loaded'],
    ['other dimensions', { encoder: { dim: 5 } }, 'its vectors have 5 dimensions, its properties say 8'],
    [
      'tensors elsewhere',
      { graph: onnxModel(graph({ nodes: [], initializers: [external('w', [2], '../secret')] })) },
      'refers to "../secret", which is not a file beside it',
    ],
    [
      'tensors in a file that is missing',
      { graph: onnxModel(graph({ nodes: [], initializers: [external('w', [2], 'model.onnx.data')] })) },
      'refers to model.onnx.data, which is not a file beside it',
    ],
    [
      'an operator nobody knows',
      {
        graph: onnxModel(
          graph({
            nodes: [node({ op: 'NoSuchOperator', inputs: ['w'], output: 'y' })],
            initializers: [floats('w', [1], Float32Array.of(1))],
          }),
        ),
      },
      'cannot be loaded',
    ],
    ['a token limit without room', { properties: { tokens: 2 } }, 'token limit must exceed'],
  ])('%s', async (_, spec, reason) => {
    const { inference, model } = await tiny(spec);
    await expect(embed(inference, model, ['w1'], QUERY)).rejects.toMatchObject({
      code: 'bad_request',
      status: 400,
      message: expect.stringContaining(reason),
    });
    expect(inference.loaded()).toEqual([]);
  });
});

describe('models without weights', () => {
  test('random ones give unit vectors that depend on the text alone', async () => {
    const { inference } = await tiny();
    const random = inference.resolve('random/small');
    const vectors = await embed(inference, random, ['a', 'b'], DOCUMENT);
    expect(vectors).toHaveLength(64);
    expect(Math.hypot(...row(vectors, 1, 32))).toBeCloseTo(1, 5);
    expect(row(await embed(inference, random, ['b'], { ...QUERY, normalize: false }), 0, 32)).toEqual(
      row(vectors, 1, 32),
    );
  });

  test('no_model has no vectors to give', async () => {
    const { inference } = await tiny();
    const none = inference.resolve('no_model', { type: 'no_model', dimensions: 3 });
    await expect(embed(inference, none, ['a'], QUERY)).rejects.toMatchObject({ code: 'invalid_argument', status: 400 });
  });

  test('a joint model that is not here is a bad request that says what to put where', async () => {
    const { inference } = await tiny();
    await expect(embed(inference, inference.resolve('ViT-B/32'), ['a'], QUERY)).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('put text/model.onnx, image/model.onnx and tokenizer.json into <model-dir>/'),
    });
  });
});

test('a device that is not there is refused before anything is loaded', async () => {
  const { inference, model } = await tiny();
  expect(() => inference.device('cuda')).toThrow(expect.objectContaining({ code: 'hardware_compatability_error' }));
  await expect(embed(inference, model, ['w1'], { ...QUERY, device: 'cuda' })).rejects.toMatchObject({
    code: 'hardware_compatability_error',
  });
  expect(inference.loaded()).toEqual([]);
});

test('credentials that are none are refused', async () => {
  const { inference, model } = await tiny();
  await expect(embed(inference, model, ['w1'], { ...DOCUMENT, modelAuth: {} })).rejects.toMatchObject({
    code: 'invalid_argument',
  });
});

describe('loaded models', () => {
  const three = { 'house/a': {}, 'house/ab': {}, other: {} };
  const flat = Object.fromEntries(Object.entries(three).map(([name, spec]) => [name.replace('/', '-'), spec]));

  test('are listed by every name they were asked for by, and ejected by name, then by the start of one', async () => {
    const { inference, models } = await inferenceWith(flat);
    for (const name of ['house-ab', 'house-a', 'other'])
      await embed(inference, models[name] as ResolvedModel, ['w1'], QUERY);
    const names = () => inference.loaded().map(({ model_name }) => model_name);
    expect(inference.loaded()[0]).toEqual({
      model_name: 'house-ab',
      model_device: 'cpu',
      encoder: 'onnxruntime',
      precision: 'f32',
    });
    expect(await inference.eject('house-a', 'cuda')).toBeNull();
    expect(await inference.eject('house-a', 'CPU')).toEqual({ name: 'house-a', devices: ['cpu'] });
    expect(names()).toEqual(['house-ab', 'other']);
    expect(await inference.eject('hou')).toEqual({ name: 'house-ab', devices: ['cpu'] });
    expect(names()).toEqual(['other']);
    expect(await inference.eject('hou')).toBeNull();
    await expect(embed(inference, models['house-a'] as ResolvedModel, ['w2'], QUERY)).resolves.toHaveLength(DIM);
  });

  test('make room for others, the least recently used first', async () => {
    const { inference, models } = await inferenceWith(flat, { modelMemory: 3 });
    const [a, ab, other] = ['house-a', 'house-ab', 'other'].map((name) => models[name] as ResolvedModel);
    for (const model of [a, ab, a, other]) await embed(inference, model as ResolvedModel, ['w1'], DOCUMENT);
    expect(inference.loaded().map(({ model_name }) => model_name)).toEqual(['house-a', 'other']);
  });

  test('leave no room for one that is larger than the memory', async () => {
    const { inference, model } = await tiny({ config: { modelMemory: 0.5 } });
    await expect(embed(inference, model, ['w1'], QUERY)).rejects.toMatchObject({
      code: 'model_cache_management_error',
      status: 409,
    });
  });

  test('answer what they were asked before they are ejected', async () => {
    const { inference, model } = await tiny({ encoder: { extraLayers: 300 } });
    await inference.load(model);
    const running = embed(inference, model, TEXTS, DOCUMENT);
    expect(await inference.eject('tiny')).toEqual({ name: 'tiny', devices: ['cpu'] });
    await expect(running).resolves.toHaveLength(TEXTS.length * DIM);
  });

  test('take their query vectors along when they are ejected, so that a changed folder counts', async () => {
    const { inference, model } = await tiny();
    const before = await embed(inference, model, ['w1'], QUERY);
    const { path } = model.weights as { path: string };
    await writeFile(join(path, 'model.onnx'), encoder({ dim: DIM, extraLayers: 1 }));
    expect(await embed(inference, model, ['w1'], QUERY)).toEqual(before);
    await inference.eject('tiny');
    expect(await embed(inference, model, ['w1'], QUERY)).not.toEqual(before);
  });

  test('are told apart by their folders, however alike their properties are', async () => {
    const properties = { name: 'test/same' };
    const { inference, models } = await inferenceWith({
      one: { properties },
      two: { properties, encoder: { extraLayers: 1 } },
    });
    const [one, two] = await Promise.all(
      [models.one, models.two].map((model) => embed(inference, model as ResolvedModel, ['w1'], QUERY)),
    );
    expect(one).not.toEqual(two);
    expect(inference.loaded()).toHaveLength(2);
  });
});

test('a worker that is lost fails what it was doing, and the next call finds another', async () => {
  const workers = startedWorkers();
  const { inference, model } = await tiny({ config: { threads: 1, documentBatchTokens: 64 } });
  const expected = await embed(inference, model, TEXTS, DOCUMENT);
  loseWithNextTask(workers[0] as Worker);
  await expect(embed(inference, model, TEXTS, DOCUMENT)).rejects.toMatchObject({
    code: 'service_unavailable',
    status: 503,
    message: expect.stringMatching(/^An inference worker ended unexpectedly \(.+\)\. Try again\.$/),
  });
  expectClose([...(await embed(inference, model, TEXTS, DOCUMENT))], [...expected]);
  expect(workers).toHaveLength(2);
});

test('after closing, calls are refused, and no thread is started for a model that was not loaded', async () => {
  const workers = startedWorkers();
  const { inference, models } = await inferenceWith({ loaded: {}, other: {} }, { threads: 1 });
  await embed(inference, models.loaded as ResolvedModel, ['w1'], DOCUMENT);
  await inference.close();
  for (const model of Object.values(models)) {
    await expect(embed(inference, model, ['w2'], DOCUMENT)).rejects.toMatchObject({ code: 'service_unavailable' });
  }
  expect(workers).toHaveLength(1);
});
