import type { Case, Part } from './case.js';
import { accepted, refused, withDefaults } from './creation-cases.js';
import { error, holding, invalidArgument, modelError } from './errors.js';
import { create, hasSettings, own } from './indexes.js';

const badProperties = (about: string, model: string, modelProperties: object, reason: string) =>
  refused(
    '4.5',
    about,
    { model, modelProperties },
    error(400, 'invalid_argument', holding(`Invalid model properties for model=${model}. Reason: ${reason}`), ''),
  );
const missingKey = (key: string) =>
  `model_properties has missing key '${key}'. please update your model properties with required key`;
const ownModel = { type: 'hf', name: 'sentence-transformers/all-MiniLM-L6-v2', dimensions: 384 };

const properties: Case[] = [
  ...[undefined, {}].map((modelProperties) =>
    refused(
      '4.5',
      `a model that nobody knows, with ${modelProperties === undefined ? 'no' : 'empty'} properties`,
      { model: 'nope', modelProperties },
      invalidArgument(
        'Could not find model properties for model=nope. Please check that the model name is correct. Please provide model_properties if the model is a custom model and is not supported by default',
      ),
    ),
  ),
  accepted(
    '4.5',
    'properties of a model of one’s own are kept as they are',
    { model: 'mine', modelProperties: ownModel },
    withDefaults({ model: 'mine', modelProperties: ownModel }),
  ),
  accepted(
    '4.5',
    'properties win over those of a known name',
    { model: 'hf/e5-base-v2', modelProperties: ownModel },
    withDefaults({ model: 'hf/e5-base-v2', modelProperties: ownModel }),
  ),
  ...[{}, { type: 'sbert' }].map((type) =>
    accepted(
      '4.5',
      `type and tokens have defaults for ${'type' in type ? 'sbert' : 'no type'}`,
      { model: 'mine', modelProperties: { name: 'all-MiniLM-L6-v2', dimensions: 384, ...type } },
      withDefaults({
        model: 'mine',
        modelProperties: { name: 'all-MiniLM-L6-v2', dimensions: 384, type: 'sbert', tokens: 128 },
      }),
    ),
  ),
  {
    section: '4.5',
    about: 'an index without a model needs dimensions alone',
    exchanges: [
      create('given', own(3)),
      hasSettings('given', withDefaults({ model: 'no_model', modelProperties: { type: 'no_model', dimensions: 3 } })),
    ],
  },
  refused(
    '4.5',
    'no model and no properties',
    { model: 'no_model' },
    invalidArgument(holding(`Invalid model properties for model=no_model. Reason: ${missingKey('dimensions')}`)),
  ),
  badProperties('properties without dimensions', 'mine', { type: 'hf', name: 'a/b' }, missingKey('dimensions')),
  badProperties('sbert without a name', 'mine', { dimensions: 3 }, missingKey('name')),
  badProperties('open_clip without a name', 'mine', { type: 'open_clip', dimensions: 3 }, missingKey('name')),
  badProperties('clip without a name', 'mine', { type: 'clip', dimensions: 3 }, missingKey('name')),
  ...['loader', 'supported_modalities', 'video_chunk_length', 'audio_chunk_length'].map((key) => {
    const whole = {
      type: 'languagebind',
      name: 'a',
      dimensions: 3,
      loader: 'a',
      supported_modalities: ['text'],
      video_chunk_length: 1,
      audio_chunk_length: 1,
    };
    return badProperties(`languagebind without ${key}`, 'mine', { ...whole, [key]: undefined }, missingKey(key));
  }),
  ...[0, -1, 1.5, '3', null].map((dimensions) =>
    badProperties(
      `dimensions ${JSON.stringify(dimensions)}`,
      'mine',
      { type: 'hf', name: 'a/b', dimensions },
      "Invalid model properties: 'dimensions' must be a positive integer, but received",
    ),
  ),
  badProperties(
    'an unknown type',
    'mine',
    { type: 'other', dimensions: 3 },
    'Invalid model type. Please check the model type in model_properties. Supported model types are',
  ),
  badProperties(
    'the type no_model under another name',
    'mine',
    { type: 'no_model', dimensions: 3 },
    "To use the 'no_model' feature, you must provide 'model = no_model' and 'type = no_model', but received",
  ),
  badProperties(
    'the name no_model with another type',
    'no_model',
    { type: 'hf', dimensions: 3 },
    "To use the 'no_model' feature, you must provide 'model = no_model' and 'type = no_model', but received",
  ),
  ...(
    [
      ['more than one place', { name: 'a/b', url: 'http://x/y.zip', model_location: { hf: { repo_id: 'a/b' } } }],
      ['no place at all', {}],
    ] as const
  ).map(([about, places]) =>
    refused(
      '4.5',
      `properties that name ${about} for the model`,
      { model: 'mine', modelProperties: { type: 'hf', dimensions: 3, ...places } },
      modelError(holding('modelProperties of mine name')),
    ),
  ),
];

const prefixed = (about: string, model: string, textQueryPrefix: string, textChunkPrefix: string, given: object = {}) =>
  accepted('4.6', about, { model, ...given }, withDefaults({ model, textQueryPrefix, textChunkPrefix }));
const bgeEnglish = 'Represent this sentence for searching relevant passages: ';

const prefixes: Case[] = [
  ...['hf/e5-small', 'hf/e5-large-v2', 'hf/e5-base-unsupervised', 'hf/multilingual-e5-small'].map((model) =>
    prefixed(`the prefixes of ${model}`, model, 'query: ', 'passage: '),
  ),
  prefixed(
    'the prefix of hf/multilingual-e5-large-instruct',
    'hf/multilingual-e5-large-instruct',
    'Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ',
    '',
  ),
  ...['hf/bge-small-en-v1.5', 'hf/snowflake-arctic-embed-m'].map((model) =>
    prefixed(`the prefix of ${model}`, model, bgeEnglish, ''),
  ),
  prefixed('the prefixes of test_prefix', 'test_prefix', 'test query: ', 'test passage: '),
  prefixed('the prefix of hf/bge-base-zh-v1.5', 'hf/bge-base-zh-v1.5', '为这个句子生成表示以用于检索相关文章：', ''),
  prefixed('no prefixes of hf/all-MiniLM-L6-v2', 'hf/all-MiniLM-L6-v2', '', ''),
  prefixed('empty prefixes in place of a model’s own', 'hf/e5-small', '', '', {
    textQueryPrefix: '',
    textChunkPrefix: '',
  }),
  prefixed('one prefix in place of a model’s own', 'hf/e5-small', 'ask: ', 'passage: ', { textQueryPrefix: 'ask: ' }),
];

/** Models of new indexes, and the prefixes that come with them. */
export const models: Part = {
  title: 'models of new indexes',
  preparation: [],
  cases: [...properties, ...prefixes],
};
