import { operations, PelorusError, type schemas, UnprocessableError } from '@pelorus/contract';
import { parseJson } from '../http/json.js';
import { checkOf, requireBody } from '../validation/check.js';
import { brokenTogether } from '../validation/problems.js';

export type Envelope = schemas.AddDocumentsRequest;

const check = checkOf(operations.addDocuments.body, 'body');

/** Most bytes of an add request beside its documents: more is no use, and is parsed on the thread that serves all. */
export const envelopeBytesMax = 1024 * 1024;

/** Checks what surrounds the documents of an add request: its members and those that exclude each other. */
export function readEnvelope(bytes: Buffer): Envelope {
  if (bytes.length > envelopeBytesMax) {
    throw new PelorusError(
      'payload_too_large',
      `The members beside \`documents\`, such as \`mappings\` and \`tensorFields\`, have ${bytes.length} bytes together, which exceeds the limit of ${envelopeBytesMax} bytes`,
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

type Headers = schemas.Headers | undefined;

interface DownloadHeaders {
  readonly imageDownloadHeaders?: Headers;
  readonly image_download_headers?: Headers;
  readonly mediaDownloadHeaders?: Headers;
  readonly media_download_headers?: Headers;
}

/** The older and the newer member name the same headers: only one of them may hold any. */
export function checkDownloadHeaders(body: DownloadHeaders): void {
  const image = hasMembers(body.imageDownloadHeaders) || hasMembers(body.image_download_headers);
  const media = hasMembers(body.mediaDownloadHeaders) || hasMembers(body.media_download_headers);
  if (!image || !media) return;
  const text = 'Cannot set both imageDownloadHeaders and mediaDownloadHeaders. Use mediaDownloadHeaders alone.';
  throw new UnprocessableError([brokenTogether(text)]);
}

function hasMembers(value: Headers): boolean {
  return value != null && Object.keys(value).length > 0;
}

/** Credentials name one place and one only. */
export function checkModelAuth(auth: schemas.ModelAuth | null | undefined): void {
  if (auth == null) return;
  const places = [auth.s3, auth.hf].filter((place) => place != null).length;
  if (places === 0) {
    throw new PelorusError('invalid_argument', 'Missing authentication object. modelAuth takes `s3` or `hf`.');
  }
  if (places > 1) {
    throw new PelorusError(
      'invalid_argument',
      'More than one model authentication was provided. Only one model authentication object is allowed',
    );
  }
}
