import type { Inference } from '@pelorus/inference';
import { type PatchDetector, type Preload, withoutUrlSecrets } from '@pelorus/server';

/** The models and detectors to load before anyone asks for them. */
export interface Preloads {
  readonly models: readonly Preload[];
  readonly detectors: readonly PatchDetector[];
}

/**
 * Loads models one after the other. One that cannot be had is told and left: whoever asks for it later is told why.
 */
export async function preload(
  inference: Inference,
  { models, detectors }: Preloads,
  say: (text: string) => void,
): Promise<void> {
  const attempt = async (what: string, load: () => Promise<void>) => {
    try {
      await load();
    } catch (error) {
      say(withoutUrlSecrets(`${what} is not loaded ahead: ${(error as Error).message}`));
    }
  };
  for (const { model: name, modelProperties } of models) {
    // Vectors that callers bring need nothing loaded, and the name alone says so.
    if (name === 'no_model') continue;
    await attempt(`Model ${name}`, async () => {
      const model = inference.resolveAny(name, modelProperties);
      if (model.embeds) await inference.load(model);
    });
  }
  for (const method of detectors)
    await attempt(`The model of patch method ${method}`, () => inference.loadDetector(method));
}
