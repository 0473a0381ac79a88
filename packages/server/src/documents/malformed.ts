import type { UnprocessableError } from '@pelorus/contract';
import { malformedAt } from '../http/json.js';

const LINE_FEED = 0x0a;

/** The engine tells where an add request stops being JSON by line and column, both from 1, the column in bytes. */
export function malformedByEngine(body: Buffer, message: string): UnprocessableError {
  const at = /line (\d+) column (\d+)/.exec(message);
  // At an early end the column is that of the last byte, and what is missing would follow it.
  const endsEarly = at === null || message.startsWith('EOF');
  const offset = endsEarly ? body.length : startOfLine(body, Number(at[1])) + Math.max(Number(at[2]) - 1, 0);
  const text = body.toString('utf8', 0, offset);
  return malformedAt(text, text.length);
}

/** Where line `line`, from 1, starts. */
function startOfLine(body: Buffer, line: number): number {
  let start = 0;
  for (let left = line; left > 1; left -= 1) start = body.indexOf(LINE_FEED, start) + 1;
  return start;
}
