import { PelorusError } from '@pelorus/contract';
import type { Handlers } from '../call.js';
import { healthOf } from '../host/health.js';
import type { Services } from '../services.js';

/** Version of the interface that is served; clients compare it before they speak. */
const INTERFACE_VERSION = '2.26.0';

type ServiceOperation = 'getRoot' | 'getHealth' | 'getCpuInfo' | 'getCudaInfo';

/** Greeting, health and the machine. */
export function serviceHandlers({ engine, host, version }: Services): Pick<Handlers, ServiceOperation> {
  return {
    getRoot: () => ({ body: { message: 'Welcome to Pelorus', version: INTERFACE_VERSION, pelorus: version } }),
    getHealth: async () => ({ body: healthOf(host.usage(), await engine.health()) }),
    getCpuInfo: () => {
      const { percent, usedBytes } = host.machineMemory();
      return {
        body: {
          cpu_usage_percent: `${host.cpuPercent().toFixed(1)} %`,
          memory_used_percent: `${percent.toFixed(1)} %`,
          memory_used_gb: (usedBytes / 1024 ** 3).toFixed(1),
        },
      };
    },
    getCudaInfo: () => {
      throw new PelorusError('hardware_compatability_error', 'CUDA is not available on this instance');
    },
  };
}
