import type { EmbeddedEngineOptions } from '@pelorus/engine';
import { type Config, settings } from './config.js';

/** The part of the settings that the engine acts on, with the names that operators know them by. */
export function engineOptions(config: Config): Required<EmbeddedEngineOptions> {
  const { lexicalFieldsMax, tensorFieldsMax, inFilterValuesMax } = config;
  const settingNames = {
    lexicalFieldsMax: settings.lexicalFieldsMax.env,
    tensorFieldsMax: settings.tensorFieldsMax.env,
    inFilterValuesMax: settings.inFilterValuesMax.env,
  };
  return { lexicalFieldsMax, tensorFieldsMax, inFilterValuesMax, settingNames };
}
