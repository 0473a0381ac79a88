import type { Inference } from '@pelorus/inference';
import { type Preload, withoutUrlSecrets } from '@pelorus/server';

/**
 * Loads models one after the other. One that cannot be had is told and left: whoever asks for it later is told why.
 */
export async function preload(
  inference: Inference,
  models: readonly Preload[],
  say: (text: string) => void,
): Promise<void> {
  for (const { model: name, modelProperties } of models) {
    try {
      const model = inference.resolve(name, modelProperties);
      if (model.embeds) await inference.load(model);
    } catch (error) {
      say(withoutUrlSecrets(`Model ${name} is not loaded ahead: ${(error as Error).message}`));
    }
  }
}
