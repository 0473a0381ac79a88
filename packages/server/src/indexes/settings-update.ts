import { PelorusError, type schemas } from '@pelorus/contract';
import type { StoredDefinition } from '@pelorus/engine';
import type { ResolvedModel } from '@pelorus/inference';
import type { Services } from '../call.js';
import { withoutUrlSecrets } from '../http/url-secrets.js';
import type { IndexDefinition } from '../services/definition.js';
import { checkNormalising } from './creation.js';
import { shownSettings } from './shown-settings.js';

/** Other properties for the model of an index. */
export interface SettingsUpdate {
  readonly modelProperties: object;
  /** Tells whether members that the stored vectors depend on may change too. */
  readonly isForced: boolean;
}

/**
 * Gives the model of an index other properties, and lets the model as it was go. The prefixes that the index took from
 * its model at its creation are its own, and stay.
 * @throws PelorusError `invalid_argument` for members that the stored vectors depend on, where it is not forced, and
 *   for those that the index cannot work without
 */
export async function updateSettings(services: Services, name: string, update: SettingsUpdate): Promise<void> {
  const definition = await services.definitions.get(name);
  const next = updated(services, definition, update);
  await services.engine.redefineIndex(name, next);
  const old = usableModel(definition);
  if (old !== undefined && old.key !== next.resolved.modelKey) await services.inference.release(old);
}

/** Tells what {@link updateSettings} would do. */
export async function trySettings(
  services: Services,
  name: string,
  update: SettingsUpdate,
): Promise<schemas.SettingsTrial> {
  const definition = await services.definitions.get(name);
  const trial = (next: StoredDefinition) => ({
    updated: false,
    oldSettings: shownSettings(definition),
    newSettings: shownSettings(next),
  });
  try {
    const next = updated(services, definition, update);
    return { error: false, ...trial(next), reason: 'The settings can be changed so; this was a dry run' };
  } catch (error) {
    if (!(error instanceof PelorusError) || error.type !== 'invalid_request') throw error;
    const { settings, resolved } = definition;
    const modelProperties = { ...update.modelProperties };
    return {
      error: true,
      ...trial({ settings: { ...settings, modelProperties }, resolved }),
      reason: withoutUrlSecrets(error.message),
    };
  }
}

function updated(
  { inference }: Services,
  { settings, resolved, curation, earlierCurations }: StoredDefinition,
  { modelProperties, isForced }: SettingsUpdate,
): StoredDefinition {
  const model = inference.redefine(settings.model, settings.modelProperties, modelProperties, isForced);
  const next = { ...settings, modelProperties: model.properties ?? { ...modelProperties } };
  checkNormalising(next, next);
  return {
    settings: next,
    resolved: { ...resolved, modelKey: model.key },
    ...(curation !== undefined && { curation }),
    ...(earlierCurations !== undefined && { earlierCurations }),
  };
}

/** The model; undefined where it could never be used, and so was never loaded. */
function usableModel({ model }: IndexDefinition): ResolvedModel | undefined {
  try {
    return model();
  } catch {
    return undefined;
  }
}
