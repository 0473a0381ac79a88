import type { ModelFile } from '../model-entries.js';
import type { CrossEncoderModel, DetectorModel, OwlModel } from '../resolved-model.js';
import { CROSS_ENCODER_NAMES, crossEncoderModel, isCrossEncoder } from './cross-encoders.js';
import { DETECTOR_NAMES, detectorNamed } from './detectors.js';
import { OWL_NAMES, owlModel } from './owl.js';

/**
 * Names of models that no index can have: those that find the parts of pictures, those that look for words in them, and
 * those that read a query and a text together.
 */
export const AUXILIARY_NAMES: readonly string[] = [...DETECTOR_NAMES, ...OWL_NAMES, ...CROSS_ENCODER_NAMES];

/** Tells whether a name is among those, or is one that the operator may give to such a model. */
export const isAuxiliary = (name: string) => AUXILIARY_NAMES.includes(name) || isCrossEncoder(name);

/** The model of such a name, null for any other. */
export function auxiliaryModel(name: string, file?: ModelFile): DetectorModel | OwlModel | CrossEncoderModel | null {
  const owl = OWL_NAMES.includes(name) ? owlModel(name, file) : null;
  return detectorNamed(name, file) ?? owl ?? crossEncoderModel(name, file);
}
