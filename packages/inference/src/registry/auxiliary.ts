import type { ModelFile } from '../model-entries.js';
import type { DetectorModel, OwlModel } from '../resolved-model.js';
import { DETECTOR_NAMES, detectorNamed } from './detectors.js';
import { OWL_NAMES, owlModel } from './owl.js';

/**
 * Names of models that no index can have: those that find the parts of pictures, and those that look for words in them.
 */
export const AUXILIARY_NAMES: readonly string[] = [...DETECTOR_NAMES, ...OWL_NAMES];

export const isAuxiliary = (name: string) => AUXILIARY_NAMES.includes(name);

/** The model of such a name, null for any other. */
export function auxiliaryModel(name: string, file?: ModelFile): DetectorModel | OwlModel | null {
  return detectorNamed(name, file) ?? (OWL_NAMES.includes(name) ? owlModel(name, file) : null);
}
