import type { PicturePreparation, PreparedPicture, RecordingTensor } from '@pelorus/node';
import type { FilmFrame } from './ffmpeg-frames.js';

/** What a preparation thread makes tensors of. */
export type PreparationTask = PictureTask | RecordingTask;

export interface PictureTask {
  readonly kind: 'picture';
  /** A file, or what follows `base64,` in a data URI. */
  readonly picture: Uint8Array<ArrayBuffer> | string;
  readonly preparation: PicturePreparation;
  readonly patchMethod: 'simple' | null;
  readonly limits: { readonly bytesMax: number; readonly pixelsMax: number };
}

/** A frame of a film, or a piece of a sound at the rate of the filter bank. */
export type RecordingTask =
  | { readonly kind: 'frame'; readonly frame: FilmFrame }
  | { readonly kind: 'sound'; readonly samples: Float32Array<ArrayBuffer> };

/** A picture that the limits refuse before memory is taken for its pixels; given back, to be tried under others. */
export interface TooManyPixels {
  readonly tooManyPixels: string;
  readonly picture: PictureTask['picture'];
}

/** What is wrong with what was given. */
export interface Unprepared {
  readonly failure: string;
}

/** The picture as tensors, or what is wrong with it. */
export type Prepared = PreparedPicture | TooManyPixels | Unprepared;

/** What a task brings along, to be handed over instead of copied. */
export function memoryOf(task: PreparationTask): ArrayBuffer[] {
  if (task.kind === 'frame') return [task.frame.rgb.buffer];
  if (task.kind === 'sound') return [task.samples.buffer];
  return typeof task.picture === 'string' ? [] : [task.picture.buffer];
}

/** What a thread answers. */
export type Answer<Task extends PreparationTask> = Task extends PictureTask ? Prepared : RecordingTensor | Unprepared;
