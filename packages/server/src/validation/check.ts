import { type JsonSchema, PelorusError, type Problem, UnprocessableError } from '@pelorus/contract';
import { pathOf, placeOf, refusalText, wrong } from './problems.js';
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

/**
 * A body must be there: nothing and a lone `null` are both its absence.
 * @throws UnprocessableError; PelorusError where the schema names a code of its own (`x-refused-as`)
 */
export function requireBody(value: unknown, schema?: JsonSchema): unknown {
  if (value !== undefined && value !== null) return value;
  const code = schema?.['x-refused-as'];
  if (code === undefined) throw new UnprocessableError([wrong('value_error.missing', placeOf('body'))]);
  const missing = wrong('value_error.missing', placeOf('__root__'));
  throw new PelorusError(code, refusalText(pathOf(placeOf('body')), [missing]));
}
