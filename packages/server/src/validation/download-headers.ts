import { type schemas, UnprocessableError } from '@pelorus/contract';
import { brokenTogether } from './problems.js';

type Headers = schemas.Headers | undefined;

/** The members of a body that name headers. */
interface HeaderMembers {
  readonly imageDownloadHeaders?: Headers;
  readonly image_download_headers?: Headers;
  readonly mediaDownloadHeaders?: Headers;
  readonly media_download_headers?: Headers;
}

/** What is sent with each fetch of a picture, film or sound. */
export type DownloadHeaders = Readonly<Record<string, string>>;

/** The older and the newer member name the same headers: only one of them may hold any. */
export function checkDownloadHeaders(body: HeaderMembers): void {
  const image = hasMembers(body.imageDownloadHeaders) || hasMembers(body.image_download_headers);
  const media = hasMembers(body.mediaDownloadHeaders) || hasMembers(body.media_download_headers);
  if (!image || !media) return;
  const text = 'Cannot set both imageDownloadHeaders and mediaDownloadHeaders. Use mediaDownloadHeaders alone.';
  throw new UnprocessableError([brokenTogether(text)]);
}

/** Those of a body that was checked, whichever member names them. */
export function downloadHeaders(body: HeaderMembers): DownloadHeaders {
  const { mediaDownloadHeaders, media_download_headers, imageDownloadHeaders, image_download_headers } = body;
  const members = [mediaDownloadHeaders, media_download_headers, imageDownloadHeaders, image_download_headers];
  return members.find(hasMembers) ?? {};
}

function hasMembers(value: Headers): boolean {
  return value != null && Object.keys(value).length > 0;
}
