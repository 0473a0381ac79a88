import { echoed, invalidArgument } from '@pelorus/contract';
import {
  FIELD_MODEL_TYPES,
  type FieldModel,
  type ModelType,
  type ResolvedModel,
  type TokenVectors,
} from '../resolved-model.js';
import { unusableModel } from './model-error.js';
import { type ModelProperties, member, textMember, tokensMember } from './property-rules.js';

/** Most vectors of a query and of a document, as fields of many vectors and searches take them. */
const QUERY_VECTORS_MAX = 256;
const DOCUMENT_VECTORS_MAX = 1024;
/** Numbers of each of many vectors. */
const DIMENSIONS_MAX = 1024;
/** Words of the largest vocabulary: the weights of all of them are computed for each text. */
const VOCABULARY_MAX = 500_000;

/** The defaults of ColBERT (Khattab and Zaharia, SIGIR 2020): tokens of a query, and the markers `[Q]` and `[D]`. */
const QUERY_TOKENS = 32;
const QUERY_MARKER = '[unused0]';
const DOCUMENT_MARKER = '[unused1]';

export const isFieldModelType = (type: unknown): type is FieldModel['type'] =>
  (FIELD_MODEL_TYPES as readonly unknown[]).includes(type);

/**
 * A resolved model as that of an index.
 * @throws PelorusError `invalid_argument` for one that makes the vectors of a field
 */
export function modelOfIndex(model: ResolvedModel): ResolvedModel {
  if (!isFieldModelType(model.type)) return model;
  throw invalidArgument(
    `Model ${echoed(model.name)} of type ${model.type} makes vectors of a field alone: name it in 'fieldModels', and another one as 'model'`,
  );
}

/**
 * A resolved model as that of a field.
 * @throws PelorusError `invalid_argument` for one that makes other vectors
 */
export function modelOfField(model: ResolvedModel): FieldModel {
  if (isFieldModelType(model.type)) return model as FieldModel;
  throw invalidArgument(
    `Model ${echoed(model.name)} has the type ${model.type}, but a model of a field is one of ${FIELD_MODEL_TYPES.join(', ')}`,
  );
}

/**
 * The members of a model of fields that others do not have; undefined for a model of another type.
 * @throws PelorusError `bad_request` for one that breaks a rule
 */
export function tokenVectors(model: string, type: ModelType, properties: ModelProperties): TokenVectors | undefined {
  if (type === 'splade') checkCount(model, 'dimensions', properties.dimensions, VOCABULARY_MAX);
  if (type !== 'colbert') return undefined;
  checkCount(model, 'dimensions', properties.dimensions, DIMENSIONS_MAX, 2);
  checkCount(model, 'tokens', tokensMember(model, properties), DOCUMENT_VECTORS_MAX, SPECIAL_TOKENS + 1);
  const queryTokens = member(properties, 'queryTokens') ?? QUERY_TOKENS;
  checkCount(model, 'queryTokens', queryTokens, QUERY_VECTORS_MAX, SPECIAL_TOKENS + 1);
  const flag = (name: string, isDefault: boolean) => flagOf(model, properties, name, isDefault);
  return {
    queryTokens: queryTokens as number,
    fillsQueries: flag('queryAugmentation', true),
    attendsToMasks: flag('attendToMask', false),
    queryMarker: textMember(model, properties, 'queryMarker') ?? QUERY_MARKER,
    documentMarker: textMember(model, properties, 'documentMarker') ?? DOCUMENT_MARKER,
    skipsPunctuation: flag('skipPunctuation', true),
  };
}

/** The first and the last token of a text, and its marker. */
const SPECIAL_TOKENS = 3;

function checkCount(model: string, name: string, value: unknown, most: number, least = 1): void {
  if (Number.isInteger(value) && Number(value) >= least && Number(value) <= most) return;
  throw unusableModel(
    `modelProperties of ${model}: '${name}' must be an integer from ${least} to ${most}, received ${echoed(value)}`,
  );
}

function flagOf(model: string, properties: ModelProperties, name: string, isDefault: boolean): boolean {
  const value = member(properties, name) ?? isDefault;
  if (typeof value === 'boolean') return value;
  throw unusableModel(`modelProperties of ${model}: '${name}' must be true or false, received ${echoed(value)}`);
}
