import { PelorusError } from '@pelorus/contract';
import { invalidArgument } from '../indexes/faults.js';
import { fieldNameFault } from '../indexes/names.js';
import type { Settings } from '../indexes/settings.js';
import { echoLengthMax } from '../validation/problems.js';

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

/** Checks the shape of `mappings`: each field is a combination with weights or a custom vector. */
export function checkMappings(mappings: object): void {
  for (const [name, mapping] of Object.entries(mappings)) checkMapping(name, mapping);
}

function checkMapping(name: string, mapping: unknown): void {
  if (!isObject(mapping)) throw fault('general', `${quoted(mapping)} is not of type 'object'`);
  if (!Object.hasOwn(mapping, 'type')) throw fault('general', "'type' is a required property");
  const kind = kinds.find((one) => one === mapping.type);
  if (kind === undefined) {
    const listed = kinds.map((one) => `'${one}'`).join(', ');
    throw fault('general', `${quoted(mapping.type)} is not one of [${listed}]`);
  }
  if (kind === 'multimodal_combination') checkCombination(name, mapping);
  checkNothingElse(mapping, kind, kind === 'custom_vector' ? ['type'] : ['type', 'weights']);
}

function checkCombination(name: string, mapping: Record<string, unknown>): void {
  const badName = fieldNameFault(name);
  if (badName !== undefined) throw new PelorusError('invalid_field_name', badName);
  if (!Object.hasOwn(mapping, 'weights')) throw fault('multimodal_combination', "'weights' is a required property");
  const { weights } = mapping;
  if (!isObject(weights)) throw fault('multimodal_combination', `${quoted(weights)} is not of type 'object'`);
  for (const weight of Object.values(weights)) {
    if (typeof weight === 'number' && Number.isFinite(weight)) continue;
    throw fault('multimodal_combination', `${quoted(weight)} is not of type 'number'`);
  }
}

function checkNothingElse(
  mapping: Record<string, unknown>,
  kind: (typeof kinds)[number],
  allowed: readonly string[],
): void {
  const surplus = Object.keys(mapping).find((member) => !allowed.includes(member));
  if (surplus === undefined) return;
  throw fault(kind, `Additional properties are not allowed (${quoted(surplus)} was unexpected)`);
}

/** On a structured index a mapping may only give other weights to a combination that the index declares. */
export function checkMappingsOfStructured(mappings: object, settings: Settings): void {
  const fields = new Map((settings.allFields ?? []).map((field) => [field.name, field]));
  for (const [name, mapping] of Object.entries(mappings)) {
    if (mapping.type !== 'multimodal_combination') continue;
    const field = fields.get(name);
    if (field?.type !== 'multimodal_combination') {
      const shown = name.slice(0, echoLengthMax);
      throw fault('general', `Invalid mapping ${shown}. Index has no multimodal combination field ${shown}`);
    }
    for (const dependent of Object.keys(mapping.weights)) {
      if (Object.hasOwn(field.dependentFields ?? {}, dependent)) continue;
      throw fault(
        'general',
        `Invalid mapping ${name}. Field ${dependent.slice(0, echoLengthMax)} is not a dependent field of ${name}`,
      );
    }
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function quoted(value: unknown): string {
  return typeof value === 'string'
    ? `'${value.slice(0, echoLengthMax)}'`
    : String(JSON.stringify(value)).slice(0, echoLengthMax);
}
