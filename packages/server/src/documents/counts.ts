/** The headers that count items by the class of their status. */
export function countHeaders(success: number, failure: number, error: number): Record<string, string> {
  return {
    'x-count-success': String(success),
    'x-count-failure': String(failure),
    'x-count-error': String(error),
  };
}

/** Counts the items of an add answer. Items are small whatever the documents were. */
export function countItems(answer: Buffer): Record<string, string> {
  const { items } = JSON.parse(answer.toString('utf8')) as { items: { status: number }[] };
  const count = (low: number) => items.filter(({ status }) => status >= low && status < low + 100).length;
  return countHeaders(count(200), count(400), count(500));
}

const notFound = Buffer.from('"_found":false');

/**
 * Counts the entries of a get answer without parsing it: it may hold megabytes of documents. The member `_found` is the
 * answer's own, no document can have it, and inside a string its quotes would be escaped.
 */
export function countFound(answer: Buffer, ids: readonly string[]): Record<string, string> {
  let failures = ids.filter((id) => id === '').length;
  for (let at = answer.indexOf(notFound); at >= 0; at = answer.indexOf(notFound, at + notFound.length)) failures += 1;
  return countHeaders(ids.length - failures, failures, 0);
}
