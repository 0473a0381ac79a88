import type { engine, UnprocessableError } from '@pelorus/contract';
import { malformedAt, malformedFar, SEARCH_LENGTH_MAX } from '../http/json.js';

const LINE_FEED = 0x0a;

/** A request with documents whose body stops being JSON where the engine says. */
export function malformedBody(body: Buffer, { line, column, endsEarly }: engine.JsonSyntaxError): UnprocessableError {
  const offset = endsEarly ? body.length : startOfLine(body, line) + Math.max(column - 1, 0);
  if (offset > SEARCH_LENGTH_MAX) return malformedFar(line, column);
  const text = body.toString('utf8', 0, offset);
  return malformedAt(text, text.length);
}

/** The start of line `line`, from 1; infinity where that is too far behind to be looked for. */
function startOfLine(body: Buffer, line: number): number {
  const end = Math.min(body.length, SEARCH_LENGTH_MAX);
  let left = line;
  for (let at = 0; at < end; at += 1) {
    if (left === 1) return at;
    if (body[at] === LINE_FEED) left -= 1;
  }
  return left === 1 ? end : Number.POSITIVE_INFINITY;
}
