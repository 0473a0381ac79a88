import { expect, test } from 'vitest';
import { loopCount } from '../../src/loops/loop-count.js';

const GIB = 2 ** 30;

const unnamed = { hosted: false, httpThreads: null, maxMemory: 64 * GIB };

test.each([
  [1, 1],
  [2, 1],
  [3, 1],
  [4, 2],
  [16, 8],
  [128, 8],
])('with %i cores a server has as many event loops as leave one for the engine beside each: %i', (cores, loops) => {
  expect(loopCount(unnamed, cores, 'linux')).toBe(loops);
});

test('a server has a gibibyte of its budget for each event loop, unless its operator names a number', () => {
  expect(loopCount({ ...unnamed, maxMemory: 3.5 * GIB }, 16, 'linux')).toBe(3);
  expect(loopCount({ ...unnamed, maxMemory: GIB / 4 }, 16, 'linux')).toBe(1);
  expect(loopCount({ ...unnamed, httpThreads: 4, maxMemory: GIB / 4 }, 16, 'linux')).toBe(4);
});

test('a server has as many event loops as its operator names, where the system divides connections among them', () => {
  expect(loopCount({ ...unnamed, httpThreads: 5 }, 2, 'linux')).toBe(5);
  expect(loopCount({ ...unnamed, httpThreads: 5 }, 2, 'darwin')).toBe(1);
});

test('the process of a hosted index has event loops by the same rule, from its own memory, on every system', () => {
  const hosted = { ...unnamed, hosted: true };
  expect(loopCount({ ...hosted, maxMemory: 4 * GIB }, 16, 'linux')).toBe(4);
  expect(loopCount({ ...hosted, maxMemory: GIB }, 16, 'win32')).toBe(1);
  expect(loopCount({ ...hosted, maxMemory: GIB, httpThreads: 5 }, 2, 'darwin')).toBe(5);
});
