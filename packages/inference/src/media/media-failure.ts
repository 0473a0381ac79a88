import { shownUrl } from '../outbound/shown-url.js';

/** A picture, film or sound that cannot be had or read; its message says why, for people. Others are none the worse. */
export class MediaFailure extends Error {
  override readonly name = 'MediaFailure';
}

/** The message that a client gets about a pointer that failed. */
export function mediaFailureText(pointer: string, reason: string): string {
  return `Could not process the media file found at \`${shownPointer(pointer)}\`. Reason: ${reason}`;
}

/** A pointer as messages may show it: a URL without its secrets, and of a data URI no data. */
export function shownPointer(pointer: string): string {
  if (!isDataUri(pointer)) return shownUrl(pointer);
  const [, medium] = /^data:\s*(image|video|audio)(?=[/;,])/i.exec(pointer) ?? [];
  return medium === undefined ? 'data:[omitted]' : `data:${medium.toLowerCase()}/[omitted]`;
}

/** Tells whether a pointer brings its picture along. */
export const isDataUri = (pointer: string) => /^data:/i.test(pointer);
