import type { engine, Problem } from '@pelorus/contract';
import { broken, brokenTogether } from '../validation/problems.js';
import { textProblems } from './field-queries.js';
import type { SearchRequest } from './shape.js';

const candidatesDefault = 100;

/** Rules between late interaction and other members that put the first hits in an order of their own. */
export function* lateInteractionProblems({
  lateInteraction,
  sortBy,
  textRanking,
  diversity,
  rerank,
  reRanker,
}: SearchRequest): Generator<Problem> {
  if (lateInteraction == null) return;
  const others = { sortBy, textRanking: textRanking === false ? null : textRanking, diversity, rerank, reRanker };
  for (const [name, value] of Object.entries(others)) {
    if (value == null) continue;
    yield brokenTogether(`'lateInteraction' cannot be used with '${name}': it orders the first hits itself`);
  }
  const { vectors } = lateInteraction;
  yield* textProblems('lateInteraction', lateInteraction, { vectors });
  const [first, ...rest] = vectors ?? [];
  const at = rest.findIndex((vector) => vector.length !== first?.length);
  if (at < 0) return;
  yield broken(
    ['body', 'lateInteraction', 'vectors', at + 1],
    `ensure all vectors have as many numbers as the first: received ${first?.length} and ${rest[at]?.length}`,
  );
}

/** The ranking by late interaction of the plan, null for none; that by a text has no vectors yet. */
export function plannedLateInteraction({ lateInteraction }: SearchRequest): engine.LateInteraction | null {
  if (lateInteraction == null) return null;
  const { fieldName, vectors = [], candidates } = lateInteraction;
  return { field: fieldName, vectors, candidates: candidates ?? candidatesDefault };
}
