import { isUtf8 } from 'node:buffer';
import { type Problem, UnprocessableError } from '@pelorus/contract';
import { textProblems } from '../validation/texts.js';
import { excessOf, JSON_DEPTH_MAX, tooManyValues } from './json-bounds.js';
import { faultPosition } from './json-fault.js';

/** Escapes of the kind that can leave half of a character: only they make a text that is not Unicode. */
const SURROGATE_ESCAPES = ['\\ud', '\\uD'];

/** A body that is not JSON. `position` counts from 0; the body itself is never echoed. */
function malformedJson(reason: string, position?: number): UnprocessableError {
  const loc = position === undefined ? ['body'] : ['body', position];
  return new UnprocessableError([{ loc, msg: reason, type: 'value_error.jsondecode' }]);
}

/** How far lines are counted and mistakes looked for, in characters: what lies behind would take too long. */
const SEARCH_LENGTH_MAX = 1_000_000;

/** A body that stops being JSON at character `position` of `text`. */
export function malformedAt(text: string, position: number): UnprocessableError {
  if (position > SEARCH_LENGTH_MAX) return malformedJson(`The body is not valid JSON (char ${position})`, position);
  let line = 1;
  let lineStart = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < position; at = text.indexOf('\n', lineStart)) {
    line += 1;
    lineStart = at + 1;
  }
  const column = position - lineStart + 1;
  return malformedJson(`The body is not valid JSON: line ${line} column ${column} (char ${position})`, position);
}

/**
 * Parses a JSON body; `undefined` when there is none.
 * @param partsMax most names, texts, arrays and objects it may hold
 * @throws PelorusError 422 for what is no JSON, `payload_too_large` for what holds too much of it
 */
export function parseJson(body: Buffer, partsMax: number): unknown {
  if (body.length === 0) return undefined;
  const excess = excessOf(body, partsMax);
  if (excess?.of === 'depth') {
    throw malformedJson(`The body nests arrays and objects deeper than ${JSON_DEPTH_MAX} levels`, excess.position);
  }
  if (excess !== undefined) throw tooManyValues(excess.of, partsMax);
  if (!isUtf8(body)) throw malformedJson('The body is not valid UTF-8');
  const value = parseText(body.toString('utf8'));
  if (SURROGATE_ESCAPES.some((start) => body.includes(start))) refuseHalfCharacters(value);
  return value;
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser's own message quotes the body, and tells the place of some mistakes only.
    const { message } = error as SyntaxError;
    const told = / in JSON at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(message)?.[1];
    if (told !== undefined) throw malformedAt(text, Number(told));
    if (message === 'Unexpected end of JSON input') throw malformedAt(text, text.length);
    if (text.length > SEARCH_LENGTH_MAX) throw malformedJson('The body is not valid JSON');
    throw malformedAt(text, faultPosition(text));
  }
}

function refuseHalfCharacters(value: unknown): void {
  const problems: Problem[] = [];
  textProblems(value, problems);
  if (problems.length > 0) throw new UnprocessableError(problems);
}
