import type { Case, Part } from './case.js';
import { accepted, refused, withDefaults } from './creation-cases.js';
import { holding, inBody, invalidArgument, modelError, problems, root, unprocessable } from './errors.js';
import { create, small } from './indexes.js';

const hf = { type: 'hf', name: 'house/encoder', dimensions: 8 };
const far = { type: 'openai', url: 'https://far.example/v1/embeddings', name: 'small', dimensions: 8 };
const clip = { type: 'open_clip', name: 'open_clip/ViT-B-32/openai', dimensions: 512 };
const bound = { type: 'languagebind', dimensions: 8 };
const graph = (sources: readonly string[], rest: object = {}) => ({ name: 'graph', sources, ...rest });
const model = 'https://example.com/model.onnx';

const normalising = {
  ...clip,
  onnx: { text: { sources: [model] }, image: { sources: [model] } },
  outputNormalised: true,
};

const taken = (section: string, about: string, modelProperties: object, prefixes: object = {}) =>
  accepted(
    section,
    about,
    { model: 'mine', modelProperties },
    withDefaults({ model: 'mine', modelProperties, ...prefixes }),
  );
const untaken = (section: string, about: string, modelProperties: object, message = 'mine') =>
  refused(section, about, { model: 'mine', modelProperties }, modelError(holding(message)));

