import type {
  DetectorTensor,
  PatchDetector,
  PicturePreparation,
  PreparedPicture,
  RecordingTensor,
} from '@pelorus/node';
import type { FilmFrame } from './ffmpeg-frames.js';

/** The inputs of a preparation thread. */
export type PreparationTask = OfPicture | RecordingTask;

/** The tasks with a file that a stranger chose. */
export type OfPicture = PictureTask | DetectionTask | PatchesTask;

export interface PictureTask {
  readonly kind: 'picture';
  /** A file, or what follows `base64,` in a data URI. */
  readonly picture: Uint8Array<ArrayBuffer> | string;
  readonly preparation: PicturePreparation;
  readonly patchMethod: 'simple' | null;
  readonly limits: { readonly bytesMax: number; readonly pixelsMax: number };
}

/** A picture to prepare for a detector. */
export interface DetectionTask extends Pick<PictureTask, 'picture' | 'limits'> {
  readonly kind: 'detection';
  readonly detector: PatchDetector;
}

/** The whole picture and the parts that were found in it: `count` of them from `first` on, fewer where there are no more. */
export interface PatchesTask extends Pick<PictureTask, 'picture' | 'preparation' | 'limits'> {
  readonly kind: 'patches';
  /** `[parts, 5]`. */
  readonly detections: Float32Array;
  readonly first: number;
  readonly count: number;
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

/** The problem of the given input. */
export interface Unprepared {
  readonly failure: string;
}

/** The file, given back for the next step. */
export interface Returned {
  readonly picture: PictureTask['picture'];
}

/** The result for a picture without a problem. */
export type Prepared<Task extends OfPicture> = Task extends PictureTask
  ? PreparedPicture
  : Task extends DetectionTask
    ? DetectorTensor & Returned
    : PreparedPicture & Returned;

/** The memory of a task, to be handed over instead of copied. */
export function memoryOf(task: PreparationTask): ArrayBuffer[] {
  if (task.kind === 'frame') return [task.frame.rgb.buffer];
  if (task.kind === 'sound') return [task.samples.buffer];
  return typeof task.picture === 'string' ? [] : [task.picture.buffer];
}

/** The answer of a thread. */
export type Answer<Task extends PreparationTask> = Task extends OfPicture
  ? Prepared<Task> | TooManyPixels | Unprepared
  : RecordingTensor | Unprepared;
