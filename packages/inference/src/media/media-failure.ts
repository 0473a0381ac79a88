import { truncated } from '@pelorus/contract';
import { pointedTo } from '@pelorus/node';
import { shownUrl } from '../outbound/shown-url.js';

/** A picture, film or sound that cannot be had or read; its message says why, for people. Others are none the worse. */
export class MediaFailure extends Error {
  override readonly name = 'MediaFailure';
}

/** The message that a client gets about a pointer that failed. */
export function mediaFailureText(pointer: string, reason: string): string {
  return `Could not process the media file found at \`${shownPointer(pointer)}\`. Reason: ${reason}`;
}

/** The part of a data URI, in characters, that holds its type for certain: the rest is data. */
export const DATA_URI_HEAD_LENGTH = 1100;

/** A pointer as messages and answers may show it: a URL without its secrets, and of a data URI no data. */
export function shownPointer(pointer: string): string {
  if (!isDataUri(pointer)) return truncated(shownUrl(pointer));
  const medium = pointedTo(pointer.slice(0, DATA_URI_HEAD_LENGTH));
  return medium === 'text' || medium === 'unknown' ? 'data:[omitted]' : `data:${medium}/[omitted]`;
}

/** Tells whether a pointer brings its picture along. */
export const isDataUri = (pointer: string) => /^data:/i.test(pointer);
