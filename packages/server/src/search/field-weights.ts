import type { engine } from '@pelorus/contract';
import { checkFieldName } from './field-names.js';
import type { SearchRequest } from './shape.js';

/** @throws PelorusError for the name of a field that none can have. */
export function checkWeightedFields({ fieldWeights }: SearchRequest): void {
  for (const name of Object.keys(fieldWeights ?? {})) checkFieldName(name);
}

/** All that are named, as the engine refuses those of fields that it cannot search: a weight of 1 changes no score. */
export function plannedFieldWeights({ fieldWeights }: SearchRequest): engine.FieldWeight[] {
  return Object.entries(fieldWeights ?? {}).map(([field, weight]) => ({ field, weight }));
}
