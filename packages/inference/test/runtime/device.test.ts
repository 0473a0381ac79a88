import { expect, test } from 'vitest';
import { parseDevice } from '../../src/runtime/device.js';

test.each([undefined, 'cpu', 'CPU'])('%s is the processor', (device) => {
  expect(parseDevice(device)).toBe('cpu');
});

test.each([
  ['cuda', 'cuda'],
  ['CUDA', 'cuda'],
  ['cuda1', 'cuda:1'],
  ['cuda:0', 'cuda:0'],
])('%s is not on this machine', (device, named) => {
  expect(() => parseDevice(device)).toThrow(
    expect.objectContaining({
      code: 'hardware_compatability_error',
      status: 400,
      message: `Requested device is not available to this Pelorus instance. Requested device: \`${named}\``,
    }),
  );
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
