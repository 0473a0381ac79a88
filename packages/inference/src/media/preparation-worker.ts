// The thread that pictures are decoded and resized on, one at a time. What is wrong with a picture is an answer: an error
// that is thrown is one of ours.
import { preparePicture } from '@pelorus/node';
import Piscina from 'piscina';
import type { PreparationTask, Prepared } from './preparation.js';

/** Padded, without anything else but the line breaks that e-mail puts in. */
const BASE64 = /^[A-Za-z0-9+/\r\n]*={0,2}[\r\n]*$/;

export default function prepare({ picture, preparation, patchMethod, limits }: PreparationTask): unknown {
  const bytes = typeof picture === 'string' ? decoded(picture) : picture;
  if (bytes === null) return { failure: 'its data is no base64' } satisfies Prepared;
  try {
    const prepared = preparePicture(bytes, preparation, patchMethod, limits);
    return moved(prepared, [prepared.values.buffer]);
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    if (error.code === 'too_many_pixels') {
      return moved({ tooManyPixels: error.message, picture }, typeof picture === 'string' ? [] : [picture.buffer]);
    }
    if (error.code === 'invalid_argument') return { failure: error.message } satisfies Prepared;
    throw error;
  }
}

function decoded(base64: string): Uint8Array | null {
  if (!BASE64.test(base64)) return null;
  const text = base64.replace(/[\r\n]/g, '');
  return text.length % 4 === 0 ? Buffer.from(text, 'base64') : null;
}

/** Hands memory over instead of copying it. */
function moved(prepared: Prepared, memory: ArrayBuffer[]): unknown {
  return Piscina.move({ [Piscina.transferableSymbol]: memory, [Piscina.valueSymbol]: prepared });
}
