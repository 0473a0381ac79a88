import {
  invalidArgument,
  joinedTruncated,
  type Problem,
  type schemas,
  truncated,
  UnprocessableError,
} from '@pelorus/contract';
import { lateError } from '../validation/late-errors.js';
import { broken, PROBLEMS_MAX } from '../validation/problems.js';
import { fieldNameProblem } from './names.js';

export type Field = NonNullable<schemas.IndexSettings['allFields']>[number];

const LEXICAL_TYPES = ['text', 'array<text>', 'custom_vector'];
const NUMBER_TYPES = ['float', 'int', 'double', 'long'];
const MODIFIER_TYPES = [...NUMBER_TYPES, ...NUMBER_TYPES.map((type) => `map<text, ${type}>`)];
const POINTER_TYPES = ['image_pointer', 'video_pointer', 'audio_pointer'];
const COMBINABLE_TYPES = ['text', ...POINTER_TYPES];
const WITHOUT_FEATURES = ['image_pointer', 'multimodal_combination', 'sparse_vector', 'multi_vector'];
const MUST_BE_TENSOR = ['multimodal_combination', 'custom_vector'];
const CAN_BE_TENSOR = [...COMBINABLE_TYPES, ...MUST_BE_TENSOR];

/** Checks each declared field by itself; throws a 422 that lists the faults. */
export function checkFields(fields: readonly Field[]): void {
  const problems: Problem[] = [];
  for (const [i, field] of fields.entries()) {
    if (problems.length >= PROBLEMS_MAX) break;
    const message = fieldProblem(field);
    if (message !== undefined) problems.push(broken(['body', 'allFields', i, '__root__'], message));
  }
  if (problems.length > 0) throw new UnprocessableError(problems);
}

function fieldProblem({ name: fullName, type, features = [], dependentFields, dimensions }: Field): string | undefined {
  const badName = fieldNameProblem(fullName);
  if (badName !== undefined) return badName;
  const name = truncated(fullName);
  if (WITHOUT_FEATURES.includes(type) && features.length > 0) {
    return `${name}: Cannot specify features for field of type ${type}`;
  }
  const dependents = dependentFields == null ? 0 : Object.keys(dependentFields).length;
  if (type === 'multimodal_combination' && dependents === 0) {
    return `${name}: dependent_fields must be defined for a field of type multimodal_combination`;
  }
  if (type !== 'multimodal_combination' && dependentFields != null) {
    return `${name}: dependent_fields must only be defined for fields of type multimodal_combination`;
  }
  if (type === 'multi_vector' && dimensions == null) {
    return `${name}: dimensions must be defined for a field of type multi_vector`;
  }
  if (type !== 'multi_vector' && dimensions != null) {
    return `${name}: dimensions must only be defined for fields of type multi_vector`;
  }
  if (features.includes('lexical_search') && !LEXICAL_TYPES.includes(type)) {
    return `${name}: Field with lexical_search feature must be of type text or array<text>`;
  }
  if (features.includes('score_modifier') && !MODIFIER_TYPES.includes(type)) {
    return `${name}: Field with score_modifier feature must be of type float, int, double, long, map<text, float>, map<text, int>, map<text, double>, or map<text, long>`;
  }
  if (features.includes('filter') && type.startsWith('map<')) {
    return `${name}: Field with filter feature must not be of type ${type}`;
  }
  return undefined;
}

/** Checks the declared fields against each other and against the tensor fields. */
export function checkStructure(fields: readonly Field[], tensorFields: readonly string[]): void {
  const byName = new Map(fields.map((field) => [field.name, field]));
  if (byName.size < fields.length) {
    throw invalidArgument(
      `allFields declares the field '${truncated(duplicateOf(fields.map(({ name }) => name)) ?? '')}' more than once`,
    );
  }
  const repeated = duplicateOf(tensorFields);
  if (repeated !== undefined)
    throw invalidArgument(`tensorFields names the field '${truncated(repeated)}' more than once`);
  for (const { name, features = [] } of fields) {
    const twice = duplicateOf(features);
    if (twice !== undefined)
      throw invalidArgument(`Field '${truncated(name)}' lists the feature '${twice}' more than once`);
  }
  for (const name of tensorFields) checkTensorField(name, byName);
  const tensors = new Set(tensorFields);
  for (const field of fields) {
    if (MUST_BE_TENSOR.includes(field.type) && !tensors.has(field.name)) {
      throw lateError(
        '__root__',
        `Field '${truncated(field.name)}' has type '${field.type}' and must be a tensor field.`,
      );
    }
    for (const dependent of Object.keys(field.dependentFields ?? {})) checkDependent(field.name, dependent, byName);
  }
}

function checkTensorField(name: string, byName: ReadonlyMap<string, Field>): void {
  const field = byName.get(name);
  if (field === undefined) {
    throw lateError(
      '__root__',
      `Tensor field '${truncated(name)}' is not a defined field. Field names: [${joinedTruncated([...byName.keys()])}]`,
    );
  }
  if (!CAN_BE_TENSOR.includes(field.type)) {
    throw invalidArgument(`Field '${truncated(name)}' has type '${field.type}' and cannot be a tensor field`);
  }
}

function checkDependent(name: string, dependent: string, byName: ReadonlyMap<string, Field>): void {
  const field = byName.get(dependent);
  if (field === undefined) {
    throw invalidArgument(
      `Field '${truncated(dependent)}', a dependent field of multimodal field '${truncated(name)}', is not a defined field`,
    );
  }
  if (field.type === 'custom_vector') {
    throw lateError(
      '__root__',
      `Field '${truncated(dependent)}' is a custom vector field and cannot be a dependent field of multimodal field '${truncated(name)}'.`,
    );
  }
  if (!COMBINABLE_TYPES.includes(field.type)) {
    throw invalidArgument(
      `Field '${truncated(dependent)}' has type '${field.type}' and cannot be a dependent field of multimodal field '${truncated(name)}'`,
    );
  }
}

function duplicateOf(names: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return names.find((name) => seen.size === seen.add(name).size);
}
