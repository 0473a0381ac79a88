import { PelorusError } from '@pelorus/contract';
import type { Handlers } from '../call.js';
import type { Services } from '../services.js';
import { shown } from '../validation/echo.js';

/** Loaded models: listing and unloading. */
export function modelHandlers({ inference }: Services): Pick<Handlers, 'listModels' | 'ejectModel'> {
  return {
    listModels: () => ({ body: { models: inference.loaded() } }),
    ejectModel: async ({ query }) => {
      const { model_name: name, model_device: device } = query;
      const ejected = await inference.eject(name, device);
      if (ejected === null) {
        const text = `The model_name \`${shown(name)}\` device \`${shown(device)}\` is not cached or found`;
        throw new PelorusError('model_not_in_cache', text);
      }
      return { body: { result: 'success', message: `Model ${ejected} was removed from ${device.toLowerCase()}` } };
    },
  };
}
