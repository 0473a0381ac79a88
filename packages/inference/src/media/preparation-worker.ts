// The thread that tensors are made on, of one thing at a time. What is wrong with that is an answer: an error that is thrown
// is one of ours.
import { filmFrame, preparePicture, type RecordingTensor, soundTensor } from '@pelorus/node';
import Piscina from 'piscina';
import {
  memoryOf,
  type PictureTask,
  type PreparationTask,
  type Prepared,
  type RecordingTask,
  type Unprepared,
} from './preparation.js';

/** Padded, without anything else but the line breaks that e-mail puts in. */
const BASE64 = /^[A-Za-z0-9+/\r\n]*={0,2}[\r\n]*$/;

export default function prepare(task: PreparationTask): unknown {
  try {
    const prepared = task.kind === 'picture' ? pictureTensors(task) : recordingTensor(task);
    return 'failure' in prepared ? prepared : moved(prepared, [prepared.values.buffer]);
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    if (error.code === 'too_many_pixels' && task.kind === 'picture') {
      return moved({ tooManyPixels: error.message, picture: task.picture }, memoryOf(task));
    }
    if (error.code === 'invalid_argument') return { failure: error.message } satisfies Unprepared;
    throw error;
  }
}

function recordingTensor(task: RecordingTask): RecordingTensor {
  if (task.kind === 'sound') return soundTensor(task.samples);
  const { rgb, width, height } = task.frame;
  return filmFrame(rgb, width, height);
}

function pictureTensors({ picture, preparation, patchMethod, limits }: PictureTask) {
  const bytes = typeof picture === 'string' ? decoded(picture) : picture;
  if (bytes === null) return { failure: 'its data is no base64' };
  return preparePicture(bytes, preparation, patchMethod, limits);
}

function decoded(base64: string): Uint8Array | null {
  if (!BASE64.test(base64)) return null;
  const text = base64.replace(/[\r\n]/g, '');
  return text.length % 4 === 0 ? Buffer.from(text, 'base64') : null;
}

/** Hands memory over instead of copying it. */
function moved(prepared: Prepared | RecordingTensor, memory: ArrayBuffer[]): unknown {
  return Piscina.move({ [Piscina.transferableSymbol]: memory, [Piscina.valueSymbol]: prepared });
}
