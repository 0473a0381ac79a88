import { cudaDevices } from '@pelorus/node';
import type { InferenceSettings } from './config.js';
import { cpuBatchPolicy } from './runtime/batch-policy.js';
import { cudaLimits } from './runtime/cuda-limits.js';
import { type DeviceLimits, Devices } from './runtime/devices.js';

/** The devices of this machine, with what an operator lets models have of each. */
export function machineDevices(settings: InferenceSettings): Devices {
  const { threads, documentBatchTokens, batchInputsMax, modelMemory, modelCopyBytes } = settings;
  const inputsMax = batchInputsMax ?? undefined;
  const batchPolicy = cpuBatchPolicy(documentBatchTokens, inputsMax);
  const cpu: DeviceLimits = {
    ...{ device: 'cpu', batchPolicy, modelMemory },
    ...{ copyBytes: modelCopyBytes, copiesMax: threads },
  };
  // The CPU where none is named: what computes on a GPU has run on none yet, and vectors of an index stay as precise as they
  // were.
  return new Devices([cpu, ...cudaLimits(cudaDevices(), settings.cudaModelMemory, inputsMax)]);
}
