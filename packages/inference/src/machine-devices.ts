import type { InferenceSettings } from './config.js';
import { cpuBatchPolicy } from './runtime/batch-policy.js';
import { Devices } from './runtime/devices.js';

/** The devices of this machine, with what an operator lets models have of each. */
export function machineDevices(settings: InferenceSettings): Devices {
  const { threads, documentBatchTokens, batchInputsMax, modelMemory, modelCopyBytes } = settings;
  const batchPolicy = cpuBatchPolicy(documentBatchTokens, batchInputsMax ?? undefined);
  return new Devices([{ device: 'cpu', batchPolicy, modelMemory, copyBytes: modelCopyBytes, copiesMax: threads }]);
}
