import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Problem, UnprocessableError } from '@pelorus/contract';
import { textProblems } from '../validation/texts.js';
import { JSON_DEPTH_MAX, type JsonBounds, JsonScan, tooManyValues } from './json-bounds.js';
import { faultPosition } from './json-fault.js';

const LINE_FEED = 0x0a;

/** A body that is not JSON. `position` counts from 0; the body itself is never echoed. */
function malformedJson(reason: string, position?: number): UnprocessableError {
  const loc = position === undefined ? ['body'] : ['body', position];
  return new UnprocessableError([{ loc, msg: reason, type: 'value_error.jsondecode' }]);
}

/** Characters in which lines are counted and mistakes looked for: more would take too long. */
export const SEARCH_LENGTH_MAX = 1_000_000;

/** A body that stops being JSON so far behind that its characters were not counted. */
export function malformedFar(line: number, column: number): UnprocessableError {
  return malformedJson(`The body is not valid JSON: line ${line} byte ${column}`);
}

/** A body that stops being JSON at character `position` of `text`. */
export function malformedAt(text: string, position: number): UnprocessableError {
  if (position > SEARCH_LENGTH_MAX) return malformedJson(`The body is not valid JSON (char ${position})`, position);
  let line = 1;
  let lineStart = 0;
  for (let at = 0; at < position; at += 1) {
    if (text.charCodeAt(at) !== LINE_FEED) continue;
    line += 1;
    lineStart = at + 1;
  }
  const column = position - lineStart + 1;
  return malformedJson(`The body is not valid JSON: line ${line} column ${column} (char ${position})`, position);
}

/** Bytes that are looked at in one turn of the event loop: a fraction of a millisecond of it. */
const BYTES_PER_TURN = 128 * 1024;

/** Tells whether a body is short enough to be parsed in one turn. */
export const isOfOneTurn = ({ length }: Buffer): boolean => length <= BYTES_PER_TURN;

/**
 * Parses a JSON body over as many turns of the event loop as it is long; `undefined` when there is none.
 * @throws PelorusError 422 for a text that is no JSON, `payload_too_large` for one that holds too much
 */
export async function parseJsonInTurns(body: Buffer, bounds: JsonBounds): Promise<unknown> {
  const parsing = parseInSteps(body, bounds);
  for (;;) {
    const { done, value } = parsing.next();
    if (done) return value;
    await nextTurn();
  }
}

/** As {@link parseJsonInTurns}, at once where the body is short enough for that. */
export function parseJson(body: Buffer, bounds: JsonBounds): unknown {
  if (!isOfOneTurn(body)) return parseJsonInTurns(body, bounds);
  return parseInSteps(body, bounds).next().value;
}

/**
 * Parses what is left of a body that so many values were taken out of, as {@link parseJson} does; undefined where anything
 * is wrong with it, which the body as it came tells.
 */
export function parseRest(rest: Buffer, valuesTaken: number, bounds: JsonBounds): unknown {
  const { bodyPartsMax, bodyNamesMax } = bounds;
  const left = { bodyPartsMax, bodyNamesMax, bodyValuesMax: bounds.bodyValuesMax - valuesTaken };
  try {
    const parsed = parseJson(rest, left);
    return parsed instanceof Promise ? parsed.catch(() => undefined) : parsed;
  } catch {
    return undefined;
  }
}

/**
 * Refuses a body as {@link parseJsonInTurns} would for holding too much, before something else reads it that knows no
 * bounds. Bodies short enough for one turn are left to that reader.
 */
export async function boundJsonInTurns(body: Buffer, bounds: JsonBounds): Promise<void> {
  if (isOfOneTurn(body)) return;
  for (const _ of scanInSteps(body, bounds)) await nextTurn();
}

function* scanInSteps(body: Buffer, bounds: JsonBounds): Generator<void, JsonScan, void> {
  const scan = new JsonScan(body, bounds);
  for (;;) {
    const excess = scan.next(BYTES_PER_TURN);
    if (excess?.of === 'depth') {
      throw malformedJson(`The body nests arrays and objects deeper than ${JSON_DEPTH_MAX} levels`, excess.position);
    }
    if (excess !== undefined) throw tooManyValues(excess.of, bounds);
    if (scan.isAtEnd) return scan;
    yield;
  }
}

/** As {@link parseJsonInTurns}: a turn for each step. */
export function* parseInSteps(body: Buffer, bounds: JsonBounds): Generator<void, unknown, void> {
  if (body.length === 0) return undefined;
  const { hasSurrogates } = yield* scanInSteps(body, bounds);
  if (!isUtf8(body)) throw malformedJson('The body is not valid UTF-8');
  const text = body.toString('utf8');
  if (body.length > BYTES_PER_TURN) yield;
  const value = parseText(text);
  if (body.length > BYTES_PER_TURN) yield;
  if (hasSurrogates) refuseHalfCharacters(value);
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
