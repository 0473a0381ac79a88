import { invalidArgument } from '@pelorus/contract';

/**
 * Longest text that is embedded or searched for, in characters. It is more than any model reads, and each step on the
 * thread that serves all takes milliseconds for it.
 */
export const QUERY_TEXT_LENGTH_MAX = 1024 * 1024;

/** In whatever case its scheme is, and with blanks before it, as media are told by their looks. */
const DATA_URI = /^\s*[dD][aA][tT][aA]:(image|video|audio)\//;

/** A data URI of a picture, film or sound as an answer shows it; undefined for any other text. */
export function shownDataUri(text: string): string | undefined {
  const found = DATA_URI.exec(text);
  return found === null ? undefined : `data:${found[1]}/[omitted]`;
}

/** Refuses a text that is too long to be one: only a data URI may be as long as the body. */
export function checkQueryText(name: string, text: string): void {
  if (!DATA_URI.test(text)) checkTextLength(name, text);
}

/** Refuses a text that is too long to be embedded or searched for by its letters. */
export function checkTextLength(name: string, text: string): void {
  if (text.length <= QUERY_TEXT_LENGTH_MAX) return;
  throw invalidArgument(
    `${name} has a text of ${text.length} characters, which is more than the allowed limit of [${QUERY_TEXT_LENGTH_MAX}]`,
  );
}
