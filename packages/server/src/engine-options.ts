import type { EmbeddedEngineOptions } from '@pelorus/engine';
import type { Config } from './config.js';

/** The part of the settings that the engine acts on. */
export function engineOptions(config: Config): Required<EmbeddedEngineOptions> {
  const { lexicalFieldsMax, tensorFieldsMax, inFilterValuesMax } = config;
  return { lexicalFieldsMax, tensorFieldsMax, inFilterValuesMax };
}
