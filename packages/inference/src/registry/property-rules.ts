import { echoed } from '@pelorus/contract';
import { MODEL_TYPES, type ModelType } from '../resolved-model.js';
import { invalidProperties, missingProperties, unusableModel } from './model-error.js';

export type ModelProperties = Readonly<Record<string, unknown>>;

/** Members that must be there, by type; `dimensions` is one for every type. */
const REQUIRED: Partial<Record<ModelType, readonly string[]>> = {
  sbert: ['name'],
  open_clip: ['name'],
  clip: ['name'],
  languagebind: ['supported_modalities'],
  openai: ['name', 'url'],
  ollama: ['name', 'url'],
  cohere: ['name', 'url'],
};

/** The members that a model of LanguageBind needs besides, where nothing but a name says where its towers are. */
const BOUND_BY_NAME: readonly string[] = ['loader', 'video_chunk_length', 'audio_chunk_length'];

const TOKENS_DEFAULT = 128;

/** As their publishers have them. */
const TOKENS_OF_TYPE: Partial<Record<ModelType, number>> = { splade: 256, colbert: 220 };

/** A member that may be spelt in camelCase or in snake_case. */
export function member(properties: ModelProperties, name: string): unknown {
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return properties[name] ?? properties[snake];
}

/** The same without members that are null, in objects within too: they say as much as absent ones. */
export function withoutNulls(properties: ModelProperties): ModelProperties {
  const given = Object.entries(properties).filter(([, value]) => value !== null);
  return Object.fromEntries(given.map(([name, value]) => [name, isObject(value) ? withoutNulls(value) : value]));
}

function isObject(value: unknown): value is ModelProperties {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The `dimensions` of `no_model` are nobody's but the caller's. */
export function noModelNeedsDimensions(): Error {
  return missingProperties('no_model', missing('dimensions'));
}

/**
 * Checks the rules for `modelProperties` of any kind and fills in the defaults that are kept with them. A null member
 * stays null in the kept properties.
 *
 * @throws PelorusError `invalid_argument` with the rule that was broken.
 */
export function checkedProperties(model: string, given: ModelProperties): ModelProperties {
  const kept = withDefaults(given);
  const properties = withoutNulls(kept);
  const { type } = properties;
  if (!(MODEL_TYPES as readonly unknown[]).includes(type)) {
    throw invalidProperties(
      model,
      'Invalid model type. Please check the model type in model_properties. ' +
        `Supported model types are [${MODEL_TYPES.map((name) => `'${name}'`).join(', ')}]`,
    );
  }
  if ((type === 'no_model') !== (model === 'no_model')) {
    throw invalidProperties(
      model,
      "To use the 'no_model' feature, you must provide 'model = no_model' and 'type = no_model', " +
        `but received 'model = ${model}' and 'type = ${String(type)}'`,
    );
  }
  // For dimensions alone, null is called a wrong number rather than a missing one.
  const required = { ...properties, dimensions: kept.dimensions };
  for (const key of ['dimensions', ...requiredMembers(type as ModelType, properties)]) {
    if (member(required, camel(key)) === undefined) throw invalidProperties(model, missing(key));
  }
  checkDimensions(model, kept.dimensions);
  return kept;
}

function requiredMembers(type: ModelType, properties: ModelProperties): readonly string[] {
  const required = REQUIRED[type] ?? [];
  const isByName = properties.name !== undefined && member(properties, 'modelLocation') === undefined;
  return type === 'languagebind' && isByName && properties.onnx === undefined
    ? [...required, ...BOUND_BY_NAME]
    : required;
}

function withDefaults(given: ModelProperties): ModelProperties {
  if ((given.type ?? 'sbert') !== 'sbert') return given;
  return { ...given, type: 'sbert', tokens: given.tokens ?? TOKENS_DEFAULT };
}

function checkDimensions(model: string, dimensions: unknown): void {
  if (Number.isInteger(dimensions) && (dimensions as number) >= 1) return;
  throw invalidProperties(
    model,
    `Invalid model properties: 'dimensions' must be a positive integer, but received ${echoed(dimensions)}`,
  );
}

const missing = (key: string) =>
  `model_properties has missing key '${key}'. please update your model properties with required key \`${key}\``;

/** The name of a member in camelCase. */
export const camel = (key: string) => key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** A member that must be text where it is given. */
export function textMember(model: string, properties: ModelProperties, name: string): string | undefined {
  const value = member(properties, name);
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  throw unusableModel(`modelProperties of ${model}: '${name}' must be a string, received ${kindOf(value)}`);
}

/** A value's kind in words. The value itself may hold the secrets of an address. */
function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'an array' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** A member that must be true or false where it is given; false where it is not. */
export function flagMember(model: string, properties: ModelProperties, name: string): boolean {
  const value = member(properties, name) ?? false;
  if (typeof value === 'boolean') return value;
  throw unusableModel(`modelProperties of ${model}: '${name}' must be true or false, received ${kindOf(value)}`);
}

/** `modelSize`, above 0; undefined where it is not given. */
export function sizeMember(model: string, properties: ModelProperties): number | undefined {
  const size = member(properties, 'modelSize') ?? undefined;
  if (size === undefined || (typeof size === 'number' && size > 0)) return size;
  throw unusableModel(
    `modelProperties of ${model}: 'modelSize' must be a number above 0, received ${JSON.stringify(size)}`,
  );
}

/** `tokens`, at least 1. */
export function tokensMember(model: string, properties: ModelProperties): number {
  const { type, tokens = TOKENS_OF_TYPE[type as ModelType] ?? TOKENS_DEFAULT } = properties;
  if (Number.isInteger(tokens) && (tokens as number) >= 1) return tokens as number;
  throw unusableModel(`modelProperties of ${model}: 'tokens' must be a positive integer, received ${echoed(tokens)}`);
}

/** A value that must be an object; `what` names it in the message. */
export function objectMember(model: string, what: string, value: unknown): Readonly<Record<string, unknown>> {
  if (isObject(value)) return value;
  throw unusableModel(`${what} of ${model} must be an object`);
}

/** A value that must be text and not empty. */
export function textValue(model: string, what: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw unusableModel(`${what} of ${model} must be a string that is not empty`);
}
