// The thread that tensors are made on, of one thing at a time. A problem of the input is an answer: an error that is
// thrown is one of ours.
import {
  detectorTensor,
  filmFrame,
  preparePatches,
  preparePicture,
  type RecordingTensor,
  soundTensor,
} from '@pelorus/node';
import Piscina from 'piscina';
import {
  type Answer,
  memoryOf,
  type OfPicture,
  type PictureTask,
  type PreparationTask,
  type RecordingTask,
  type Unprepared,
} from './preparation.js';

/** Characters of either alphabet. A blank is none: where a form was sent it may have been a plus. */
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;
/** The line breaks that e-mail puts in, and tabs, also escaped as URLs do it. */
const BREAKS = /[\r\n\t]|%0[aAdD9]/g;
const ESCAPES: Readonly<Record<string, string>> = { '%2B': '+', '%2F': '/', '%3D': '=' };

export default function prepare(task: PreparationTask): unknown {
  try {
    const prepared = isRecording(task) ? recordingTensor(task) : pictureTensors(task);
    if ('failure' in prepared) return prepared;
    const returned = 'picture' in prepared ? memoryOf(task) : [];
    return moved(prepared, 'values' in prepared ? [prepared.values.buffer, ...returned] : returned);
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    if (error.code === 'too_many_pixels' && !isRecording(task)) {
      return moved({ tooManyPixels: error.message, picture: task.picture }, memoryOf(task));
    }
    if (error.code === 'invalid_argument') return { failure: error.message } satisfies Unprepared;
    throw error;
  }
}

const isRecording = (task: PreparationTask): task is RecordingTask => task.kind === 'frame' || task.kind === 'sound';

function recordingTensor(task: RecordingTask): RecordingTensor {
  if (task.kind === 'sound') return soundTensor(task.samples);
  const { rgb, width, height } = task.frame;
  return filmFrame(rgb, width, height);
}

function pictureTensors(task: OfPicture): Answer<OfPicture> {
  const { picture, limits } = task;
  const bytes = typeof picture === 'string' ? decoded(picture) : picture;
  if (bytes === null) return { failure: 'its data is no base64' };
  if (task.kind === 'picture') return preparePicture(bytes, task.preparation, task.patchMethod, limits);
  if (task.kind === 'detection') return { ...detectorTensor(bytes, task.detector, limits), picture };
  const { preparation, detections, first, count } = task;
  return { ...preparePatches(bytes, preparation, detections, first, count, limits), picture };
}

/** Decodes base64 in any spelling that has one meaning, without padding too; null for what is none. */
function decoded(base64: PictureTask['picture'] & string): Uint8Array | null {
  const text = base64.replace(BREAKS, '').replace(/%(?:2[bBfF]|3[dD])/g, (code) => ESCAPES[code.toUpperCase()] ?? '');
  if (!BASE64.test(text)) return null;
  const padding = text.length - text.replace(/=+$/, '').length;
  const isWhole = padding === 0 ? text.length % 4 !== 1 : text.length % 4 === 0;
  return isWhole ? Buffer.from(text, 'base64') : null;
}

/** Hands memory over instead of copying it. */
function moved(prepared: object, memory: ArrayBuffer[]): unknown {
  return Piscina.move({ [Piscina.transferableSymbol]: memory, [Piscina.valueSymbol]: prepared });
}
