import { isUtf8 } from 'node:buffer';
import { UnprocessableError } from '@pelorus/contract';

/** Deepest nesting of arrays and objects a body may have; well below what any recursion here could bear. */
export const jsonDepthMax = 64;

const quote = 0x22;
const backslash = 0x5c;

/** Whether arrays and objects nest deeper than `limit`. One pass over the bytes, stopping at the first excess. */
export function isDeeperThan(limit: number, json: Uint8Array): boolean {
  let depth = 0;
  for (let i = 0; i < json.length; i += 1) {
    const byte = json[i];
    if (byte === quote) {
      for (i += 1; i < json.length && json[i] !== quote; i += 1) if (json[i] === backslash) i += 1;
    } else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth > limit) return true;
    } else if (byte === 0x7d || byte === 0x5d) depth -= 1;
  }
  return false;
}

/** A body that is not JSON. `position` counts from 0; the body itself is never echoed. */
export function malformedJson(reason: string, position?: number): UnprocessableError {
  const loc = position === undefined ? ['body'] : ['body', position];
  return new UnprocessableError([{ loc, msg: reason, type: 'value_error.jsondecode' }]);
}

/** Parses a JSON body; `undefined` when there is none. */
export function parseJson(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  if (!isUtf8(body)) throw malformedJson('The body is not valid UTF-8');
  if (isDeeperThan(jsonDepthMax, body)) {
    throw malformedJson(`The body nests arrays and objects deeper than ${jsonDepthMax} levels`);
  }
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    throw describe(error as SyntaxError);
  }
}

/** The parser's own message quotes the body: only its position is kept. */
function describe(error: SyntaxError): UnprocessableError {
  const at = /position (\d+)(?: \((line \d+ column \d+)\))?/.exec(error.message);
  if (at === null) return malformedJson('The body is not valid JSON');
  const position = Number(at[1]);
  return malformedJson(`The body is not valid JSON: ${at[2] ?? ''} (char ${position})`.replace(':  ', ': '), position);
}
