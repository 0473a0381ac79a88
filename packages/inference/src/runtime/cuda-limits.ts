import type { CudaDevices } from '@pelorus/node';
import type { BatchPolicy } from './batch-policy.js';
import type { DeviceLimits } from './devices.js';

/** Tokens of a batch: as many as keep the largest devices busy, which divide a batch no further among themselves. */
const BATCH_TOKENS = 16_384;

/** The CUDA devices that models run on, in the order of the driver. The first is called `cuda`, the others by numbers. */
export function cudaLimits({ devices }: CudaDevices, modelMemory: number, inputsMax?: number): DeviceLimits[] {
  const usable = devices.filter(({ unusable }) => unusable === undefined);
  return usable.map(({ index }, at) => ({
    device: at === 0 ? 'cuda' : `cuda:${index}`,
    index,
    batchPolicy: cudaBatchPolicy(inputsMax),
    modelMemory,
    copyBytes: 0,
    copiesMax: 1,
  }));
}

const cudaBatchPolicy = (inputsMax = Number.POSITIVE_INFINITY): BatchPolicy => ({
  tokensMax: BATCH_TOKENS,
  inputsMax,
  splitTokensMin: BATCH_TOKENS,
  queryRunMax: 16,
});
