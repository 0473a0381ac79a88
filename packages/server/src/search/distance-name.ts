import { type schemas, truncated } from '@pelorus/contract';

/** The name by which the engine reads distances from a place like numbers of a field. */
export function distanceName(field: string, { lat, lon }: schemas.GeoPoint): string {
  return `${field}@${lat},${lon}`;
}

/** Tells whether a name is one by which the engine reads what it computes of a field: no field of a document has an @. */
export function isComputedName(name: string): boolean {
  return name.split('.', 1)[0]?.includes('@') === true;
}

export const computedNameText = (name: string): string =>
  `Invalid field name '${truncated(name)}'. No field of a document has an @ in its name`;
