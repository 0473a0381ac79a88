/** Longest echo of what came with the request, in characters. */
const ECHO_LENGTH_MAX = 256;

/** What an answer shows of a text that came with the request: its start, no half of a surrogate pair in it. */
export function shown(text: string): string {
  return text.length <= ECHO_LENGTH_MAX && text.isWellFormed() ? text : text.slice(0, ECHO_LENGTH_MAX).toWellFormed();
}

/** Longest list of names in an answer, in characters. */
const LIST_LENGTH_MAX = 4096;

/** Names in one line, as many of them as an answer has room for. */
export function listed(names: readonly string[]): string {
  const line = names.join(', ');
  return line.length <= LIST_LENGTH_MAX ? line : `${line.slice(0, LIST_LENGTH_MAX)}...`;
}
