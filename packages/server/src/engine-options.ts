import type { EngineOptions } from '@pelorus/engine';
import { type Config, settings } from './config.js';

/** The part of the settings that the engine acts on, with the names that operators know them by. */
export function engineOptions(config: Config): EngineOptions {
  const { lexicalFieldsMax, tensorFieldsMax, inFilterValuesMax, suggestionsMax, suggestionBytesMax, codeMemoryMax } =
    config;
  return {
    lexicalFieldsMax,
    lexicalFieldsSetting: settings.lexicalFieldsMax.env,
    tensorFieldsMax,
    tensorFieldsSetting: settings.tensorFieldsMax.env,
    inFilterValuesMax,
    inFilterValuesSetting: settings.inFilterValuesMax.env,
    suggestionsMax,
    suggestionsSetting: settings.suggestionsMax.env,
    suggestionBytesMax,
    suggestionBytesSetting: settings.suggestionBytesMax.env,
    auditIntervalSeconds: config.auditIntervalMinutes * 60,
    ...(codeMemoryMax !== null && { codeMemoryMax }),
  };
}
