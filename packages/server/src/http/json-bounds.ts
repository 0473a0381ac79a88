import { type Operation, PelorusError } from '@pelorus/contract';

/** Deepest nesting of arrays and objects a body may have; well below what any recursion here could bear. */
export const JSON_DEPTH_MAX = 64;

/** The bounds of a body of an operation. */
export type JsonBounds = Pick<Operation, 'bodyPartsMax' | 'bodyNamesMax' | 'bodyValuesMax'>;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const LETTER_D = 0x64;
const LOWER_CASE = 0x20;

/** A bound that a body goes beyond; `position` is the byte that does. */
export interface JsonExcess {
  readonly of: 'depth' | 'parts' | 'names' | 'values';
  readonly position: number;
}

/**
 * Looks for the first bound that a body breaks, in one pass over its bytes that stops there: what is parsed after it takes
 * milliseconds. Parts are names, texts, arrays and objects, which cost a parser far more than numbers do, and names, where no two are
 * alike, several times as much as texts. The pass may be made piece by piece.
 */
export class JsonScan {
  readonly #json: Uint8Array;
  readonly #bounds: JsonBounds;
  #at = 0;
  #isInText = false;
  #depth = 0;
  #parts = 0;
  #names = 0;
  #values = 1;
  #hasSurrogates = false;

  constructor(json: Uint8Array, bounds: JsonBounds) {
    this.#json = json;
    this.#bounds = bounds;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#json.length;
  }

  /**
   * Tells whether a text so far has an escape of the kind that can leave half of a character: only they make one not
   * Unicode.
   */
  get hasSurrogates(): boolean {
    return this.#hasSurrogates;
  }

  /** Goes on for `bytes`; what it came upon, and undefined where that is nothing. */
  next(bytes: number): JsonExcess | undefined {
    const json = this.#json;
    const { bodyPartsMax, bodyNamesMax, bodyValuesMax } = this.#bounds;
    const end = Math.min(this.#at + bytes, json.length);
    let [at, isInText, depth] = [this.#at, this.#isInText, this.#depth];
    let [parts, names, values] = [this.#parts, this.#names, this.#values];
    for (; at < end; at += 1) {
      const byte = json[at];
      if (isInText) {
        if (byte === BACKSLASH) {
          at += 1;
          if (json[at] === LETTER_U && ((json[at + 1] as number) | LOWER_CASE) === LETTER_D) this.#hasSurrogates = true;
        } else if (byte === QUOTE) isInText = false;
        continue;
      }
      if (byte === COMMA) {
        values += 1;
        if (values > bodyValuesMax) return { of: 'values', position: at };
        continue;
      }
      const opens = byte === 0x7b || byte === 0x5b;
      if (opens || byte === QUOTE) {
        parts += 1;
        if (parts > bodyPartsMax) return { of: 'parts', position: at };
      }
      if (byte === QUOTE) isInText = true;
      else if (opens) {
        depth += 1;
        if (depth > JSON_DEPTH_MAX) return { of: 'depth', position: at };
      } else if (byte === 0x7d || byte === 0x5d) depth -= 1;
      else if (byte === COLON) {
        names += 1;
        if (names > bodyNamesMax) return { of: 'names', position: at };
      }
    }
    [this.#at, this.#isInText, this.#depth] = [at, isInText, depth];
    [this.#parts, this.#names, this.#values] = [parts, names, values];
    return undefined;
  }
}

/** A body of more than its route takes, whatever its bytes. */
export function tooManyValues(of: 'parts' | 'names' | 'values', bounds: JsonBounds): PelorusError {
  const { bodyPartsMax, bodyNamesMax, bodyValuesMax } = bounds;
  const bound = {
    parts: `${bodyPartsMax} names, texts, arrays and objects, taken together,`,
    names: `${bodyNamesMax} names`,
    values: `${bodyValuesMax} values of any kind`,
  }[of];
  return new PelorusError('payload_too_large', `The request body exceeds the limit of ${bound} for this route`);
}
