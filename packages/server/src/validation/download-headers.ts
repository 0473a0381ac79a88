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

const imageMembers = ['imageDownloadHeaders', 'image_download_headers'] as const;
const mediaMembers = ['mediaDownloadHeaders', 'media_download_headers'] as const;

/** The headers sent with each fetch of a picture, film or sound. */
export type DownloadHeaders = Readonly<Record<string, string>>;

/** All members name the same headers, in two spellings each: only one of them may hold any. */
export function checkDownloadHeaders(body: HeaderMembers): void {
  const image = imageMembers.filter((name) => hasMembers(body[name]));
  const media = mediaMembers.filter((name) => hasMembers(body[name]));
  const both = image.length > 0 && media.length > 0 ? [imageMembers[0], mediaMembers[0]] : [image, media].find(isTwice);
  if (both === undefined) return;
  const text = `Cannot set both ${both.join(' and ')}. Use mediaDownloadHeaders alone.`;
  throw new UnprocessableError([brokenTogether(text)]);
}

/** Those of a body that was checked, whichever member names them. */
export function downloadHeaders(body: HeaderMembers): DownloadHeaders {
  return [...mediaMembers, ...imageMembers].map((name) => body[name]).find(hasMembers) ?? {};
}

function isTwice(names: readonly string[]): boolean {
  return names.length > 1;
}

function hasMembers(value: Headers): boolean {
  return value != null && Object.keys(value).length > 0;
}
