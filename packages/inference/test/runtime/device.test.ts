import { expect, test } from 'vitest';
import { parseDevice } from '../../src/runtime/device.js';

test.each([
  ['cpu', 'cpu'],
  ['CPU', 'cpu'],
  ['cuda', 'cuda'],
  ['CUDA', 'cuda'],
  ['cuda1', 'cuda:1'],
  ['cuda:0', 'cuda:0'],
])('%s is a device, whether it is there or not', (text, device) => {
  expect(parseDevice(text)).toBe(device);
});

test.each([
  ['gpu', "Given device `gpu` doesn't start with a known device type. Acceptable device types: ['cpu', 'cuda']"],
  ['', "Given device `` doesn't start with a known device type. Acceptable device types: ['cpu', 'cuda']"],
  ['cudax', "Given device `cudax` not recognised. Acceptable devices: ['cpu', 'cuda']"],
  ['cpu1', "Given device `cpu1` not recognised. Acceptable devices: ['cpu', 'cuda']"],
])('%j is no device', (device, message) => {
  expect(() => parseDevice(device)).toThrow(
    expect.objectContaining({ code: 'invalid_argument', status: 400, message }),
  );
});
