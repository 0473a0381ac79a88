import { expect } from 'vitest';
import { encoder, wordTokenizer } from '../../../inference/test/onnx/onnx-model.js';
import type { Case, Exchange, Part, SmallModel } from './case.js';
import { refused } from './creation-cases.js';
import { add, adding, facet, failure, findsFirst, hasFacets, near, readsFacets, refuse } from './documents.js';
import { error, holding, inBody, invalidArgument, noIndex, problems, unprocessable } from './errors.js';
import { create, nameAfter, own, small } from './indexes.js';

const DIM = 8;
/** Most tokens of a text, those around it counted. */
const TOKENS = 6;
const [CLS, SEP, W0] = [2, 3, 4];
/** The word of what is none. */
const UNKNOWN = 1 - W0;

const smallModel = (poolingMethod: string, rest: object = {}): SmallModel => ({
  files: { 'model.onnx': encoder({ dim: DIM }), 'tokenizer.json': wordTokenizer() },
  properties: { dimensions: DIM, tokens: TOKENS, poolingMethod, ...rest },
});

/** The embedding of a token in the graph of `encoder`, and its results for the tokens of a text. */
const embedding = (id: number) =>
  Array.from({ length: DIM }, (_, i) => Math.sin((id * DIM + i) * 1.7 + ((id * DIM + i) % 13)));
const mean = (rows: readonly (readonly number[])[]) =>
  Array.from({ length: DIM }, (_, i) => rows.reduce((sum, row) => sum + (row[i] ?? 0), 0) / rows.length);
function states(...words: readonly number[]): number[][] {
  const rows = [CLS, ...words.map((word) => W0 + word), SEP].map(embedding);
  const middle = mean(rows);
  return rows.map((row) => row.map((number, i) => Math.tanh(number + (middle[i] ?? 0))));
}
const meanOf = (...words: readonly number[]) => mean(states(...words));
const firstOf = (...words: readonly number[]) => states(...words)[0] ?? [];
const scaled = (vector: readonly number[], by: number) => vector.map((number) => number * by);
const plus = (a: readonly number[], b: readonly number[]) => a.map((number, i) => number + (b[i] ?? 0));
const unit = (vector: readonly number[]) => scaled(vector, 1 / Math.hypot(...vector));

/** Contents are sent back as they came, with one vector for each entry. */
const embeds = (
  index: string,
  content: unknown,
  embeddings: unknown,
  rest: object = { content_type: null },
): Exchange => ({
  request: `POST /indexes/${index}/embed`,
  body: { content, ...rest },
  status: 200,
  answer: { content, embeddings, processingTimeMs: expect.any(Number) },
});
const one = (section: string, about: string, ...exchanges: readonly Exchange[]): Case => ({
  section,
  about,
  exchanges,
});
const prefixed = { model: 'mean', normalizeEmbeddings: false, textQueryPrefix: 'w8 ', textChunkPrefix: 'w9 ' };
const inT = { tensorFields: ['t'] };
const passes = (accepts: (vectors: number[][]) => boolean) => expect.toSatisfy(accepts);
const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
const chunked = (
  section: string,
  method: string,
  [length, overlap]: readonly [number, number],
  t: string,
  ...chunks: string[]
) => {
  const index = nameAfter(`${section} ${method} ${length} ${overlap} ${t}`).slice(0, 80);
  const textPreprocessing = { splitMethod: method, splitLength: length, splitOverlap: overlap };
  return one(
    section,
    `${method}s ${length}, ${overlap} again, of ${t}`,
    create(index, { ...small, textPreprocessing }),
    add(index, [{ _id: 'a', t }], inT),
    readsFacets(index, { _id: 'a', t }, ...chunks.map((chunk) => facet('t', chunk))),
  );
};

