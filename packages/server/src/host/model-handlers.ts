import { PelorusError, truncated } from '@pelorus/contract';
import type { Handlers, Services } from '../call.js';

/** Loaded models: listing and unloading. */
export function modelHandlers({ inference }: Services): Pick<Handlers, 'listModels' | 'ejectModel'> {
  return {
    listModels: () => ({ body: { models: inference.loaded() } }),
    ejectModel: async ({ query }) => {
      const { model_name: name, model_device: device } = query;
      const ejected = await inference.eject(name, device);
      if (ejected === null) {
        const where = device === undefined ? '' : ` device \`${truncated(device)}\``;
        throw new PelorusError(
          'model_not_in_cache',
          `The model_name \`${truncated(name)}\`${where} is not cached or found`,
        );
      }
      return { body: { result: 'success', message: ejectedMessage(ejected) } };
    },
  };
}

/** As clients of this interface have always read it. */
function ejectedMessage({ name, devices }: { name: string; devices: readonly string[] }): string {
  return `successfully eject model_name \`${name}\` from device \`${devices.join(', ')}\``;
}
