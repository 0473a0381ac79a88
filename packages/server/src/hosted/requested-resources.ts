import { invalidArgument, schemas, truncated } from '@pelorus/contract';
import type { StoredDefinition } from '@pelorus/engine';
import {
  defaultResources,
  type IndexCounts,
  inferenceTypeNames,
  inferenceTypeOf,
  limitsOf,
  type Resources,
  storageClassNames,
  storageClassOf,
} from '@pelorus/hosted';
import type { Inference } from '@pelorus/inference';
import { checkOf } from '../validation/check.js';
import type { HostedServices } from './hosted-services.js';

type Requested = schemas.HostedResources;

const check = checkOf(schemas.HostedResources, 'body');
const names = Object.keys(schemas.HostedResources.properties);

/** Share of its memory up to which an index takes documents. */
const DOCUMENTS_SHARE = 3 / 4;

/** Parts the body of a creation into what only a hosted index has, and the settings that every index has. */
export function splitResources(body: object): { requested: Requested; settings: Record<string, unknown> } {
  const entries = Object.entries(body);
  const given = entries.filter(([name]) => names.includes(name));
  const settings = entries.filter(([name]) => !names.includes(name));
  return { requested: check(Object.fromEntries(given)) as Requested, settings: Object.fromEntries(settings) };
}

/**
 * The resources of a new index.
 * @throws PelorusError `invalid_argument`; `hardware_compatability_error` for a GPU that is not there
 */
export function newResources(requested: Requested, inference: Inference): Resources {
  return checked({ ...defaultResources, ...named(requested) }, inference);
}

/**
 * The resources of an index that has some, once they are changed.
 * @throws PelorusError as above, and for what can only grow
 */
export function changedResources(current: Resources, requested: Requested, inference: Inference): Resources {
  const next = { ...current, ...named(requested) };
  for (const name of ['numberOfShards', 'numberOfReplicas'] as const) {
    if (next[name] >= current[name]) continue;
    throw invalidArgument(`${name} cannot be lowered: the index has ${current[name]}, and ${next[name]} was asked for`);
  }
  return checked(next, inference);
}

/**
 * Refuses resources with which an index could answer nothing that has to be embedded, or read no text of a field.
 * @throws PelorusError `invalid_argument`
 */
export function checkModelFits(
  { settings: { model, modelProperties, fieldModels } }: Pick<StoredDefinition, 'settings'>,
  resources: Resources,
  { inference, config }: Pick<HostedServices, 'inference' | 'config'>,
): void {
  const { modelMemory } = limitsOf(resources, config.modelMemoryMax);
  const ofFields = Object.values(fieldModels ?? {}).map((one) =>
    inference.resolveField(one.model, one.modelProperties),
  );
  const tooLarge = [inference.resolve(model, modelProperties), ...ofFields].find(({ size }) => size >= modelMemory);
  if (tooLarge === undefined) return;
  const isOperators = modelMemory === config.modelMemoryMax;
  const whose = isOperators
    ? 'that the operator allows (MARQO_MAX_CPU_MODEL_MEMORY)'
    : `that ${resources.numberOfShards} of ${resources.storageClass} have for models: choose a larger storageClass or more shards`;
  throw invalidArgument(
    `The model ${truncated(tooLarge.name)} takes ${tooLarge.size} of model memory, expected less than the ${Number(modelMemory.toFixed(2))} ${whose}`,
  );
}

/**
 * Refuses less memory than the documents of an index need.
 * @param counts what the index says of itself; null where that is not known
 * @throws PelorusError `invalid_argument`
 */
export function checkDocumentsFit(counts: IndexCounts | null, resources: Resources): void {
  const { memoryBytes } = limitsOf(resources, 0);
  const held = counts?.memoryBytes ?? 0;
  if (held <= memoryBytes * DOCUMENTS_SHARE) return;
  throw invalidArgument(
    `The documents of the index hold ${held} bytes of memory, more than three quarters of the ${memoryBytes} that ${resources.numberOfShards} of ${resources.storageClass} have`,
  );
}

function named({ storageClass, inferenceType, ...counts }: Requested): Partial<Resources> {
  const given = Object.entries(counts).filter(([name, count]) => count != null && names.includes(name));
  return {
    ...Object.fromEntries(given),
    ...(storageClass != null && {
      storageClass: wordOf('storageClass', storageClass, storageClassOf(storageClass), storageClassNames),
    }),
    ...(inferenceType != null && {
      inferenceType: wordOf('inferenceType', inferenceType, inferenceTypeOf(inferenceType), inferenceTypeNames),
    }),
  };
}

function wordOf<Word>(member: string, given: string, known: Word | undefined, words: readonly string[]): Word {
  if (known !== undefined) return known;
  throw invalidArgument(`${member} is '${truncated(given)}', but must be one of ${words.join(', ')}`);
}

function checked(resources: Resources, inference: Inference): Resources {
  if (resources.storageClass === 'svc.basic' && resources.numberOfReplicas > 0) {
    throw invalidArgument('numberOfReplicas must be 0 with the storage class svc.basic, which has no replicas');
  }
  if (resources.inferenceType === 'svc.GPU') inference.device('cuda');
  return resources;
}