const texts: Case[] = [
  one(
    'models 3.1',
    'a chunk is stored as it is, and embedded after its prefix',
    create('chunk', { model: 'mean', normalizeEmbeddings: false, textChunkPrefix: 'w9 ' }),
    add('chunk', [{ _id: 'a', t: 'w1 w2' }], inT),
    hasFacets('chunk', 'a', facet('t', 'w1 w2', near(...meanOf(9, 1, 2)))),
  ),
  one(
    'models 3.2',
    'a text that exceeds the tokens of a model is cut off at the right',
    embeds('raw', ['w1 w2 w3 w4 w5 w6', 'w1 w2 w3 w4'], [near(...meanOf(1, 2, 3, 4)), near(...meanOf(1, 2, 3, 4))]),
  ),
  one(
    'models 3.2',
    'texts of a batch have no say in each other’s vectors',
    embeds('raw', ['w1', 'w1 w2 w3'], [near(...meanOf(1)), near(...meanOf(1, 2, 3))]),
  ),
  one('models 3.3', 'the mean of the tokens', embeds('raw', 'w1 w2', [near(...meanOf(1, 2))])),
  one('models 3.3', 'the first token', embeds('first', ['w1 w2', 'w3'], [near(...firstOf(1, 2)), near(...firstOf(3))])),
  one('models 3.4', 'vectors of unit length where that is asked for', embeds('mean', 'w1', [near(...unit(meanOf(1)))])),
  one(
    'models 3.4',
    'the mean of weighted vectors, which is not that of their weights',
    embeds('raw', { w1: 2, w2: -1 }, [near(...scaled(plus(scaled(meanOf(1), 2), scaled(meanOf(2), -1)), 0.5))]),
    embeds('mean', { w1: 2, w2: -1 }, [near(...unit(plus(scaled(unit(meanOf(1)), 2), scaled(unit(meanOf(2)), -1))))]),
  ),
  one(
    'models 3.4',
    'a vector of one’s own is scaled, and one without a direction refused',
    create('given', own(2)),
    add('given', [{ _id: 'a', v: { content: 'c', vector: [3, 4] } }], customV()),
    hasFacets('given', 'a', facet('v', 'c', near(0.6, 0.8))),
    refuse('given', { _id: 'b', v: { vector: [0, 0] } }, failure('b', holding('zero')), customV()),
  ),
  chunked('models 3.5', 'character', [4, 1], 'short', 'shor', 'rt'),
  chunked('models 3.5', 'character', [4, 2], 'short', 'shor', 'ort'),
  chunked('models 3.5', 'character', [4, 3], 'short', 'shor', 'hort'),
  chunked('models 3.5', 'character', [1, 0], 'short', 's', 'h', 'o', 'r', 't'),
  chunked('models 3.5', 'word', [3, 1], 'some text to test chunking', 'some text to', 'to test chunking'),
  chunked('models 3.5', 'passage', [1, 0], 'a b\n\nc', 'a b', 'c'),
  chunked('models 3.5', 'sentence', [1, 0], ' \n\t', ' '),
  ...[2, 3].map((splitOverlap) =>
    refused(
      'models 3.5',
      `chunks of two that share ${splitOverlap}`,
      { ...small, textPreprocessing: { splitMethod: 'word', splitLength: 2, splitOverlap } },
      unprocessable({ ...problems.rule(inBody('textPreprocessing', 'splitOverlap'), holding('must be less than')) }),
    ),
  ),
  chunked('models 3.6', 'word', [99, 0], 'He said "cannot", twice.', "He said `` can not '' , twice ."),
  chunked('models 3.6', 'word', [99, 0], "We'll see: it's 3:30, isn't it?", "We 'll see : it 's 3:30 , is n't it ?"),
  chunked(
    'models 3.7',
    'sentence',
    [1, 0],
    'Dr. Smith came at 5 p.m. on foot. He left.',
    'Dr. Smith came at 5 p.m. on foot.',
    'He left.',
  ),
  chunked('models 3.7', 'sentence', [1, 0], 'Really? "Yes." So it is', 'Really?', '"Yes."', 'So it is'),
  one(
    'models 3.8',
    'prefixes of the request, else of the index; what is embedded has that of its kind or none',
    embeds('prefixed', 'w1', [near(...meanOf(8, 1))], {}),
    embeds('prefixed', 'w1', [near(...meanOf(8, 1))], { content_type: 'query' }),
    embeds('prefixed', 'w1', [near(...meanOf(9, 1))], { content_type: 'document' }),
    embeds('prefixed', 'w1', [near(...meanOf(1))], { content_type: null }),
    embeds('prefixed', { w1: 1, w2: 1 }, [near(...scaled(plus(meanOf(8, 1), meanOf(8, 2)), 0.5))], {}),
    add('prefixed', [{ _id: 'a', t: 'w1' }], { ...inT, textChunkPrefix: 'w5 ' }),
    hasFacets('prefixed', 'a', facet('t', 'w1', near(...meanOf(5, 1)))),
    add('prefixed', [{ _id: 'a', t: 'w1' }], { ...inT, textChunkPrefix: '' }),
    hasFacets('prefixed', 'a', facet('t', 'w1', near(...meanOf(1)))),
    add('prefixed', [{ _id: 'a', t: 'w1' }], inT),
    hasFacets('prefixed', 'a', facet('t', 'w1', near(...meanOf(9, 1)))),
  ),
  one('models 3.8', 'no other kind of content', {
    request: 'POST /indexes/prefixed/embed',
    body: { content: 'x', content_type: 'title' },
    status: 422,
  }),
  ...['http://shop.example/w1.png', 'https://shop.example/w1.mp4?w=2'].map((url) =>
    one(
      'models 3.8',
      `a model of texts takes ${url} as it is, without a prefix`,
      embeds('prefixed', url, [near(...meanOf(UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN))], { content_type: 'query' }),
    ),
  ),
  one(
    'models 3.8',
    'an index that takes no pointers takes a URL for any text, with its prefix',
    embeds('letters', 'http://shop.example/w1.png', [near(...meanOf(8, UNKNOWN, UNKNOWN, UNKNOWN))], {
      content_type: 'query',
    }),
  ),
  one(
    'models 3.8',
    'a URL that only its bytes could tell from a text is one',
    embeds('prefixed', 'http://shop.example', [near(...meanOf(8, UNKNOWN, UNKNOWN, UNKNOWN))], {
      content_type: 'query',
    }),
  ),
  one(
    'models 3.9',
    'the nearest chunk is the highlight, a whole combination and the content of a vector too',
    create('shown', small),
    add('shown', [{ _id: 'a', t: 'One. Two. Three.', u: 'x' }], {
      tensorFields: ['t', 'both'],
      mappings: { both: { type: 'multimodal_combination', weights: { t: 1, u: 1 } } },
    }),
    findsFirst('shown', { q: 'Three.', searchableAttributes: ['t'] }, { _highlights: [{ t: 'Three.' }] }),
    findsFirst(
      'shown',
      { q: 'Three.', searchableAttributes: ['both'] },
      { _highlights: [{ both: '{"t": "One. Two. Three.", "u": "x"}' }] },
    ),
    findsFirst('shown', { q: 'x', searchMethod: 'LEXICAL' }, { _highlights: [] }),
    findsFirst('given', { context: { tensor: [{ vector: [1, 1], weight: 1 }] } }, { _highlights: [{ v: 'c' }] }),
  ),
  one(
    'models 8.3',
    'a text has one random vector of unit length, whatever is embedded with it',
    embeds(
      'random',
      ['a', 'b', 'a'],
      passes(([a, b, again]) => same(a, again) && !same(a, b)),
    ),
    embeds(
      'random',
      ['b', 'a'],
      passes((vectors) => vectors.every((vector) => Math.abs(Math.hypot(...vector) - 1) < 1e-5)),
    ),
  ),
];

