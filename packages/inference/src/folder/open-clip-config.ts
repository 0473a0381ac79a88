import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TEXT_PRESETS, TOKENIZER_REPOS } from '../presets.js';
import type { PicturePreprocessing, ResolvedModel, TextPreprocessing } from '../resolved-model.js';
import { schemaCheck } from '../schema-check.js';

/** The file beside the weights in which a publisher of OpenCLIP describes a model. */
export const OPEN_CLIP_CONFIG = 'open_clip_config.json';

/** The inputs of a model, as far as its publisher describes them. */
export interface PublishedInputs {
  readonly tokens?: number;
  readonly text?: TextPreprocessing;
  readonly picture?: Partial<PicturePreprocessing>;
  /** The place of the tokenizer that OpenCLIP would take: a repository of the hub, as it is spelt. */
  readonly tokenizerRepo: string;
}

/** The one that models have which name no other. */
const CLIP_TOKENIZER = TOKENIZER_REPOS.clip as string;

type Channels = readonly [number, number, number];

interface OpenClipConfig {
  readonly model_cfg?: {
    readonly text_cfg?: {
      readonly context_length?: number;
      readonly hf_tokenizer_name?: string;
      readonly tokenizer_kwargs?: { readonly clean?: string; readonly strip_sep_token?: boolean };
    };
    readonly vision_cfg?: { readonly image_size?: number };
  };
  readonly preprocess_cfg?: {
    readonly mean?: Channels;
    readonly std?: Channels;
    readonly interpolation?: string;
    readonly resize_mode?: string;
  };
}

const object = (properties: object) => ({ type: 'object', properties });
const pixels = { type: 'integer', minimum: 1, maximum: 2048 };
const channels = { type: 'array', items: { type: 'number' }, minItems: 3, maxItems: 3 };
const check = schemaCheck<OpenClipConfig>(
  object({
    model_cfg: object({
      text_cfg: object({
        context_length: { type: 'integer', minimum: 1, maximum: 8192 },
        hf_tokenizer_name: { type: 'string' },
        tokenizer_kwargs: object({
          clean: { enum: ['lower', 'whitespace', 'canonicalize'] },
          strip_sep_token: { type: 'boolean' },
        }),
      }),
      vision_cfg: object({ image_size: pixels }),
    }),
    preprocess_cfg: object({
      mean: channels,
      std: { ...channels, items: { type: 'number', exclusiveMinimum: 0 } },
      interpolation: { enum: ['bicubic', 'bilinear'] },
      resize_mode: { enum: ['shortest', 'squash'] },
    }),
  }),
);

/**
 * The inputs that the configuration in a model's folder describes; null where there is none.
 * @throws Error naming the member that is not as OpenCLIP has it, or that is not supported
 */
export async function readOpenClipConfig(folder: string): Promise<PublishedInputs | null> {
  const text = await readFile(join(folder, OPEN_CLIP_CONFIG), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(`${OPEN_CLIP_CONFIG} is not JSON`);
  }
  const checked = check(value);
  if ('problem' in checked) throw new Error(`${OPEN_CLIP_CONFIG}: ${[...checked.path, checked.problem].join(' ')}`);
  return inputsOf(checked.value);
}

function inputsOf({ model_cfg = {}, preprocess_cfg = {} }: OpenClipConfig): PublishedInputs {
  const { context_length: tokens, hf_tokenizer_name: hf, tokenizer_kwargs: kwargs = {} } = model_cfg.text_cfg ?? {};
  const preset = hf === undefined ? TEXT_PRESETS.clip : TEXT_PRESETS.hf;
  const { mean, std, interpolation, resize_mode: resize } = preprocess_cfg;
  const picture = { size: model_cfg.vision_cfg?.image_size, mean, std, interpolation, resize };
  return {
    ...(tokens !== undefined && { tokens }),
    tokenizerRepo: hf ?? CLIP_TOKENIZER,
    text: {
      ...preset,
      cleaning: (kwargs.clean ?? preset.cleaning) as TextPreprocessing['cleaning'],
      omitsSeparator: kwargs.strip_sep_token ?? preset.omitsSeparator,
    },
    picture: Object.fromEntries(Object.entries(picture).filter(([, given]) => given !== undefined)),
  };
}

/**
 * A model that takes its inputs as its publisher says. Its index's own settings of tokens and tokenizer take
 * precedence.
 */
export function asPublished(model: ResolvedModel, published: PublishedInputs | null): ResolvedModel {
  if (published === null || model.weights.kind !== 'towers') return model;
  const { properties, picture } = model;
  return {
    ...model,
    tokens: properties?.tokens == null ? (published.tokens ?? model.tokens) : model.tokens,
    text: properties?.tokenizer == null ? (published.text ?? model.text) : model.text,
    picture: picture === null ? null : { ...picture, ...published.picture },
  };
}
