import { expect, test } from 'vitest';
import { CompactReader } from '../../src/transfer/compact-thrift.js';
import { bytesOfPrefixed, scanDeltas, scanRuns } from '../../src/transfer/parquet-runs.js';

test('integers, lists and structs of metadata are no longer than they can be', () => {
  const read = (...bytes: number[]) => new CompactReader(Uint8Array.from(bytes)).struct();
  expect(read(0x15, 0x03, 0)).toEqual(new Map([[1, -2]]));
  expect(() => read(0x15, ...Array<number>(11).fill(0x80), 0, 0)).toThrow('an integer has more than 10 bytes');
  expect(() => read(0x19, 0xf5, 0xff, 0xff, 0x03, 0, 0)).toThrow('a list of 65535 is in 2 bytes');
  expect(() => read(0x18, 0x7f, 0)).toThrow('a value of 127 bytes is in 1');
  expect(() => read(...Array<number>(64).fill(0x1c))).toThrow('structs lie 32 deep in each other');
});

test('runs and differences are gone through in the time of the values that there are', () => {
  const runs = (...bytes: number[]) => ({ bytes: Uint8Array.from(bytes), start: 0, end: bytes.length, width: 1 });
  // Two ones; then eight values of which the lowest bit is the first.
  expect(scanRuns(runs(4, 1, 3, 0b1010_0110), 10, 1)).toEqual({ seen: 10, found: 6 });
  expect(scanRuns(runs(4, 1, 3), 10, 1)).toEqual({ seen: 2, found: 2 });
  expect(() => scanRuns(runs(24, 1), 10)).toThrow('a run has 12 values, not 10');
  // Blocks of 128 in 4 parts; 33 values from 5 on, all alike.
  const alike = [0x80, 1, 4, 33, 10, 0, 0, 0, 0, 0];
  expect(scanDeltas(Uint8Array.from(alike), 0, 33)).toBe(alike.length);
  expect(() => scanDeltas(Uint8Array.from([1, 0, 33, 10]), 0, 33)).toThrow('differences lie in 0 parts of 1');
  // The first of two texts has no bytes of one before it, and the second five of them.
  expect(() => bytesOfPrefixed(Uint8Array.from([...alike, ...alike]), 0, 33)).toThrow('a text has 5 bytes of one of 0');
});
