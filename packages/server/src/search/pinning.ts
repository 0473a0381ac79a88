import type { engine, Problem } from '@pelorus/contract';
import { broken } from '../validation/problems.js';
import type { SearchRequest } from './shape.js';

/** Checks that no document is pinned twice, in a list at `place`. */
export function* pinnedProblems(
  pinned: SearchRequest['pinned'],
  place: readonly (string | number)[] = ['body', 'pinned'],
): Generator<Problem> {
  const ids = new Set<string>();
  for (const [at, { _id }] of (pinned ?? []).entries()) {
    // Ids that differ in their encoding alone are those of one document.
    const id = _id.normalize();
    if (ids.has(id)) yield broken([...place, at, '_id'], 'Each document can be pinned only once');
    ids.add(id);
  }
}

/** The pinned documents of the plan, by their places; those of one place stay in their order. */
export function plannedPins({ pinned }: SearchRequest): engine.PinnedDocument[] {
  const pins = (pinned ?? []).map(({ _id, position }) => ({ id: _id, place: position - 1 }));
  return pins.sort((a, b) => a.place - b.place);
}
