import type { engine, UnprocessableError } from '@pelorus/contract';
import { malformedAt } from '../http/json.js';

const LINE_FEED = 0x0a;

/** A request with documents whose body stops being JSON where the engine says. */
export function malformedBody(body: Buffer, { line, column, endsEarly }: engine.JsonSyntaxError): UnprocessableError {
  const offset = endsEarly ? body.length : startOfLine(body, line) + Math.max(column - 1, 0);
  const text = body.toString('utf8', 0, offset);
  return malformedAt(text, text.length);
}

/** Where line `line`, from 1, starts. */
function startOfLine(body: Buffer, line: number): number {
  let start = 0;
  for (let left = line; left > 1; left -= 1) start = body.indexOf(LINE_FEED, start) + 1;
  return start;
}
