import { PelorusError } from '@pelorus/contract';
import type { ItemsResponse } from '@pelorus/engine';
import { shown } from '../validation/echo.js';

/** How the engine's answer about one id begins when the document was found, and how it ends. */
const head = Buffer.from('{"errors":false,"results":[{"_found":true,');
const tail = Buffer.from(']}');
const opening = Buffer.from('{');

/**
 * Takes the document out of an answer about one id, as bytes: numbers keep every digit.
 * @throws PelorusError `document_not_found`
 */
export function onlyDocument({ success, body }: ItemsResponse, id: string, index: string): Buffer {
  if (success === 0) {
    throw new PelorusError('document_not_found', `Document with ID ${shown(id)} not found in index ${index}`);
  }
  if (body.indexOf(head) !== 0) throw new Error('the engine answers about one id in another form than expected');
  return Buffer.concat([opening, body.subarray(head.length, -tail.length)]);
}