const cached = (index: string, q: string, hits: number, misses: number): Exchange => ({
  request: `POST /indexes/${index}/search?telemetry=true`,
  body: { q },
  status: 200,
  answer: expect.objectContaining({
    telemetry: expect.objectContaining({
      counter: expect.objectContaining({ 'query_cache.hits': hits, 'query_cache.misses': misses }),
    }),
  }),
});
const loaded = (model_name: string, encoder: string) => ({
  model_name,
  model_device: 'cpu',
  encoder,
  precision: 'f32',
});

const runs: Case[] = [
  one(
    'models 2.5',
    'without a model texts have no vectors',
    create('none', own(2)),
    refuse('none', { _id: 'a', t: 'w1' }, failure('a', holding('no_model')), inT),
    { request: 'POST /indexes/none/embed', body: { content: 'w1' }, ...invalidArgument(holding('no_model')) },
    { request: 'POST /indexes/none/search', body: { q: 'w1' }, ...invalidArgument(holding('no_model')) },
  ),
  one(
    'models 6.1',
    'a device in capitals, one that is not there, and none',
    { request: 'POST /indexes/raw/embed?device=CPU', body: { content: 'w1' }, status: 200 },
    {
      request: 'POST /indexes/raw/embed?device=cuda0',
      body: { content: 'w1' },
      ...error(400, 'hardware_compatability_error', holding('`cuda:0`')),
    },
    { request: 'POST /indexes/raw/embed?device=tpu', body: { content: 'w1' }, ...invalidArgument(holding('`tpu`')) },
  ),
  one(
    'models 6.2',
    'models are listed once they are used, and ejected by name or by the start of one',
    embeds('raw', 'w1', expect.anything()),
    embeds('random', 'w1', expect.anything()),
    {
      request: 'GET /models',
      status: 200,
      answer: { models: expect.arrayContaining([loaded('mean', 'onnxruntime'), loaded('random/medium', 'pelorus')]) },
    },
    {
      request: 'DELETE /models?model_name=random/m&model_device=cpu',
      status: 200,
      answer: { result: 'success', message: 'successfully eject model_name `random/medium` from device `cpu`' },
    },
    {
      request: 'GET /models',
      status: 200,
      answer: { models: expect.not.arrayContaining([loaded('random/medium', 'pelorus')]) },
    },
  ),
  one(
    'models 6.3',
    'a model that is larger than the memory for models is refused, and the others stay',
    embeds('raw', 'w1', expect.anything()),
    {
      ...adding('huge', [{ _id: 'a', t: 'w1' }], inT),
      ...error(
        409,
        'model_cache_management_error',
        holding('There is not enough room to load model huge on cpu: it takes 9 of a model memory of 4.'),
      ),
    },
    {
      request: 'GET /models',
      status: 200,
      answer: { models: expect.arrayContaining([loaded('mean', 'onnxruntime')]) },
    },
  ),
  one(
    'models 6.5',
    'the vector of a query is computed once, for each model, prefix and length; that of a document is not kept',
    add('raw', [{ _id: 'a', t: 'w31' }], inT),
    cached('raw', 'w31', 0, 1),
    cached('raw', 'w31', 1, 0),
    cached('mean', 'w31', 0, 1),
    cached('first', 'w31', 0, 1),
    cached('prefixed', 'w31', 0, 1),
    embeds('raw', 'w31', [near(...meanOf(31))]),
    embeds('mean', 'w31', [near(...unit(meanOf(31)))]),
  ),
  one(
    'models 6.7',
    'content to embed is a text, weighted texts, or a list of both, in which order is kept',
    embeds('raw', ['w1', { w2: 1 }, 'w3'], [near(...meanOf(1)), near(...meanOf(2)), near(...meanOf(3))]),
    embeds('raw', { w1: 3 }, [near(...scaled(meanOf(1), 3))]),
  ),
  one(
    'models 6.7',
    'members may be spelt the other way, and numbers are texts',
    embeds('prefixed', 'w1', [near(...meanOf(9, 1))], { contentType: 'document' }),
    embeds('raw', 7, [near(...meanOf(UNKNOWN))], { content_type: null, image_download_headers: { 'X-Key': 'k' } }),
  ),
  one('models 6.7', 'an index that is not there', {
    request: 'POST /indexes/nowhere/embed',
    body: { content: 'w1' },
    ...noIndex('nowhere'),
  }),
  ...[[], {}, ['w1', {}], [['w1']], { w1: 'x' }, null].map((content) =>
    one('models 6.7', `${JSON.stringify(content)} is nothing to embed`, {
      request: 'POST /indexes/raw/embed',
      body: { content },
      status: 422,
    }),
  ),
  one('models 6.7', 'an embedding needs content, and takes no other member', {
    request: 'POST /indexes/raw/embed',
    body: { text: 'w1' },
    ...unprocessable(problems.missing(inBody('content')), problems.extra(inBody('text'))),
  }),
];

function customV() {
  return { tensorFields: ['v'], mappings: { v: { type: 'custom_vector' } } };
}

/** The way of texts through a model, and the states of models. */
export const modelVectors: Part = {
  title: 'vectors of models',
  models: { mean: smallModel('mean'), first: smallModel('cls'), huge: smallModel('mean', { modelSize: 9 }) },
  preparation: [
    create('mean', { model: 'mean' }),
    create('raw', { model: 'mean', normalizeEmbeddings: false }),
    create('first', { model: 'first', normalizeEmbeddings: false }),
    create('prefixed', { ...prefixed, treatUrlsAndPointersAsMedia: true }),
    create('letters', prefixed),
    create('huge', { model: 'huge' }),
    create('random', { model: 'random/medium' }),
  ],
  cases: [...texts, ...runs],
};
