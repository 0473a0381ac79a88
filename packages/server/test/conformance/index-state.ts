import { expect } from 'vitest';
import type { Case, Part } from './case.js';
import { add, adding, success, written } from './documents.js';
import { error, holding, invalidArgument, noIndex, problems, unprocessable } from './errors.js';
import { commonDefaults, counts, create, drop, field, hasSettings, own, small, structured } from './indexes.js';

const health = {
  status: 'green',
  inference: { status: 'green' },
  backend: expect.objectContaining({
    status: 'green',
    memoryIsAvailable: true,
    storageIsAvailable: true,
  }),
};
const percentage = expect.toSatisfy((value) => value === null || (value >= 0 && value <= 100), 'a percentage or null');
const lists = (...names: string[]) => ({
  request: 'GET /indexes',
  status: 200,
  answer: { results: names.map((name) => ({ indexName: name, index_name: name })) },
});
const get = (request: string, answer: unknown) => ({ request: `GET ${request}`, status: 200, answer });

const mm = { ...field('mm', 'multimodal_combination'), dependentFields: { t: 0.1, img: 0.9 } };
const declared = structured(
  [field('t', 'text', 'lexical_search', 'filter'), field('img', 'image_pointer'), mm],
  ['t', 'mm'],
);

const settings: Case[] = [
  {
    section: '5.1',
    about: 'settings of a structured index, none of them of the other kind',
    exchanges: [create('s', declared), hasSettings('s', { ...commonDefaults, ...declared }), drop('s')],
  },
  ...(
    [
      [
        'an unstructured index',
        own(2, { filterStringMaxLength: 7, textQueryPrefix: 'a: ', collapseFields: [{ name: 'sku', minGroups: 3 }] }),
      ],
      ['a structured index', { ...declared, textChunkPrefix: 'b: ', normalizeEmbeddings: false }],
    ] as const
  ).map(([kind, body]) => ({
    section: '5.1',
    about: `the settings of ${kind} make the same index again`,
    exchanges: [
      create('first', body),
      hasSettings('first', expect.objectContaining(body)),
      create('second', body),
      hasSettings('second', expect.objectContaining(body)),
      drop('first'),
      drop('second'),
    ],
  })),
];

const missing: Case[] = ['settings', 'stats', 'health', 'status'].map((what) => ({
  section: what === 'health' ? '5.5' : what === 'stats' ? '5.4' : '5.1',
  about: `no ${what} of an index that is not there`,
  exchanges: [{ request: `GET /indexes/nope/${what}`, ...noIndex('nope') }],
}));

const lifetimes: Case[] = [
  {
    section: '5.2',
    about: 'the list follows creations and deletions, under both names of a name',
    exchanges: [lists('kept'), create('later', small), lists('kept', 'later'), drop('later'), lists('kept')],
  },
  {
    section: '5.3',
    about: 'an index that is not there cannot be deleted',
    exchanges: [{ request: 'DELETE /indexes/nope', ...noIndex('nope') }],
  },
  {
    section: '5.3',
    about: 'a deleted index is gone at once, for every call, and cannot be deleted twice',
    exchanges: [
      create('short', small),
      drop('short'),
      { request: 'GET /indexes/short/settings', ...noIndex('short') },
      { request: 'GET /indexes/short/documents/a', ...noIndex('short') },
      { request: 'POST /indexes/short/search', body: { q: 'a' }, ...noIndex('short') },
      { ...adding('short', [{ _id: 'a' }]), ...noIndex('short') },
      { request: 'DELETE /indexes/short', ...noIndex('short') },
    ],
  },
  {
    section: '5.3',
    about: 'an index that takes the name of a deleted one is empty',
    exchanges: [
      create('again', small),
      add('again', [{ _id: 'a' }]),
      drop('again'),
      create('again', small),
      counts('again', 0, 0),
      drop('again'),
    ],
  },
];

const definitions: Case = {
  section: '5.6',
  about: 'answers about an index are those of the one of its name that is there now',
  exchanges: [
    create('reborn', small),
    add('reborn', [{ _id: 'a', t: 'x' }], { tensorFields: ['t'] }),
    drop('reborn'),
    create('reborn', structured([field('t', 'text')])),
    {
      ...adding('reborn', [{ _id: 'a', t: 'x' }], { tensorFields: ['t'] }),
      ...invalidArgument(holding("Cannot specify 'tensorFields'")),
    },
    {
      request: 'POST /indexes/reborn/search',
      body: { q: 'x' },
      ...invalidArgument(holding('no tensor fields')),
    },
    drop('reborn'),
  ],
};

