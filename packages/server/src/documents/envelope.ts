import { operations, PelorusError, type schemas, UnprocessableError } from '@pelorus/contract';
import { checkModelAuth } from '@pelorus/inference';
import { parseJson } from '../http/json.js';
import { checkOf, requireBody } from '../validation/check.js';
import { checkDownloadHeaders } from '../validation/download-headers.js';
import { brokenTogether } from '../validation/problems.js';

export type Envelope = schemas.AddDocumentsRequest;

const check = checkOf(operations.addDocuments.body, 'body');

/** Most bytes of an add request beside its documents: more is no use, and is parsed on the thread that serves all. */
export const ENVELOPE_BYTES_MAX = 1024 * 1024;

/** Checks what surrounds the documents of an add request: its members and those that exclude each other. */
export function readEnvelope(bytes: Buffer): Envelope {
  if (bytes.length > ENVELOPE_BYTES_MAX) {
    throw new PelorusError(
      'payload_too_large',
      `The members beside \`documents\`, such as \`mappings\` and \`tensorFields\`, have ${bytes.length} bytes together, which exceeds the limit of ${ENVELOPE_BYTES_MAX} bytes`,
    );
  }
  const envelope = check(requireBody(parseJson(bytes, operations.addDocuments.bodyPartsMax))) as Envelope;
  checkDownloadHeaders(envelope);
  if (envelope.imageDownloadThreadCount !== undefined && envelope.mediaDownloadThreadCount != null) {
    throw new UnprocessableError([
      brokenTogether('Cannot set both imageDownloadThreadCount and mediaDownloadThreadCount'),
    ]);
  }
  checkModelAuth(envelope.modelAuth);
  return envelope;
}
