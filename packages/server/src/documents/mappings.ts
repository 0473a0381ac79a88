import { PelorusError } from '@pelorus/contract';
import { fieldNameFault } from '../indexes/names.js';
import type { Settings } from '../indexes/settings.js';
import { truncated } from '../validation/excerpt.js';
import { invalidArgument } from '../validation/faults.js';
import { isObject } from '../validation/reader.js';

const kinds = ['multimodal_combination', 'custom_vector'] as const;
const docs = 'The request is described at /docs.';

const headings = {
  general: 'Error validating mappings object. Reason: ',
  multimodal_combination: 'Error validating multimodal combination mappings object. Reason: ',
  custom_vector: 'Error validating custom vector mappings object. Reason: ',
} as const;

function fault(heading: keyof typeof headings, reason: string): PelorusError {
  return invalidArgument(`${headings[heading]}${reason}. ${docs}`);
}

/** Most parts that one combination may have. */
const WEIGHTS_MAX = 1000;

/** Checks the shape of `mappings`: each field is a combination with weights or a custom vector. */
export function checkMappings(mappings: object): void {
  for (const [name, mapping] of Object.entries(mappings)) checkMapping(name, mapping);
}

function checkMapping(name: string, mapping: unknown): void {
  const at = `mappings.${truncated(name)}: `;
  if (!isObject(mapping)) throw fault('general', `${at}${quoted(mapping)} is not of type 'object'`);
  if (!Object.hasOwn(mapping, 'type')) throw fault('general', `${at}'type' is a required property`);
  const kind = kinds.find((one) => one === mapping.type);
  if (kind === undefined) {
    const listed = kinds.map((one) => `'${one}'`).join(', ');
    throw fault('general', `${at}${quoted(mapping.type)} is not one of [${listed}]`);
  }
  if (kind === 'multimodal_combination') checkCombination(name, mapping);
  const allowed = kind === 'custom_vector' ? ['type'] : ['type', 'weights'];
  const surplus = Object.keys(mapping).find((member) => !allowed.includes(member));
  if (surplus === undefined) return;
  throw fault(kind, `${at}Additional properties are not allowed (${quoted(surplus)} was unexpected)`);
}

function checkCombination(name: string, mapping: Record<string, unknown>): void {
  checkFieldName(name);
  const at = `mappings.${truncated(name)}`;
  const broken = (reason: string) => fault('multimodal_combination', reason);
  if (!Object.hasOwn(mapping, 'weights')) throw broken(`${at}: 'weights' is a required property`);
  const { weights } = mapping;
  if (!isObject(weights)) throw broken(`${at}.weights: ${quoted(weights)} is not of type 'object'`);
  const parts = Object.entries(weights);
  if (parts.length > WEIGHTS_MAX) {
    throw broken(`${at}.weights: ${parts.length} properties are more than the limit of ${WEIGHTS_MAX}`);
  }
  for (const [part, weight] of parts) {
    checkFieldName(part);
    if (typeof weight === 'number' && Number.isFinite(weight)) continue;
    throw broken(`${at}.weights.${truncated(part)}: ${quoted(weight)} is not of type 'number'`);
  }
}

/** @throws PelorusError `invalid_field_name` */
function checkFieldName(name: string): void {
  const message = fieldNameFault(name);
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
      throw fault('general', `Invalid mapping ${named}. Index has no multimodal combination field ${named}`);
    }
    for (const dependent of Object.keys(mapping.weights)) {
      if (Object.hasOwn(field.dependentFields ?? {}, dependent)) continue;
      throw fault(
        'general',
        `Invalid mapping ${truncated(name)}. Field ${truncated(dependent)} is not a dependent field of ${truncated(name)}`,
      );
    }
  }
}

function quoted(value: unknown): string {
  return typeof value === 'string' ? `'${truncated(value)}'` : truncated(String(JSON.stringify(value)));
}
