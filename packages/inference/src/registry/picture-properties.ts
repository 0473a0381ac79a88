import { echoed } from '@pelorus/contract';
import { PICTURE_PRESETS, type PicturePreset } from '../presets.js';
import type { ModelType, PicturePreprocessing } from '../resolved-model.js';
import { unusableModel } from './model-error.js';
import { type ModelProperties, member } from './property-rules.js';

/** The names that `imagePreprocessor` may have. */
const PREPROCESSORS: readonly PicturePreset[] = ['OpenCLIP', 'OpenAI', 'SigLIP', 'CLIPA', 'MobileCLIP'];

/** A tensor of this edge has some 50 MB. */
const SIZE_MAX = 2048;

type Channels = readonly [number, number, number];

/**
 * The preparation of pictures for a model described by `modelProperties`.
 *
 * @param known what the registry says of its name
 * @param isOwn the properties bring the weights; those of a name alone take pictures as the name does, whatever is given
 * @throws PelorusError `bad_request` naming the member that breaks a rule
 */
export function pictureProperties(
  model: string,
  properties: ModelProperties,
  type: ModelType,
  known: PicturePreprocessing | null,
  isOwn: boolean,
): PicturePreprocessing {
  const usual = known ?? PICTURE_PRESETS[type === 'languagebind' ? 'LanguageBind' : 'OpenCLIP'];
  const preset = member(properties, 'imagePreprocessor') ?? undefined;
  if (preset !== undefined && !PREPROCESSORS.includes(preset as PicturePreset)) {
    const names = PREPROCESSORS.join(', ');
    throw unusableModel(`image_preprocessor of ${model} must be one of ${names}, received ${echoed(preset)}`);
  }
  const changes = {
    size: size(model, properties.size),
    mean: channels(model, 'mean', properties.mean),
    std: channels(model, 'std', properties.std),
  };
  if (!isOwn) return usual;
  const base = preset === undefined ? usual : { ...PICTURE_PRESETS[preset as PicturePreset], size: usual.size };
  return {
    ...base,
    size: changes.size ?? base.size,
    mean: changes.mean ?? base.mean,
    std: changes.std ?? base.std,
  };
}

function size(model: string, value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  // A pair of equal numbers says the same.
  const pixels = Array.isArray(value) && value.length === 2 && value[0] === value[1] ? value[0] : value;
  if (Number.isInteger(pixels) && pixels >= 1 && pixels <= SIZE_MAX) return pixels as number;
  throw unusableModel(
    `size of ${model} must be an integer from 1 to ${SIZE_MAX}, the pixels of each edge, received ${echoed(value)}`,
  );
}

function channels(model: string, name: 'mean' | 'std', value: unknown): Channels | undefined {
  if (value === undefined || value === null) return undefined;
  const isRight = (one: unknown) => Number.isFinite(one) && (name === 'mean' || one !== 0);
  if (Array.isArray(value) && value.length === 3 && value.every(isRight)) return value as unknown as Channels;
  const what = name === 'mean' ? 'numbers' : 'numbers that are not 0';
  throw unusableModel(`${name} of ${model} must be an array of 3 ${what}, received ${echoed(value)}`);
}
