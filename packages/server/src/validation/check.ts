import { type JsonSchema, type Problem, UnprocessableError } from '@pelorus/contract';
import { placeOf, wrong } from './problems.js';
import { readerOf } from './reader.js';

export type Check = (value: unknown) => unknown;

/**
 * Checks a part of a request, `body`, `query`, `header` or `path`.
 * @throws UnprocessableError that lists everything wrong with it; PelorusError for what has a code of its own
 */
export function checkOf(schema: JsonSchema, part: 'body' | 'query' | 'header' | 'path'): Check {
  const read = readerOf(schema);
  return (value) => {
    const problems: Problem[] = [];
    const result = read(value, placeOf(part), problems);
    if (problems.length > 0) throw new UnprocessableError(problems);
    return result;
  };
}

/** A body must be there: nothing and a lone `null` are both its absence. */
export function requireBody(value: unknown): unknown {
  if (value === undefined || value === null) {
    throw new UnprocessableError([wrong('value_error.missing', placeOf('body'))]);
  }
  return value;
}
