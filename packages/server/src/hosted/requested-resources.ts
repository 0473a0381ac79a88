import { invalidArgument, schemas, truncated } from '@pelorus/contract';
import {
  defaultResources,
  inferenceTypeNames,
  inferenceTypeOf,
  type Resources,
  storageClassNames,
  storageClassOf,
} from '@pelorus/hosted';
import type { Inference } from '@pelorus/inference';
import { checkOf } from '../validation/check.js';

type Requested = schemas.HostedResources;

const check = checkOf(schemas.HostedResources, 'body');
const names = Object.keys(schemas.HostedResources.properties);

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
 * @throws PelorusError as above, and for what can only grow or must stay
 */
export function changedResources(current: Resources, requested: Requested, inference: Inference): Resources {
  const next = { ...current, ...named(requested) };
  for (const name of ['numberOfShards', 'numberOfReplicas'] as const) {
    if (next[name] >= current[name]) continue;
    throw invalidArgument(`${name} cannot be lowered: the index has ${current[name]}, and ${next[name]} was asked for`);
  }
  if (next.storageClass !== current.storageClass) {
    throw invalidArgument(
      `storageClass cannot be changed: the index has ${current.storageClass}, and ${next.storageClass} was asked for`,
    );
  }
  return checked(next, inference);
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
