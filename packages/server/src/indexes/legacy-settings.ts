import { type Problem, UnprocessableError } from '@pelorus/contract';
import { outOfBounds, type Place, PROBLEMS_MAX, placeOf, wrong } from '../validation/problems.js';
import { isObject } from '../validation/reader.js';

/** Today's names of the members of an object of the oldest form, and of the objects in it. */
interface Names {
  readonly [member: string]: string | readonly [name: string, inner: Names];
}

/** `index_defaults`, as clients before 2.0 send it. */
const NAMES: Names = {
  model: 'model',
  model_properties: 'modelProperties',
  normalize_embeddings: 'normalizeEmbeddings',
  treat_urls_and_pointers_as_images: 'treatUrlsAndPointersAsImages',
  text_preprocessing: [
    'textPreprocessing',
    { split_length: 'splitLength', split_overlap: 'splitOverlap', split_method: 'splitMethod' },
  ],
  image_preprocessing: ['imagePreprocessing', { patch_method: 'patchMethod' }],
  ann_parameters: [
    'annParameters',
    { space_type: 'spaceType', parameters: ['parameters', { ef_construction: 'efConstruction', m: 'm' }] },
  ],
};

/** Members that the oldest form leaves out stand for other values than today, except the preprocessing. */
const MODEL_DEFAULT = 'hf/all_datasets_v4_MiniLM-L6';
const ANN_PARAMETERS_DEFAULT = { spaceType: 'cosinesimil', parameters: { efConstruction: 128, m: 16 } };

/** Taken for the sake of those who send them: there is one shard and no replica. */
const COUNTS: Readonly<Record<string, number>> = { number_of_shards: 1, number_of_replicas: 0 };

/** Tells whether a body of a creation has the oldest form. */
export function isLegacy(body: unknown): body is Record<string, unknown> {
  return isObject(body) && ['index_defaults', ...Object.keys(COUNTS)].some((name) => Object.hasOwn(body, name));
}

/**
 * The same in today's form; its values are not looked at.
 * @throws UnprocessableError for members that the oldest form does not have
 */
export function fromLegacy(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const problems: Problem[] = [];
  const root = placeOf('body');
  for (const [name, value] of Object.entries(body)) {
    if (problems.length >= PROBLEMS_MAX) break;
    const place: Place = { parent: root, key: name };
    const least = COUNTS[name];
    if (least !== undefined) problems.push(...countProblems(value, least, place));
    else if (name !== 'index_defaults') problems.push(wrong('value_error.extra', place));
  }
  const defaults = renamed(body.index_defaults ?? {}, NAMES, { parent: root, key: 'index_defaults' }, problems);
  if (problems.length > 0 || !isObject(defaults)) throw new UnprocessableError(problems);
  return {
    ...defaults,
    model: defaults.model ?? MODEL_DEFAULT,
    textPreprocessing: defaults.textPreprocessing ?? {},
    annParameters: filled(defaults.annParameters, ANN_PARAMETERS_DEFAULT),
  };
}

/** The place of a member of the oldest form that `fromLegacy` puts at `loc`, a path of a body. */
export function legacyPath([body = 'body', ...loc]: Problem['loc']): Problem['loc'] {
  const path: (string | number)[] = [body, 'index_defaults'];
  let names: Names = NAMES;
  for (const key of loc) {
    const [member, to] = Object.entries(names).find(([, name]) => [name].flat()[0] === key) ?? [key, ''];
    path.push(member);
    names = typeof to === 'string' ? {} : to[1];
  }
  return path;
}

function countProblems(value: unknown, least: number, place: Place): Problem[] {
  if (!Number.isSafeInteger(value)) return [wrong('type_error.integer', place)];
  return (value as number) < least ? [outOfBounds('number.not_ge', least, place)] : [];
}

function renamed(value: unknown, names: Names, place: Place, problems: Problem[]): unknown {
  if (!isObject(value)) {
    if (value != null) problems.push(wrong('type_error.dict', place));
    return value;
  }
  const entries = Object.entries(value).flatMap(([member, content]) => {
    const here: Place = { parent: place, key: member };
    const to = Object.hasOwn(names, member) ? names[member] : undefined;
    if (to === undefined) {
      if (problems.length < PROBLEMS_MAX) problems.push(wrong('value_error.extra', here));
      return [];
    }
    return typeof to === 'string' ? [[to, content]] : [[to[0], renamed(content, to[1], here, problems)]];
  });
  return Object.fromEntries(entries);
}

/** Members that were left out, at any depth, from the defaults. */
function filled(value: unknown, defaults: Readonly<Record<string, unknown>>): unknown {
  if (value == null) return defaults;
  if (!isObject(value)) return value;
  const entries = Object.entries(defaults).map(([name, fallback]) => {
    const given = value[name];
    return [name, isObject(fallback) ? filled(given, fallback) : (given ?? fallback)];
  });
  return { ...value, ...Object.fromEntries(entries) };
}
