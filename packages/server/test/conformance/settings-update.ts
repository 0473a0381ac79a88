import { expect } from 'vitest';
import type { Case, Part } from './case.js';
import { add, finds } from './documents.js';
import { error, holding, invalidArgument, noIndex, problems, unprocessable } from './errors.js';
import { create, hasSettings, nameAfter, own, small, unstructuredDefaults } from './indexes.js';

const update = (index: string, body: unknown, query = '') => ({
  request: `PATCH /indexes/${index}/index-settings${query}`,
  body,
});
const changed = (index: string, modelProperties: object, status: number, query = '') => ({
  ...update(index, { modelProperties }, query),
  status,
});
const updated = { status: 200, answer: { message: 'Index settings update is successful.' } };
const properties = { type: 'no_model', dimensions: 2 };
const medium = { model_name: 'mine', model_device: 'cpu', encoder: 'pelorus', precision: 'f32' };
const random = { type: 'random', dimensions: 8, tokens: 16 };

const changes: Case[] = [
  {
    section: '2',
    about: 'members that the vectors do not depend on are shown as they were given',
    exchanges: [
      create('noted', own(2)),
      { ...update('noted', { modelProperties: { ...properties, note: 'ours' } }), ...updated },
      hasSettings('noted', {
        ...unstructuredDefaults,
        model: 'no_model',
        modelProperties: { ...properties, note: 'ours' },
      }),
      { ...update('noted', { modelProperties: properties }), ...updated },
      hasSettings('noted', { ...unstructuredDefaults, model: 'no_model', modelProperties: properties }),
    ],
  },
  {
    section: '2',
    about: 'the model as it was is let go, and documents are found as before',
    exchanges: [
      create('mine', { model: 'mine', modelProperties: random }),
      add('mine', [{ _id: 'a', t: 'red' }], { tensorFields: ['t'] }),
      { request: 'GET /models', status: 200, answer: { models: [medium] } },
      { ...update('mine', { modelProperties: { ...random, tokens: 32 } }), ...updated },
      { request: 'GET /models', status: 200, answer: { models: [] } },
      finds('mine', { q: 'red' }, 'a'),
      add('mine', [{ _id: 'b', t: 'blue' }], { tensorFields: ['t'] }),
      { request: 'GET /models', status: 200, answer: { models: [medium] } },
    ],
  },
  {
    section: '2',
    about: 'a model of the registry takes properties of its own',
    exchanges: [
      create('known', { model: 'random/small', textQueryPrefix: 'q: ' }),
      { ...update('known', { modelProperties: { type: 'random', dimensions: 32, name: 'random/small' } }), ...updated },
      hasSettings('known', {
        ...unstructuredDefaults,
        textQueryPrefix: 'q: ',
        modelProperties: { type: 'random', dimensions: 32, name: 'random/small' },
      }),
    ],
  },
];

const tried = (error: boolean, modelProperties: object, reason: unknown) => ({
  status: 200,
  answer: {
    error,
    updated: false,
    oldSettings: { ...unstructuredDefaults, model: 'no_model', modelProperties: properties },
    newSettings: { ...unstructuredDefaults, model: 'no_model', modelProperties },
    reason,
  },
});
const isAsBefore = (index: string) =>
  hasSettings(index, { ...unstructuredDefaults, model: 'no_model', modelProperties: properties });

