import type { engine } from '@pelorus/contract';
import { checkFieldName } from './field-names.js';
import type { SearchRequest } from './shape.js';

/** @throws PelorusError for the name of a field that none can have. */
export function checkWeightedFields({ fieldWeights }: SearchRequest): void {
  for (const name of Object.keys(fieldWeights ?? {})) checkFieldName(name);
}

/** Those that change a score: a field of no other weight has 1. */
export function plannedFieldWeights({ fieldWeights }: SearchRequest): engine.FieldWeight[] {
  const weights = Object.entries(fieldWeights ?? {}).map(([field, weight]) => ({ field, weight }));
  return weights.filter(({ weight }) => weight !== 1);
}
