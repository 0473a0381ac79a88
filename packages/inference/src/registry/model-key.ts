import { createHash } from 'node:crypto';
import type { LoadableModel } from '../resolved-model.js';

/** Sha256 in hex of a value's JSON with members in order of their names, however they were written. */
export function canonicalHash(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}

/**
 * Tells apart, within this process, models whose vectors may differ. A model's own key outlives the moving of its folder
 * or service and so does not hold the place, but the files in two folders are two models.
 */
export function vectorKey({ key, weights }: Pick<LoadableModel, 'key' | 'weights'>): string {
  if (weights.kind === 'service') return `${key} ${canonicalHash(weights)}`;
  return weights.kind === 'folder' ? `${key} ${weights.path}` : key;
}

function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}
