import { echoed, invalidArgument, PelorusError, truncated } from '@pelorus/contract';
import { fieldNameProblem } from '../indexes/names.js';
import type { Settings } from '../indexes/settings.js';
import { isObject } from '../validation/reader.js';

const kinds = [
  ...(['multimodal_combination', 'custom_vector', 'text_field', 'geo_point'] as const),
  ...(['sparse_vector', 'multi_vector'] as const),
];
const stemmings = ['none', 'best', 'shortest', 'multiple'] as const;
const docs = 'The request is described at /docs.';

const headings = {
  general: 'Error validating mappings object. Reason: ',
  multimodal_combination: 'Error validating multimodal combination mappings object. Reason: ',
  custom_vector: 'Error validating custom vector mappings object. Reason: ',
  text_field: 'Error validating text field mappings object. Reason: ',
  geo_point: 'Error validating geo point mappings object. Reason: ',
  sparse_vector: 'Error validating sparse vector mappings object. Reason: ',
  multi_vector: 'Error validating multi vector mappings object. Reason: ',
} as const;

function invalidMapping(heading: keyof typeof headings, reason: string): PelorusError {
  return invalidArgument(`${headings[heading]}${reason}. ${docs}`);
}

/** Most parts that one combination may have. */
const WEIGHTS_MAX = 1000;

/** Characters of the longest tag of a language; registered ones are far shorter. */
const TAG_LENGTH_MAX = 64;

/** Most numbers of a vector of which a document has many. */
const DIMENSIONS_MAX = 1024;

const members = {
  multimodal_combination: ['type', 'weights'],
  custom_vector: ['type'],
  text_field: ['type', 'language', 'stemming'],
  geo_point: ['type'],
  sparse_vector: ['type'],
  multi_vector: ['type', 'dimensions'],
} as const;

/**
 * Checks the shape of `mappings`: each field is a combination with weights, a custom vector, a geo point, a sparse vector,
 * many vectors of some dimensions, or a text with a language or a way to cut endings.
 */
export function checkMappings(mappings: object): void {
  for (const [name, mapping] of Object.entries(mappings)) checkMapping(name, mapping);
}

function checkMapping(name: string, mapping: unknown): void {
  const at = `mappings.${truncated(name)}: `;
  if (!isObject(mapping)) throw invalidMapping('general', `${at}${echoed(mapping)} is not of type 'object'`);
  if (!Object.hasOwn(mapping, 'type')) throw invalidMapping('general', `${at}'type' is a required property`);
  const kind = kinds.find((one) => one === mapping.type);
  if (kind === undefined) {
    throw invalidMapping('general', `${at}${echoed(mapping.type)} is not one of ${echoed(kinds)}`);
  }
  if (kind === 'multimodal_combination') checkCombination(name, mapping);
  if (kind === 'text_field') checkTextField(name, mapping);
  if (kind === 'geo_point' || kind === 'sparse_vector') checkFieldName(name);
  if (kind === 'multi_vector') checkMultiVector(name, mapping);
  const allowed: readonly string[] = members[kind];
  const surplus = Object.keys(mapping).find((member) => !allowed.includes(member));
  if (surplus === undefined) return;
  throw invalidMapping(kind, `${at}Additional properties are not allowed (${echoed(surplus)} was unexpected)`);
}

function checkCombination(name: string, mapping: Record<string, unknown>): void {
  checkFieldName(name);
  const at = `mappings.${truncated(name)}`;
  const broken = (reason: string) => invalidMapping('multimodal_combination', reason);
  if (!Object.hasOwn(mapping, 'weights')) throw broken(`${at}: 'weights' is a required property`);
  const { weights } = mapping;
  if (!isObject(weights)) throw broken(`${at}.weights: ${echoed(weights)} is not of type 'object'`);
  const parts = Object.entries(weights);
  if (parts.length > WEIGHTS_MAX) {
    throw broken(`${at}.weights: ${parts.length} properties are more than the limit of ${WEIGHTS_MAX}`);
  }
  for (const [part, weight] of parts) {
    checkFieldName(part);
    if (typeof weight === 'number' && Number.isFinite(weight)) continue;
    throw broken(`${at}.weights.${truncated(part)}: ${echoed(weight)} is not of type 'number'`);
  }
}

function checkTextField(name: string, { language, stemming }: Record<string, unknown>): void {
  checkFieldName(name);
  const at = `mappings.${truncated(name)}`;
  const broken = (reason: string) => invalidMapping('text_field', reason);
  if (language === undefined && stemming === undefined) {
    throw broken(`${at}: one of 'language' and 'stemming' is a required property`);
  }
  if (language !== undefined) {
    if (typeof language !== 'string') throw broken(`${at}.language: ${echoed(language)} is not of type 'string'`);
    if (language === '') throw broken(`${at}.language: '' should be non-empty`);
    if (language.length > TAG_LENGTH_MAX) {
      throw broken(`${at}.language: ${language.length} characters are more than the limit of ${TAG_LENGTH_MAX}`);
    }
  }
  if (stemming !== undefined && !stemmings.some((one) => one === stemming)) {
    throw broken(`${at}.stemming: ${echoed(stemming)} is not one of ${echoed(stemmings)}`);
  }
}

function checkMultiVector(name: string, mapping: Record<string, unknown>): void {
  checkFieldName(name);
  const at = `mappings.${truncated(name)}`;
  const broken = (reason: string) => invalidMapping('multi_vector', reason);
  if (!Object.hasOwn(mapping, 'dimensions')) throw broken(`${at}: 'dimensions' is a required property`);
  const { dimensions } = mapping;
  if (Number.isInteger(dimensions) && Number(dimensions) >= 2 && Number(dimensions) <= DIMENSIONS_MAX) return;
  throw broken(`${at}.dimensions: ${echoed(dimensions)} is not an integer from 2 to ${DIMENSIONS_MAX}`);
}

/** @throws PelorusError `invalid_field_name` */
function checkFieldName(name: string): void {
  const message = fieldNameProblem(name);
  if (message !== undefined) throw new PelorusError('invalid_field_name', message);
}

/** On a structured index a mapping may only give other weights to a combination that the index declares. */
export function checkMappingsOfStructured(mappings: object, settings: Settings): void {
  const fields = new Map((settings.allFields ?? []).map((field) => [field.name, field]));
  for (const [name, mapping] of Object.entries(mappings)) {
    if (mapping.type !== 'multimodal_combination') continue;
    const field = fields.get(name);
    if (field?.type !== 'multimodal_combination') {
      const named = truncated(name);
      throw invalidMapping('general', `Invalid mapping ${named}. Index has no multimodal combination field ${named}`);
    }
    for (const dependent of Object.keys(mapping.weights)) {
      if (Object.hasOwn(field.dependentFields ?? {}, dependent)) continue;
      throw invalidMapping(
        'general',
        `Invalid mapping ${truncated(name)}. Field ${truncated(dependent)} is not a dependent field of ${truncated(name)}`,
      );
    }
  }
}
