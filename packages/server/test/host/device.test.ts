import { expect, test } from 'vitest';
import { readDevice } from '../../src/host/device.js';

test.each([
  [undefined, undefined],
  ['cpu', 'cpu'],
  ['CPU', 'cpu'],
  ['cuda', 'cuda'],
  ['CUDA1', 'cuda:1'],
])('with two GPUs %j is %j', (text, expected) => {
  expect(readDevice(text, 2)).toBe(expected);
});

test.each(['cuda', 'cuda0', 'cuda7'])('without a GPU %j is hardware that is missing', (text) => {
  expect(() => readDevice(text, 0)).toThrow(expect.objectContaining({ code: 'hardware_compatability_error' }));
});

test('a GPU number past the last is hardware that is missing', () => {
  expect(() => readDevice('cuda2', 2)).toThrow('Requested device: `cuda:2`');
});

test.each([
  ['gpu', "doesn't start with a known device type"],
  ['', "doesn't start with a known device type"],
  ['cudax', 'not recognised'],
  ['cuda:1', 'not recognised'],
  ['cpu1', 'not recognised'],
])('%j is an invalid argument', (text, message) => {
  expect(() => readDevice(text, 2)).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
  expect(() => readDevice(text, 2)).toThrow(message);
});
