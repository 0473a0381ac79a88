import type { schemas } from '@pelorus/contract';

/** The name by which the engine reads distances from a place like numbers of a field. */
export function distanceName(field: string, { lat, lon }: schemas.GeoPoint): string {
  return `${field}@${lat},${lon}`;
}
