import { requiredFiles } from '../folder/layout.js';
import { unusableModel } from '../registry/model-error.js';
import { hasRecipe } from '../registry/recipe.js';
import type { LoadableModel, ResolvedModel } from '../resolved-model.js';
import { takesAuth } from './model-auth.js';
import { modelPackage } from './model-packages.js';

/** A way to a model that was gone in vain. */
export interface FailedWay {
  /** The way and why it failed. */
  readonly told: string;
  /** Tells whether `modelAuth` might have helped. */
  readonly asksForCredentials: boolean;
}

/**
 * The error of a model that cannot be had: every way tried, and what the caller or the operator can do. Nothing is advised
 * that cannot work for this model.
 *
 * @param tried what was looked at on this machine, and why it did not do
 */
export function missingModel(
  model: LoadableModel,
  folder: string,
  tried: readonly string[],
  failed: readonly FailedWay[] = [],
): Error {
  const all = [...tried, ...failed.map(({ told }) => told)].join('; ');
  const auth = failed.some(({ asksForCredentials }) => asksForCredentials)
    ? `A source that answers 401 or 403 may need credentials, or others: they are the modelAuth of a request${
        takesAuth(model) ? '' : ', which goes to a model_location with auth_required true'
      }. `
    : '';
  const advice = advices(model, folder).join(', or ');
  return unusableModel(`Model ${model.name} is not on this machine. Tried: ${all}. ${auth}To provide it, ${advice}.`);
}

function advices(model: LoadableModel, folder: string): string[] {
  const files = requiredFiles(model.modalities);
  const listed = files.length === 1 ? files[0] : `${files.slice(0, -1).join(', ')} and ${files.at(-1)}`;
  const put = `put ${listed} into ${folder}`;
  if (model.weights.kind === 'folder') return [put];
  const map = (other = '') => `map the name to a folder${other} in the file given with --models`;
  const packaged = modelPackage(model);
  // The commands know no names that properties alone explain.
  if (isDescribed(model)) return [put, map()];
  return [
    ...[put, ['detector', 'owl', 'cross_encoder'].includes(model.type) ? map() : map(' or to another model')],
    ...(packaged !== null ? [`install the package ${packaged} in the version of pelorus`] : []),
    ...(isPublished(model) ? [`run "pelorus models pull ${model.name}" where one of these ways is open`] : []),
    ...(hasRecipe(model) ? [`run "pelorus models export ${model.name}" where its library is`] : []),
  ];
}

/** Tells whether it is known by `modelProperties` of an index, or of a request, rather than by its name. */
function isDescribed(model: LoadableModel): boolean {
  const { properties } = model as Partial<ResolvedModel>;
  return properties !== undefined && properties !== null;
}

/** Tells whether there is a way to fetch it at all. */
function isPublished({ weights }: LoadableModel): boolean {
  return weights.kind !== 'towers' || weights.exports.length > 0;
}
