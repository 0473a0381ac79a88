import type { engine, schemas } from '@pelorus/contract';
import { invalidArgument } from '@pelorus/contract';
import { broken, refusalText } from '../validation/problems.js';
import { speltName } from '../validation/spelling.js';
import { isComputedName } from './distance-name.js';

type ScoreModifiers = schemas.ScoreModifiers;

const lists = ['multiply_score_by', 'add_to_score'] as const;

/**
 * Rules on the lists of score modifiers, which are those at `loc`.
 * @throws PelorusError `invalid_argument` whose message lists what is wrong
 */
export function checkScoreModifiers(modifiers: ScoreModifiers, loc: readonly string[]): void {
  const problems = [];
  if (lists.every((list) => modifiers[list] == null)) {
    problems.push(broken(['__root__'], 'At least one of multiply_score_by or add_to_score must be provided'));
  }
  for (const list of lists) {
    const named = modifiers[list];
    if (named == null) continue;
    const place = speltName(modifiers, list);
    if (named.length === 0) {
      problems.push(broken([place], `At least one ScoreModifierOperator is required in ${list}`));
    }
    for (const [i, field] of named.entries()) {
      if (field.field_name !== '_id') continue;
      problems.push(broken([place, i, speltName(field, 'field_name')], '_id is not allowed as a field_name'));
    }
  }
  if (problems.length > 0) throw invalidArgument(refusalText(loc, problems));
}

/** The beginning of names that stand for scores of a hit instead of fields. */
const SCORE_KEY_START = 'marqo__score_';
/** The part that names of closeness hold. */
export const CLOSENESS = '_closeness_';

/** The first name among `modifiers` that stands for a score, one of closeness before others. */
export function scoreKeyOf(modifiers: ScoreModifiers | null | undefined): string | undefined {
  const names = lists.flatMap((list) => (modifiers?.[list] ?? []).map(({ field_name }) => field_name));
  const scores = names.filter((name) => name.startsWith(SCORE_KEY_START));
  return scores.find((name) => name.includes(CLOSENESS)) ?? scores[0];
}

/** Score modifiers as the engine takes them. */
export function plannedModifiers(modifiers: ScoreModifiers | null | undefined): engine.ScoreModifiers | null {
  if (modifiers == null) return null;
  const [multiply, add] = lists.map((list) =>
    (modifiers[list] ?? [])
      .filter(({ field_name }) => !isComputedName(field_name))
      .map(({ field_name, weight }) => ({ field: field_name, weight: weight ?? 1 })),
  );
  return { multiply: multiply ?? [], add: add ?? [] };
}
