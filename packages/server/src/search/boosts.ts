import { echoed, type engine, invalidArgument, truncated } from '@pelorus/contract';
import { checkFieldName } from './field-names.js';
import { methodOf, type SearchRequest } from './shape.js';

type Boosts = NonNullable<SearchRequest['boost']>;

/** Checks that boosts belong to a search that can have them, and have a form with a meaning. */
export function checkBoosts(request: SearchRequest): void {
  const { boost } = request;
  if (boost == null) return;
  const method = methodOf(request);
  if (method !== 'TENSOR') {
    throw invalidArgument(`Boosting is only supported for search_method="TENSOR". Received search_method="${method}"`);
  }
  for (const [field, numbers] of Object.entries(boost)) {
    checkFieldName(field);
    if (isBoost(numbers)) continue;
    throw invalidArgument(
      `Boost dictionaries have structure <attribute (string)>: <[weight (float), bias (float)]>, or [weight (float)] alone. Received ${echoed(numbers)} for '${truncated(field)}'`,
    );
  }
}

/** The boosts of the engine's plan, from checked ones. */
export function plannedBoosts(boosts: Boosts | null | undefined): engine.FieldBoost[] | null {
  if (boosts == null) return null;
  return Object.entries(boosts).map(([field, numbers]) => {
    const [weight = 1, bias = 0] = numbers as number[];
    return { field, weight, bias };
  });
}

function isBoost(numbers: unknown): boolean {
  return (
    Array.isArray(numbers) &&
    (numbers.length === 1 || numbers.length === 2) &&
    numbers.every((number) => typeof number === 'number' && Number.isFinite(number))
  );
}
