import type { StoredDefinition } from '@pelorus/engine';
import { definition } from '../../engine/conformance/fixtures.js';

export { definition };

/** The definition with vectors of another space. */
export const ofSpace = (spaceType: StoredDefinition['settings']['annParameters']['spaceType']): StoredDefinition => ({
  ...definition,
  settings: { ...definition.settings, annParameters: { ...definition.settings.annParameters, spaceType } },
});
