import { deltaBinaryUnpack } from 'hyparquet/src/delta.js';
import { CompactReader } from './compact-thrift.js';

/** Values by which the last bit-packed run of a writer goes past those that there are. */
const PADDING_MAX = 512;
/** Runs have their lengths in 32 bits. */
const HEADER_MAX = 2 ** 32;

/** Runs of values of `width` bits, from byte `start` to byte `end`. */
export interface Runs {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly width: number;
}

/**
 * Goes through runs until `count` values were seen or the bytes end, and counts those that are `wanted`.
 *
 * @throws Error for a run that goes on past them
 */
export function scanRuns(
  runs: Runs,
  count: number,
  wanted?: number,
): { readonly seen: number; readonly found: number } {
  const { bytes, end, width } = runs;
  const reader = new CompactReader(bytes.subarray(0, end), runs.start);
  let [seen, found] = [0, 0];
  while (seen < count && reader.offset < end) {
    const header = reader.varint();
    if (header >= HEADER_MAX) throw new Error('a run is longer than 32 bits can tell');
    const [isPacked, length] = [header % 2 === 1, Math.floor(header / 2)];
    const values = isPacked ? 8 * length : length;
    const some = Math.min(values, count - seen);
    if (values > some + (isPacked ? PADDING_MAX : 0)) throw new Error(`a run has ${values} values, not ${some}`);
    const at = reader.offset;
    if (at + Math.ceil((isPacked ? some * width : width) / 8) > end) break;
    if (wanted !== undefined) {
      found += isPacked ? countPacked(bytes, at, width, some, wanted) : bytes[at] === wanted ? some : 0;
    }
    // Without bits for its values, the reader takes a byte for a packed run.
    reader.offset += isPacked ? Math.max(1, length * width) : Math.ceil(width / 8);
    seen += values;
  }
  return { seen, found };
}

/** Counts the values of a bit-packed run, of at most eight bits each, that are `wanted`. */
function countPacked(bytes: Uint8Array, at: number, width: number, values: number, wanted: number): number {
  const mask = 2 ** width - 1;
  let found = 0;
  for (let value = 0, bit = 0; value < values; value += 1, bit += width) {
    const byte = at + (bit >> 3);
    const two = (bytes[byte] ?? 0) | ((bytes[byte + 1] ?? 0) << 8);
    if (((two >> (bit & 7)) & mask) === wanted) found += 1;
  }
  return found;
}

/**
 * Goes through `count` integers that are stored by their differences, and returns the place behind them.
 *
 * @throws Error for bytes that are none
 */
export function scanDeltas(bytes: Uint8Array, start: number, count: number): number {
  const reader = new CompactReader(bytes, start);
  const [block, parts] = [reader.varint(), reader.varint()];
  reader.varint();
  reader.varint();
  const each = block / parts;
  if (each % 32 !== 0) throw new Error(`differences lie in ${parts} parts of ${block}`);
  for (let seen = 1; seen < count; ) {
    reader.varint();
    const widths = reader.offset;
    if (parts > bytes.length - widths) throw new Error(`differences lie in ${parts} parts`);
    reader.offset += parts;
    for (let part = 0; part < parts && seen < count; part += 1, seen += each) {
      reader.offset += Math.ceil((each * (bytes[widths + part] as number)) / 8);
    }
  }
  return reader.offset;
}

/** Counts the bytes of `count` texts of which each has some bytes of the one before and some of its own. */
export function bytesOfPrefixed(bytes: Uint8Array, start: number, count: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [shared, own] = [new Int32Array(count), new Int32Array(count)];
  const reader = { view, offset: start };
  for (const lengths of [shared, own]) {
    scanDeltas(bytes, reader.offset, count);
    deltaBinaryUnpack(reader, count, lengths);
  }
  let [before, sum] = [0, 0];
  for (let at = 0; at < count; at += 1) {
    const [prefix, rest] = [shared[at] as number, own[at] as number];
    if (prefix < 0 || prefix > before || rest < 0) throw new Error(`a text has ${prefix} bytes of one of ${before}`);
    before = prefix + rest;
    sum += before;
  }
  return sum;
}
