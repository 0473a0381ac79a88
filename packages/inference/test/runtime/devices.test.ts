import { describe, expect, test } from 'vitest';
import { cpuBatchPolicy } from '../../src/runtime/batch-policy.js';
import { cudaLimits } from '../../src/runtime/cuda-limits.js';
import type { Device } from '../../src/runtime/device.js';
import { type DeviceLimits, Devices } from '../../src/runtime/devices.js';

const limits = (device: Device): DeviceLimits => ({
  device,
  batchPolicy: cpuBatchPolicy(256),
  modelMemory: 4,
  copyBytes: 0,
  copiesMax: 1,
});

describe('on a machine with a CPU alone', () => {
  const devices = new Devices([limits('cpu')]);

  test.each([undefined, 'cpu', 'CPU'])('%s is the CPU', (text) => {
    expect(devices.named(text)).toBe('cpu');
  });

  test.each([
    ['cuda', 'cuda'],
    ['CUDA', 'cuda'],
    ['cuda1', 'cuda:1'],
    ['cuda:0', 'cuda:0'],
  ])('%s is not there', (text, named) => {
    expect(() => devices.named(text)).toThrow(
      expect.objectContaining({
        code: 'hardware_compatability_error',
        status: 400,
        message: `Requested device is not available to this Pelorus instance. Requested device: \`${named}\``,
      }),
    );
  });

  test('a text that names no device is refused as such', () => {
    expect(() => devices.named('gpu')).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
  });
});

test('the first device is that of requests that name none, and each has limits of its own', () => {
  const devices = new Devices([{ ...limits('cuda:1'), modelMemory: 16 }, limits('cpu')]);
  expect([devices.named(undefined), devices.named('cuda1'), devices.named('cpu')]).toEqual(['cuda:1', 'cuda:1', 'cpu']);
  expect([devices.limits('cuda:1').modelMemory, devices.limits('cpu').modelMemory]).toEqual([16, 4]);
  expect(() => devices.named('cuda:0')).toThrow(expect.objectContaining({ code: 'hardware_compatability_error' }));
});

test('the first CUDA device that models run on has its number for a name, too', () => {
  const found = [
    { index: 0, name: 'old', unusable: 'is too old' },
    { index: 1, name: 'new' },
    { index: 2, name: 'new' },
  ];
  const devices = new Devices([limits('cpu'), ...cudaLimits({ devices: found }, 16)]);
  expect(devices.all).toEqual(['cpu', 'cuda', 'cuda:2']);
  expect(['cuda', 'CUDA1', 'cuda:1', 'cuda2'].map((name) => devices.named(name))).toEqual([
    'cuda',
    'cuda',
    'cuda',
    'cuda:2',
  ]);
  expect(['cuda1', 'Cuda', 'cuda0', 'cuda3', 'gpu', 'cpu'].map((name) => devices.known(name))).toEqual([
    'cuda',
    'cuda',
    null,
    null,
    null,
    'cpu',
  ]);
  expect(() => devices.named('cuda0')).toThrow(expect.objectContaining({ code: 'hardware_compatability_error' }));
  expect(devices.limits('cuda:2')).toMatchObject({ index: 2, modelMemory: 16, copiesMax: 1 });
});
