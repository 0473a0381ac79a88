import { PelorusError } from '@pelorus/contract';
import { DualEngine } from '@pelorus/engine';
import type { Handlers, Services } from '../call.js';

/** Indexes of a server that writes to two engines, as they stand in the second one. */
export function dualWriteHandlers({ engine }: Services): Pick<Handlers, 'getDualWrite' | 'repairDualWrite'> {
  const dual = (): DualEngine => {
    if (engine instanceof DualEngine) return engine;
    throw new PelorusError('bad_request', 'This server writes to one engine: --dual-write has it write to both');
  };
  return {
    getDualWrite: async ({ params: { indexName } }) => {
      const two = dual();
      return { body: await two.dualWrite(indexName) };
    },

    repairDualWrite: async ({ params: { indexName } }) => {
      await dual().repairDualWrite(indexName);
      return { body: { acknowledged: true } };
    },
  };
}
