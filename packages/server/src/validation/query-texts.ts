import { invalidArgument } from '@pelorus/contract';
import { pointedTo } from '@pelorus/inference';

/**
 * Longest text that is embedded or searched for, in characters. It is more than any model reads, and each step on the
 * thread that serves all takes milliseconds for it.
 */
export const QUERY_TEXT_LENGTH_MAX = 1024 * 1024;

/** The beginning of a data URI, whatever stands around it, in the length that its type may have. */
const DATA_URI = /^data:(?:(image|video|audio)\/|\s*(image|video|audio)?[^,]*;\s*base64\s*,)/i;
const HEAD_LENGTH = 1100;

/** A data URI as an answer shows it; undefined for any other text. */
export function shownDataUri(text: string): string | undefined {
  const head = text.replace(/^[\s\u200b\u2060"'`<([\u201c\u2018\u00ab]+/, '').slice(0, HEAD_LENGTH);
  const found = DATA_URI.exec(head);
  if (found === null || pointedTo(text) === 'text') return undefined;
  const medium = found[1] ?? found[2];
  return medium === undefined ? 'data:[omitted]' : `data:${medium.toLowerCase()}/[omitted]`;
}

/** Refuses a text that is too long to be one: only a data URI may be as long as the body. */
export function checkQueryText(name: string, text: string): void {
  if (shownDataUri(text) === undefined) checkTextLength(name, text);
}

/** Refuses a text that is too long to be embedded or searched for by its letters. */
export function checkTextLength(name: string, text: string): void {
  if (text.length <= QUERY_TEXT_LENGTH_MAX) return;
  throw invalidArgument(
    `${name} has a text of ${text.length} characters, which is more than the allowed limit of [${QUERY_TEXT_LENGTH_MAX}]`,
  );
}
