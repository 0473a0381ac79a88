// What messages show of texts that came with a request, as the crate `excerpt` does for the engine's: however long
// those are, an answer is short.

/** Longest excerpt of a text, in characters. */
const TEXT_LENGTH_MAX = 256;

/** The start of a text, no half of a surrogate pair in it. */
export function truncated(text: string): string {
  return text.length <= TEXT_LENGTH_MAX && text.isWellFormed() ? text : text.slice(0, TEXT_LENGTH_MAX).toWellFormed();
}

/** Longest list of names, in characters. */
const LIST_LENGTH_MAX = 4096;

/** Names in one line, as many of them as an answer has room for, with dots where that is not all. */
export function joinedTruncated(names: readonly string[]): string {
  const line = names.join(', ');
  return line.length <= LIST_LENGTH_MAX ? line : `${line.slice(0, LIST_LENGTH_MAX)}...`;
}