const properties: Case[] = [
  taken('models 2.1', 'members that nobody knows are kept and have no say', { ...hf, note: 'ours', pretrained: 1 }),
  taken('models 2.1', 'members may be spelt with underscores', { ...hf, pooling_method: 'cls', model_size: 2 }),
  refused(
    'models 2.1',
    'underscores anywhere else',
    { ...small, text_query_prefix: 'q' },
    unprocessable(problems.rule(root, holding("Invalid field name 'text_query_prefix'"))),
  ),
  {
    section: 'models 2.1',
    about: 'a search cannot bring properties',
    exchanges: [
      {
        request: 'POST /indexes/small/search',
        body: { q: 'x', modelProperties: hf },
        ...unprocessable(problems.extra(inBody('modelProperties'))),
      },
    ],
  },
  ...(['mean', 'cls'] as const).map((poolingMethod) =>
    taken('models 2.2', `poolingMethod ${poolingMethod}`, { ...hf, poolingMethod }),
  ),
  untaken('models 2.2', 'the last token for a pooling method', { ...hf, poolingMethod: 'last' }, 'poolingMethod'),
  untaken('models 2.2', 'tokens below one', { ...hf, tokens: 0 }, "'tokens' must be a positive integer"),
  untaken('models 2.2', 'a size of nothing', { ...hf, modelSize: 0 }, "'modelSize' must be a number above 0"),
  taken(
    'models 2.2',
    'prefixes of the model become those of the index',
    { ...hf, text_query_prefix: 'q: ', text_chunk_prefix: 'p: ' },
    { textQueryPrefix: 'q: ', textChunkPrefix: 'p: ' },
  ),
  ...['OpenCLIP', 'OpenAI', 'SigLIP', 'CLIPA', 'MobileCLIP'].map((imagePreprocessor) =>
    taken('models 2.2', `pictures prepared as by ${imagePreprocessor}`, { ...clip, imagePreprocessor }),
  ),
  untaken(
    'models 2.2',
    'pictures prepared by nobody',
    { ...clip, imagePreprocessor: 'Nobody' },
    'image_preprocessor of mine must be one of OpenCLIP, OpenAI',
  ),
  taken('models 2.2', 'mean, deviation and size', { ...clip, mean: [0, 0, 0], std: [1, 1, 1], size: 64 }),
  untaken('models 2.2', 'a mean of two colours', { ...clip, mean: [0, 0] }, 'mean'),
  untaken('models 2.2', 'modalities without texts', { ...bound, supportedModalities: ['image'], onnx: {} }, 'text'),
  ...(['s3', 'hf'] as const).map((kind) =>
    taken('models 2.3', `a place of the kind ${kind}`, {
      type: 'hf',
      dimensions: 8,
      modelLocation: kind === 's3' ? { s3: { Bucket: 'b', Key: 'm.zip' } } : { hf: { repoId: 'house/encoder' } },
    }),
  ),
  refused(
    'models 2.3',
    'a place of two kinds',
    {
      model: 'mine',
      modelProperties: {
        type: 'hf',
        dimensions: 8,
        modelLocation: { s3: { Bucket: 'b', Key: 'm.zip' }, hf: { repoId: 'house/encoder' } },
      },
    },
    invalidArgument("model_location of mine must have exactly one of 's3' and 'hf'"),
  ),
  untaken('models 2.3', 'weights that are no archive', { type: 'hf', dimensions: 8, url: 'https://example.com/m.bin' }),
  ...(
    [
      ['no', {}, 'Missing authentication object'],
      [
        'both',
        { s3: { aws_access_key_id: 'a', aws_secret_access_key: 'b' }, hf: { token: 'c' } },
        'More than one model authentication was provided',
      ],
    ] as const
  ).map(
    ([about, modelAuth, message]): Case => ({
      section: 'models 2.3',
      about: `credentials for ${about} kinds of places`,
      exchanges: [
        {
          request: 'POST /indexes/small/search',
          body: { q: 'x', modelAuth },
          ...invalidArgument(holding(message)),
        },
      ],
    }),
  ),
  ...(['openai', 'ollama', 'cohere'] as const).map((type) =>
    taken('models 2.6', `a service of the form ${type}`, { ...far, type, sendDimensions: true, timeoutMs: 5000 }),
  ),
  ...['apiKey', 'key', 'tokens'].map((name) =>
    untaken('models 2.6', `${name} of a service`, { ...far, [name]: 1 }, `'${name}' is no member of type openai`),
  ),
  untaken('models 2.6', 'an address with a password', { ...far, url: 'https://me:pw@far.example/' }, 'user name'),
  untaken('models 2.6', 'more texts than a form takes', { ...far, type: 'cohere', batchInputsMax: 97 }, '1 to 96'),
  taken('models 2.4', 'a graph of texts', {
    ...hf,
    poolingMethod: 'mean',
    tritonTextEncoderProperties: graph([model], {
      maxBatchSize: 8,
      input: [{ name: 'input_ids', dims: [-1], dataType: 'TYPE_INT64' }],
      output: [{ name: 'last_hidden_state', dims: [-1, 8], dataType: 'TYPE_FP32' }],
    }),
  }),
  ...(
    [
      ['no source', graph([])],
      ['six sources', graph([model, ...Array.from({ length: 5 }, (_, i) => `${model}.data${i}`)])],
      ['a source of another name', graph(['https://example.com/weights.onnx'])],
      ['a batch of 129', graph([model], { maxBatchSize: 129 })],
      ['four inputs', graph([model], { input: Array(4).fill({ name: 'a', dims: [1], dataType: 'TYPE_FP32' }) })],
      ['two outputs', graph([model], { output: Array(2).fill({ name: 'a', dims: [1], dataType: 'TYPE_FP32' }) })],
      ['a type that is none', graph([model], { input: [{ name: 'a', dims: [1], dataType: 'TYPE_INT4' }] })],
    ] as const
  ).map(([about, tritonTextEncoderProperties]) =>
    untaken('models 2.4', `a graph with ${about}`, { ...hf, tritonTextEncoderProperties }),
  ),
  ...[true, undefined].map((normalizeEmbeddings) =>
    accepted(
      'models 2.4',
      `graphs that normalise, and normalizeEmbeddings ${normalizeEmbeddings}`,
      { model: 'mine', modelProperties: normalising, normalizeEmbeddings },
      withDefaults({ model: 'mine', modelProperties: normalising }),
    ),
  ),
  accepted(
    'models 2.4',
    'graphs that do not normalise, for an index that does not want it',
    { model: 'mine', modelProperties: { ...normalising, outputNormalised: false }, normalizeEmbeddings: false },
    withDefaults({
      model: 'mine',
      modelProperties: { ...normalising, outputNormalised: false },
      normalizeEmbeddings: false,
    }),
  ),
  refused(
    'models 2.4',
    'graphs that normalise, for an index that does not want it',
    { model: 'mine', modelProperties: normalising, normalizeEmbeddings: false },
    invalidArgument(
      'normalizeEmbeddings must be true where modelProperties.outputNormalised is, since the vectors of mine have unit length, received False',
    ),
  ),
  refused(
    'models 2.5',
    'media without images',
    { ...small, treatUrlsAndPointersAsMedia: true, treatUrlsAndPointersAsImages: false },
    invalidArgument(
      "Invalid combination: 'treatUrlsAndPointersAsImages' cannot be False when 'treatUrlsAndPointersAsMedia' is True.",
    ),
  ),
  refused(
    'models 2.5',
    'a name that nobody knows',
    { model: 'nobody/knows' },
    invalidArgument(holding('Could not find model properties for model=nobody/knows')),
  ),
];

/** The properties that an index may give of a model of its own. */
export const modelProperties: Part = {
  title: 'properties of models',
  preparation: [create('small', small)],
  cases: properties,
};
