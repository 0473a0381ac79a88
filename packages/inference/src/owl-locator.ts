import { PelorusError } from '@pelorus/contract';
import type { MediaInput } from '@pelorus/node';
import type { MediaOutcome } from './media/media-call.js';
import { LOCATION_LENGTH, OWL_TOKENS, owlInputs } from './owl-input.js';
import { PICTURE_PRESETS } from './presets.js';
import type { OwlModel, PicturePreprocessing } from './resolved-model.js';

/** The place where a text was found best in a picture. */
export interface Location {
  /** From 0 to 1. */
  readonly score: number;
  /** In pixels of the picture. */
  readonly box: readonly [left: number, top: number, right: number, bottom: number];
}

/**
 * The pictures of an owl: they are made 240 x 240 first, whatever their shape, and then the size that its graph takes.
 */
export function owlPicture({ side }: OwlModel): PicturePreprocessing {
  return { ...PICTURE_PRESETS.OpenCLIP, size: side, resize: 'squash' };
}

/** Pictures of hits, in their order. */
export function pictureInputs(pointers: readonly string[]): MediaInput[] {
  return pointers.map((pointer, row) => ({ kind: 'media', pointer, medium: 'image', patches: false, row }));
}

/** Tensors `[n, 3, side, side]` with the ids of the words to look for in them. */
export function owlTensors(values: Float32Array, { side }: OwlModel, ids: Int32Array) {
  const length = 3 * side * side;
  return { values: owlInputs(values, length, ids), shape: [length + OWL_TOKENS] };
}

/**
 * The places where it was found in each picture.
 * @throws PelorusError `bad_request` for the first that could not be had or looked at
 */
export function locations(outcomes: readonly MediaOutcome[]): Location[] {
  return outcomes.map((outcome) => {
    if (outcome.kind !== 'vectors') {
      throw new PelorusError('bad_request', outcome.kind === 'failure' ? outcome.message : 'A text is no picture.');
    }
    const [left = 0, top = 0, right = 0, bottom = 0, score = 0] = outcome.vectors.subarray(0, LOCATION_LENGTH);
    const [, , width, height] = JSON.parse(outcome.labels?.[0] ?? '[]') as number[];
    if (width === undefined || height === undefined) throw new TypeError('a picture that was squared has its size');
    return { score, box: [left * width, top * height, right * width, bottom * height] };
  });
}
