import { invalidArgument } from '@pelorus/contract';
import { barePointer, DATA_URI_HEAD_LENGTH, isDataUri, pointedTo, shownPointer } from '@pelorus/inference';

/**
 * Longest text that is embedded or searched for, in characters. It is more than any model reads, and each step on the
 * thread that serves all takes milliseconds for it.
 */
export const QUERY_TEXT_LENGTH_MAX = 1024 * 1024;

/** A data URI as an answer shows it; undefined for any other text. */
export function shownDataUri(text: string): string | undefined {
  // A pointer is a part of its text, with marks around it.
  if (!/data:/i.test(text)) return undefined;
  const head = headOf(text);
  return isDataUri(head) && pointedTo(text) !== 'text' ? shownPointer(head) : undefined;
}

/** The beginning of a pointer without what stands around it: long enough to tell a data URI from all else. */
function headOf(text: string): string {
  const start = text.slice(0, 2 * DATA_URI_HEAD_LENGTH);
  const head = barePointer(start);
  // Data are megabytes, and are looked through only behind more marks than anybody writes.
  return start === text || head.length >= DATA_URI_HEAD_LENGTH ? head : barePointer(text);
}

/** Refuses a text that is too long to be one: only a data URI may be as long as the body. */
export function checkQueryText(name: string, text: string): void {
  if (text.length > QUERY_TEXT_LENGTH_MAX && shownDataUri(text) === undefined) checkTextLength(name, text);
}

/** Refuses a text that is too long to be embedded or searched for by its letters. */
export function checkTextLength(name: string, text: string): void {
  if (text.length <= QUERY_TEXT_LENGTH_MAX) return;
  throw invalidArgument(
    `${name} has a text of ${text.length} characters, which is more than the allowed limit of [${QUERY_TEXT_LENGTH_MAX}]`,
  );
}
