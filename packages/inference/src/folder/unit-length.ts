import { isJoint } from '../registry/joint-model.js';
import type { ResolvedModel } from '../resolved-model.js';
import type { ModelFolder } from './model-folder.js';

/**
 * Tells whether a model's vectors are of unit length, by its properties or because the publisher's pipeline makes them so.
 * Other encoders are their hidden states alone, even from a folder that a pipeline was fetched into; of a joint model it
 * is the graphs that do.
 */
export function hasUnitLength(model: ResolvedModel, folder: ModelFolder): boolean {
  const heedsPipeline = model.type === 'sbert' || isJoint(model.type);
  return model.unitLength || (heedsPipeline && folder.unitLength === true);
}
