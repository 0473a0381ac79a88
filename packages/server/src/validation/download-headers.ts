import { type schemas, UnprocessableError } from '@pelorus/contract';
import { brokenTogether } from './problems.js';

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
