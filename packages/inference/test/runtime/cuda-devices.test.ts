import { expect, test } from 'vitest';
import { type CudaDriver, cudaRows } from '../../src/runtime/cuda-devices.js';

const GIB = 1024 ** 3;

const driver = (states: Awaited<ReturnType<CudaDriver['state']>>[]): CudaDriver => ({
  devices: () => ({ devices: states.map((_, index) => ({ index, name: `Card ${index}` })) }),
  state: async (index) => states[index] ?? null,
});

test('devices are told with their memory and their load, to a tenth', async () => {
  const state = { totalBytes: 16 * GIB, usedBytes: 4 * GIB, utilizationPercent: 37 };
  expect(await cudaRows(driver([state, { totalBytes: 8 * GIB, usedBytes: 0, utilizationPercent: 0 }]))).toEqual([
    {
      device_id: 0,
      device_name: 'Card 0',
      memory_used: '4.0 GiB',
      total_memory: '16.0 GiB',
      utilization: '37.0 %',
      memory_used_percent: '25.0 %',
    },
    expect.objectContaining({
      device_id: 1,
      memory_used: '0.0 GiB',
      utilization: '0.0 %',
      memory_used_percent: '0.0 %',
    }),
  ]);
});

test('a figure that nobody tells is unknown, and not nought', async () => {
  const [unmonitored, gone] = await cudaRows(driver([{ totalBytes: 16 * GIB }, null]));
  const unknown = { memory_used: 'unknown', utilization: 'unknown', memory_used_percent: 'unknown' };
  expect(unmonitored).toMatchObject({ ...unknown, total_memory: '16.0 GiB' });
  expect(gone).toMatchObject({ ...unknown, total_memory: 'unknown', device_name: 'Card 1' });
});

test('a machine without a device says why', async () => {
  const absence = 'the NVIDIA driver sees no device';
  const none: CudaDriver = { devices: () => ({ devices: [], absence }), state: async () => null };
  await expect(cudaRows(none)).rejects.toMatchObject({
    code: 'hardware_compatability_error',
    status: 400,
    message: `CUDA is not available on this instance: ${absence}`,
  });
});
