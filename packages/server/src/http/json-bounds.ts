import { PelorusError } from '@pelorus/contract';

/** Deepest nesting of arrays and objects a body may have; well below what any recursion here could bear. */
export const JSON_DEPTH_MAX = 64;

/** Most values of any kind in a body: the largest search, 65 vectors of 16,384 numbers, and room for the rest. */
export const JSON_VALUES_MAX = 1_200_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;

/** A bound that a body goes beyond; `position` is the byte that does. */
export interface JsonExcess {
  readonly of: 'depth' | 'parts' | 'values';
  readonly position: number;
}

/**
 * The first bound that `json` breaks, found in one pass over its bytes that stops there: what is parsed after it takes
 * milliseconds. Parts are names, texts, arrays and objects, which cost a parser far more than numbers do.
 */
export function excessOf(json: Uint8Array, partsMax: number): JsonExcess | undefined {
  let depth = 0;
  let parts = 0;
  let values = 1;
  for (let i = 0; i < json.length; i += 1) {
    const byte = json[i];
    if (byte === COMMA) {
      values += 1;
      if (values > JSON_VALUES_MAX) return { of: 'values', position: i };
      continue;
    }
    const opens = byte === 0x7b || byte === 0x5b;
    if (opens || byte === QUOTE) {
      parts += 1;
      if (parts > partsMax) return { of: 'parts', position: i };
    }
    if (byte === QUOTE) {
      for (i += 1; i < json.length && json[i] !== QUOTE; i += 1) if (json[i] === BACKSLASH) i += 1;
    } else if (opens) {
      depth += 1;
      if (depth > JSON_DEPTH_MAX) return { of: 'depth', position: i };
    } else if (byte === 0x7d || byte === 0x5d) depth -= 1;
  }
  return undefined;
}

/** A body of more parts or values than its route takes, whatever its bytes. */
export function tooManyValues(of: 'parts' | 'values', partsMax: number): PelorusError {
  const bound =
    of === 'parts'
      ? `${partsMax} names, texts, arrays and objects, taken together,`
      : `${JSON_VALUES_MAX} values of any kind`;
  return new PelorusError('payload_too_large', `The request body exceeds the limit of ${bound} for this route`);
}