const stats: Case[] = [
  {
    section: '5.4',
    about: 'counts of an empty index, and percentages',
    exchanges: [
      get('/indexes/kept/stats', {
        numberOfDocuments: 0,
        numberOfVectors: 0,
        backend: expect.objectContaining({ memoryUsedPercentage: percentage, storageUsedPercentage: percentage }),
      }),
    ],
  },
  {
    section: '5.4',
    about: 'vectors are counted by chunks, over all tensor fields',
    exchanges: [
      create('counted', small),
      add(
        'counted',
        [
          { _id: '1', a: 'One. Two. Three.', b: 'One.' },
          { _id: '2', a: 'One.' },
          { _id: '3', c: 'not embedded' },
        ],
        { tensorFields: ['a', 'b'] },
      ),
      counts('counted', 3, 4),
      drop('counted'),
    ],
  },
  {
    section: '5.4',
    about: 'a combination and a custom vector count one each',
    exchanges: [
      create('counted', small),
      add('counted', [{ _id: '1', a: 'One. Two. Three.', b: 'One.', c: { vector: Array(32).fill(1) } }], {
        tensorFields: ['c', 'm'],
        mappings: { m: { type: 'multimodal_combination', weights: { a: 1, b: 1 } }, c: { type: 'custom_vector' } },
      }),
      counts('counted', 1, 2),
      drop('counted'),
    ],
  },
  {
    section: '5.4',
    about: 'documents are counted once however often they are replaced, and not when they are deleted',
    exchanges: [
      create('counted', small),
      add(
        'counted',
        [
          { _id: '1', a: 'One. Two. Three.' },
          { _id: '2', a: 'One.' },
        ],
        { tensorFields: ['a'] },
      ),
      counts('counted', 2, 3),
      add('counted', [{ _id: '1', a: 'One.' }], { tensorFields: ['a'] }),
      counts('counted', 2, expect.any(Number)),
      {
        request: 'POST /indexes/counted/documents/delete-batch',
        body: ['1'],
        status: 200,
      },
      counts('counted', 1, expect.any(Number)),
      drop('counted'),
    ],
  },
];

const medium = { model_name: 'random/medium', model_device: 'cpu', encoder: 'pelorus', precision: 'f32' };

const service: Case[] = [
  { section: '5.5', about: 'health of the service', exchanges: [get('/health', health)] },
  { section: '5.5', about: 'health of an index', exchanges: [get('/indexes/kept/health', health)] },
  {
    section: '2',
    about: 'the greeting has a version that clients of today take, and our own beside it',
    exchanges: [
      get('/', {
        message: expect.any(String),
        version: expect.stringMatching(/^2\.26\.\d+$/),
        pelorus: expect.any(String),
      }),
    ],
  },
  {
    section: '2',
    about: 'the processor, in texts',
    exchanges: [
      get('/device/cpu', {
        cpu_usage_percent: expect.stringMatching(/^\d+\.\d %$/),
        memory_used_percent: expect.stringMatching(/^\d+\.\d %$/),
        memory_used_gb: expect.stringMatching(/^\d+\.\d$/),
        // Members of our own.
        process_cpu_percent: expect.stringMatching(/^\d+\.\d %$/),
        requests: expect.any(Number),
        searches: expect.any(Number),
        http_threads: [
          {
            ...{ thread: 1, busy_percent: expect.stringMatching(/^\d+\.\d %$/) },
            ...{ requests: expect.any(Number), searches: expect.any(Number) },
          },
        ],
      }),
    ],
  },
  {
    section: '2',
    about: 'no GPU',
    exchanges: [
      {
        request: 'GET /device/cuda',
        ...error(400, 'hardware_compatability_error', expect.stringContaining('CUDA is not available')),
      },
    ],
  },
  {
    section: '2',
    about: 'models appear with their first use and go when they are ejected',
    exchanges: [
      get('/models', { models: expect.not.arrayContaining([medium]) }),
      create('user', { model: 'random/medium' }),
      { ...adding('user', [{ _id: 'a', t: 'x' }], { tensorFields: ['t'] }), ...written('user', success('a')) },
      get('/models', { models: expect.arrayContaining([medium]) }),
      {
        request: 'DELETE /models?model_name=random/medium&model_device=cpu',
        status: 200,
        answer: { result: 'success', message: 'successfully eject model_name `random/medium` from device `cpu`' },
      },
      get('/models', { models: expect.not.arrayContaining([medium]) }),
      drop('user'),
    ],
  },
  {
    section: '10.2',
    about: 'a model that is not loaded cannot be ejected',
    exchanges: [
      {
        request: 'DELETE /models?model_name=nope&model_device=cpu',
        ...error(404, 'model_not_in_cache', 'The model_name `nope` device `cpu` is not cached or found'),
      },
    ],
  },
  {
    section: '2',
    about: 'an ejection names its model',
    exchanges: [
      { request: 'DELETE /models?model_device=cpu', ...unprocessable(problems.missing(['query', 'model_name'])) },
    ],
  },
  {
    section: 'clients 2.9',
    about: 'the state that clients wait for',
    exchanges: [get('/indexes/kept/status', { indexStatus: 'READY' })],
  },
];

/** The state of indexes and of the service. */
export const indexState: Part = {
  title: 'the state of indexes',
  preparation: [create('kept', small)],
  cases: [...settings, ...missing, ...lifetimes, definitions, ...stats, ...service],
};
