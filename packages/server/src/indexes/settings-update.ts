import type { ResolvedModel } from '@pelorus/inference';
import type { Services } from '../services.js';
import type { IndexDefinition } from './definition.js';

/**
 * Gives the model of an index other properties, and lets the model as it was go. The prefixes that the index took from
 * its model at its creation are its own, and stay.
 * @throws PelorusError `invalid_argument` for what the stored vectors depend on
 */
export async function updateSettings(
  { engine, definitions, inference }: Services,
  name: string,
  modelProperties: object,
): Promise<void> {
  const definition = await definitions.get(name);
  const { settings, resolved } = definition;
  const model = inference.redefine(settings.model, settings.modelProperties, modelProperties);
  await engine.redefineIndex(name, {
    settings: { ...settings, modelProperties: model.properties ?? modelProperties },
    resolved: { ...resolved, modelKey: model.key },
  });
  const old = usableModel(definition);
  if (old !== undefined && old.key !== model.key) await inference.release(old);
}

/** The model; undefined where it could never be used, and so was never loaded. */
function usableModel({ model }: IndexDefinition): ResolvedModel | undefined {
  try {
    return model();
  } catch {
    return undefined;
  }
}
