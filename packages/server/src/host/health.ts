import type { schemas } from '@pelorus/contract';
import type { Usage } from './monitor.js';

type Status = schemas.Health['status'];

/** Share of memory or disk, in percent, from which the service counts as under strain. */
const strainPercent = 97;

/** The health record. `engine` is what the store says of itself. */
export function healthOf(usage: Usage, engine: Status = 'green'): schemas.Health {
  const { memoryPercent, storagePercent } = usage;
  const strained = memoryPercent >= strainPercent || storagePercent === null || storagePercent >= strainPercent;
  const status: Status = engine === 'green' && strained ? 'yellow' : engine;
  return {
    status,
    inference: { status: 'green' },
    backend: {
      status,
      memoryIsAvailable: memoryPercent < 100,
      storageIsAvailable: storagePercent !== null && storagePercent < 100,
    },
  };
}
