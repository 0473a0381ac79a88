import { invalidArgument, type Problem, type schemas, UnprocessableError } from '@pelorus/contract';
import { lateError } from '../validation/late-errors.js';
import { broken } from '../validation/problems.js';
import { fieldNameProblem } from './names.js';
import { checkFields, checkStructure } from './structured-fields.js';

type Requested = schemas.IndexSettings;

/** The settings in force, as `GET settings` answers them and the engine stores them. */
export type Settings = schemas.IndexSettingsResponse;

/** Objects whose members have defaults: once they are checked they are whole, which their types do not say. */
type Whole = Pick<Settings, 'textPreprocessing' | 'videoPreprocessing' | 'audioPreprocessing' | 'annParameters'>;

const FILTER_STRING_MAX_LENGTH_DEFAULT = 50;
const MIN_GROUPS_DEFAULT = 500;

/**
 * Rules on members that belong to their shape.
 * @throws UnprocessableError
 */
export function checkShape(requested: Requested): void {
  checkOverlaps(requested);
  if (requested.allFields != null) checkFields(requested.allFields);
  checkCollapseNames(requested);
}

/**
 * Turns what was asked for, the shape of which was checked, into the settings in force: defaults in, null members out,
 * rules of each kind checked. `modelProperties` are left to those who know models.
 */
export function settingsOf(requested: Requested): Settings {
  checkSeconds(requested);
  return requested.type === 'structured'
    ? { type: 'structured', ...structuredMembers(requested), ...commonMembers(requested) }
    : { type: 'unstructured', ...unstructuredMembers(requested), ...commonMembers(requested) };
}

function checkSeconds(requested: Requested): void {
  for (const [name, loc] of [
    ['videoPreprocessing', 'video_preprocessing'],
    ['audioPreprocessing', 'audio_preprocessing'],
  ] as const) {
    if (requested[name] === null) throw lateError(loc, 'none is not an allowed value', 'type_error.none.not_allowed');
  }
}

function checkOverlaps(requested: Requested): void {
  const problems: Problem[] = [];
  for (const name of ['textPreprocessing', 'videoPreprocessing', 'audioPreprocessing'] as const) {
    const { splitLength, splitOverlap } = (requested as Whole)[name] ?? {};
    if (splitOverlap === undefined || splitOverlap < splitLength) continue;
    const text = `splitOverlap must be less than splitLength, but it is ${splitOverlap}, and that ${splitLength}`;
    problems.push(broken(['body', name, 'splitOverlap'], text));
  }
  if (problems.length > 0) throw new UnprocessableError(problems);
}

function checkCollapseNames({ collapseFields }: Requested): void {
  const problems = (collapseFields ?? []).flatMap(({ name }, i) => {
    const message = fieldNameProblem(name);
    return message === undefined ? [] : [broken(['body', 'collapseFields', i, 'name'], message)];
  });
  if (problems.length > 0) throw new UnprocessableError(problems);
}

function commonMembers(requested: Requested) {
  const { imagePreprocessing, textSegmentation, filterFolding } = requested;
  const { textPreprocessing, videoPreprocessing, audioPreprocessing, annParameters } = requested as Whole;
  return {
    model: requested.model,
    normalizeEmbeddings: requested.normalizeEmbeddings,
    textPreprocessing,
    imagePreprocessing: imagePreprocessing?.patchMethod == null ? {} : { patchMethod: imagePreprocessing.patchMethod },
    videoPreprocessing,
    audioPreprocessing,
    vectorNumericType: requested.vectorNumericType,
    ...(textSegmentation != null && { textSegmentation }),
    ...(filterFolding != null && { filterFolding }),
    annParameters,
  };
}

function unstructuredMembers(requested: Requested) {
  for (const name of ['allFields', 'tensorFields'] as const) {
    if (requested[name] != null) throw invalidArgument(`${name} is not a valid parameter for unstructured indexes`);
  }
  const media = requested.treatUrlsAndPointersAsMedia ?? false;
  const images = requested.treatUrlsAndPointersAsImages ?? media;
  if (media && !images) {
    throw invalidArgument(
      "Invalid combination: 'treatUrlsAndPointersAsImages' cannot be False when 'treatUrlsAndPointersAsMedia' is True.",
    );
  }
  return {
    treatUrlsAndPointersAsImages: images,
    treatUrlsAndPointersAsMedia: media,
    filterStringMaxLength: requested.filterStringMaxLength ?? FILTER_STRING_MAX_LENGTH_DEFAULT,
    ...collapseMember(requested),
  };
}

function collapseMember({ collapseFields }: Requested) {
  if (collapseFields == null) return {};
  if (collapseFields.length === 0) throw lateError('collapse_fields', 'collapse_fields cannot be an empty list');
  if (collapseFields.length > 1) throw lateError('collapse_fields', 'Only one collapse field is supported');
  return { collapseFields: collapseFields.map(({ name, minGroups = MIN_GROUPS_DEFAULT }) => ({ name, minGroups })) };
}

function structuredMembers(requested: Requested) {
  const { allFields } = requested;
  const tensorFields = requested.tensorFields ?? [];
  if (requested.collapseFields != null) {
    throw invalidArgument('collapseFields is only supported for unstructured indexes');
  }
  for (const name of [
    'treatUrlsAndPointersAsImages',
    'treatUrlsAndPointersAsMedia',
    'filterStringMaxLength',
  ] as const) {
    if (requested[name] != null) throw invalidArgument(`${name} is not a valid parameter for structured indexes`);
  }
  if (allFields == null) throw lateError('fields', 'none is not an allowed value', 'type_error.none.not_allowed');
  checkStructure(allFields, tensorFields);
  return {
    allFields: allFields.map(({ name, type, features = [], dependentFields, dimensions }) => ({
      name,
      type,
      features,
      ...(dependentFields != null && { dependentFields }),
      ...(dimensions != null && { dimensions }),
    })),
    tensorFields,
  };
}
