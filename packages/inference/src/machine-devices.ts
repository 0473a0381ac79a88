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
  const [best, ...others] = cudaLimits(cudaDevices(), settings.cudaModelMemory, inputsMax);
  if (best === undefined) return new Devices([cpu]);
  // ONNX Runtime, where an operator left models to it, runs on the CPU.
  const isCpuBest = settings.encoder === 'onnxruntime';
  return new Devices(isCpuBest ? [cpu, best, ...others] : [best, ...others, cpu]);
}