const dryRuns: Case[] = [
  {
    section: '2',
    about: 'a dry run shows the settings as they would be, and changes nothing',
    exchanges: [
      create('tried', own(2)),
      {
        ...update('tried', { modelProperties: { ...properties, note: 'ours' } }, '?dry_run=true'),
        ...tried(false, { ...properties, note: 'ours' }, holding('can be changed')),
      },
      isAsBefore('tried'),
      { ...update('tried', { modelProperties: { ...properties, note: 'x' } }, '?dry_run=false'), ...updated },
    ],
  },
  ...(['', '&force=true'] as const).map((force): Case => {
    const name = nameAfter(`tried dimensions ${force}`);
    return {
      section: '2',
      about: `a dry run tells what would be refused${force}`,
      exchanges: [
        create(name, own(2)),
        {
          ...update(name, { modelProperties: { ...properties, dimensions: 3 } }, `?dry_run=true${force}`),
          ...tried(true, { ...properties, dimensions: 3 }, holding('modelProperties.dimensions of no_model')),
        },
        isAsBefore(name),
      ],
    };
  }),
  {
    section: '2',
    about: 'a dry run of properties that no model has',
    exchanges: [
      create('triedNone', own(2)),
      {
        ...update('triedNone', { modelProperties: { type: 'hf' } }, '?dry_run=true'),
        ...tried(true, { type: 'hf' }, holding('Invalid model properties for model=no_model')),
      },
      { ...update('triedNone', {}, '?dry_run=true'), ...unprocessable(problems.missing(['body', 'modelProperties'])) },
      { ...update('nope', { modelProperties: properties }, '?dry_run=true'), ...noIndex('nope') },
      isAsBefore('triedNone'),
    ],
  },
  ...['dry_run', 'force'].map(
    (name): Case => ({
      section: '2',
      about: `${name} is a truth value`,
      exchanges: [
        {
          ...update('kept', { modelProperties: properties }, `?${name}=perhaps`),
          ...unprocessable(problems.boolean(['query', name])),
        },
      ],
    }),
  ),
  {
    section: '2',
    about: 'force changes what the stored vectors depend on, and those stay',
    exchanges: [
      create('forced', { model: 'mine', modelProperties: random }),
      add('forced', [{ _id: 'a', t: 'red' }], { tensorFields: ['t'] }),
      changed('forced', { ...random, name: 'other' }, 400),
      {
        ...update('forced', { modelProperties: { ...random, name: 'other' } }, '?dry_run=true&force=true'),
        status: 200,
        answer: expect.objectContaining({ error: false, updated: false }),
      },
      changed('forced', { ...random, name: 'other' }, 200, '?force=true'),
      hasSettings('forced', expect.objectContaining({ modelProperties: { ...random, name: 'other' } })),
      finds('forced', { q: 'red' }, 'a'),
      add('forced', [{ _id: 'b', t: 'blue' }], { tensorFields: ['t'] }),
      changed('forced', { ...random, name: 'other', dimensions: 9 }, 400, '?force=true'),
    ],
  },
  {
    section: '2',
    about: 'no force makes vectors of unit length of an index that does not normalise',
    exchanges: [
      create('long', { model: 'mine', modelProperties: random, normalizeEmbeddings: false }),
      {
        ...update('long', { modelProperties: { ...random, outputNormalised: true } }, '?force=true'),
        ...invalidArgument(holding('normalizeEmbeddings must be true')),
      },
    ],
  },
];

const refused: Case[] = [
  ...(
    [
      ['dimensions', { dimensions: 3 }, 'Expected 2, received 3'],
      ['mean', { mean: [0.5] }, 'Expected none, received [0.5]'],
    ] as const
  ).map(([member, change, message]): Case => {
    const name = nameAfter(`kept ${member}`);
    return {
      section: '2',
      about: `${member} cannot change, which is said instead of a success`,
      exchanges: [
        create(name, own(2)),
        {
          ...update(name, { modelProperties: { ...properties, ...change } }),
          ...invalidArgument(
            holding(
              `modelProperties.${member} of no_model cannot be changed: the stored vectors depend on it. ${message}`,
            ),
          ),
        },
        hasSettings(name, { ...unstructuredDefaults, model: 'no_model', modelProperties: properties }),
      ],
    };
  }),
  {
    section: '4.5',
    about: 'properties that break a rule of the creation',
    exchanges: [
      {
        ...update('kept', { modelProperties: { type: 'hf' } }),
        ...error(400, 'invalid_argument', holding("missing key 'dimensions'"), ''),
      },
    ],
  },
  {
    section: '2',
    about: 'a setting that is not the properties of the model',
    exchanges: [
      {
        ...update('kept', { modelProperties: properties, normalizeEmbeddings: false }),
        ...unprocessable(problems.extra(['body', 'normalizeEmbeddings'])),
      },
    ],
  },
  {
    section: '2',
    about: 'no properties',
    exchanges: [
      { ...update('kept', {}), ...unprocessable(problems.missing(['body', 'modelProperties'])) },
      {
        ...update('kept', { modelProperties: null }),
        ...unprocessable(problems.null(['body', 'modelProperties'])),
      },
      { ...update('kept', undefined), ...unprocessable(problems.missing(['body'])) },
    ],
  },
  {
    section: '2',
    about: 'an index that is not there',
    exchanges: [{ ...update('nope', { modelProperties: properties }), ...noIndex('nope') }],
  },
];

/** The settings of an index that can change. */
export const settingsUpdate: Part = {
  title: 'changing settings',
  environment: { MARQO_ENABLE_OPS_API: 'true' },
  preparation: [create('kept', small)],
  cases: [...changes, ...dryRuns, ...refused],
};

const off = 'This API endpoint is disabled. Please set MARQO_ENABLE_OPS_API to true to enable it.';

/** The same where the operator did not switch it on. */
export const settingsUpdateOff: Part = {
  title: 'changing settings, switched off',
  preparation: [create('kept', small)],
  cases: [
    {
      section: '2',
      about: 'is forbidden',
      exchanges: [
        {
          ...update('kept', { modelProperties: properties }),
          status: 403,
          answer: { detail: off, message: off, code: 'forbidden', type: 'invalid_request', link: null },
        },
      ],
    },
  ],
};
