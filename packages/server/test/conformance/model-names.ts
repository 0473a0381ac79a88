import { expect } from 'vitest';
import { registryNames } from '../../../inference/src/registry/registry.js';
import type { Case, Exchange, Part } from './case.js';
import { accepted, refused, withDefaults } from './creation-cases.js';
import { add, adding } from './documents.js';
import { holding, invalidArgument, modelError } from './errors.js';
import { create, nameAfter } from './indexes.js';

const valid = (model: string): Exchange => ({
  request: 'POST /validate/index/any',
  body: model === 'no_model' ? { model, modelProperties: { type: 'no_model', dimensions: 2 } } : { model },
  status: 200,
  answer: { validated: true, index: 'any' },
});
const known = (section: string, about: string, ...models: readonly string[]): Case => ({
  section,
  about,
  exchanges: models.map(valid),
});
const unknown = (section: string, model: string) =>
  refused(section, `${model}, which is no name`, { model }, invalidArgument(holding(`properties for model=${model}.`)));
const P1 = 'Represent this sentence for searching relevant passages: ';

/** Components of a vector. */
const dimensions = (model: string, count: number): Case => ({
  section: 'models 1.3',
  about: `${model} has ${count} components`,
  exchanges: [
    create(nameAfter(model), { model }),
    {
      request: `POST /indexes/${nameAfter(model)}/embed`,
      body: { content: 'x' },
      status: 200,
      answer: expect.objectContaining({ embeddings: [expect.toSatisfy((vector: []) => vector.length === count)] }),
    },
  ],
});

const names: Case[] = [
  known('models 1.1', 'every name of the list is one that an index may have', ...registryNames()),
  ...(
    [
      ['hf/e5-small-v2', 'query: ', 'passage: '],
      ['hf/ember-v1', '', ''],
      ['hf/bge-large-en-v1.5', P1, ''],
      ['hf/snowflake-arctic-embed-l', P1, ''],
      ['Marqo/dunzhang-stella_en_400M_v5', '', ''],
    ] as const
  ).map(([model, textQueryPrefix, textChunkPrefix]) =>
    accepted(
      'models 1.2',
      `the prefixes of ${model}`,
      { model },
      withDefaults({ model, textQueryPrefix, textChunkPrefix }),
    ),
  ),
  unknown('models 1.2', 'hf/e5-base-v3'),
  known(
    'models 1.3',
    'a name without its organisation',
    'all-MiniLM-L6-v1',
    'stsb-xlm-r-multilingual',
    'onnx/all-mpnet-base-v2',
  ),
  dimensions('random', 384),
  dimensions('random/large', 768),
  dimensions('random/medium', 128),
  dimensions('random/small', 32),
  known('models 1.4', 'names of CLIP', 'RN50x64', 'ViT-L/14@336px', 'fp16/ViT-B/32', 'onnx16/openai/ViT-L/14'),
  unknown('models 1.4', 'fp16/RN50'),
  known('models 1.5', 'names of OpenCLIP', 'open_clip/ViT-B-32/laion2b_s34b_b79k', 'timm/ViT-B-16-SigLIP2-256'),
  unknown('models 1.5', 'open_clip/ViT-B-32/nobody'),
  known(
    'models 1.6',
    'names with blanks and signs',
    'multilingual-clip/XLM-R Large Vit-B/16+',
    'LanguageBind/Video_V1.5_FT_Audio_FT_Image',
  ),
  ...['hf/e5-base-v2', 'LanguageBind/Audio_FT', 'open_clip/ViT-B-32/openai'].map(
    (model): Case => ({
      section: 'models 2.5',
      about: `${model}, whose files are not there, refuses the first request that needs them`,
      exchanges: [
        create(nameAfter(`first use of ${model}`), { model }),
        {
          ...adding(nameAfter(`first use of ${model}`), [{ _id: 'a', t: 'x' }], { tensorFields: ['t'] }),
          ...modelError(holding(`Model ${model} is not on this machine.`)),
        },
        add(nameAfter(`first use of ${model}`), [{ _id: 'a', t: 'x' }]),
      ],
    }),
  ),
];

/** Names that an index may give as its model. */
export const modelNames: Part = {
  title: 'names of models',
  environment: { MARQO_ENABLE_OPS_API: 'TRUE' },
  preparation: [],
  cases: names,
};
