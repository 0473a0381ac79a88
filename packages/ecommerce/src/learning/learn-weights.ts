import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { type Outcomes, outcomesOf, winInterval } from './sign-test.js';
import { expectedPoints } from './team-draft.js';

/** The weights by which a shop ranks: of members of products among words, and of meaning against words. */
export interface RankingWeights {
  /** Members that are not named weigh 1. */
  readonly fieldWeights: Readonly<Record<string, number>>;
  readonly alpha: number;
}

/** A query, and the points that its choices are worth, by product. */
export interface ChosenProducts {
  readonly query: string;
  readonly worth: ReadonlyMap<string, number>;
}

/** The products that a search by those weights finds, best first. */
export type Rank = (query: string, weights: RankingWeights) => Promise<readonly string[]>;

/** Weights that were found on one half of the queries, and how they do on either half against the present ones. */
export interface Comparison {
  readonly present: RankingWeights;
  readonly proposed: RankingWeights;
  readonly training: Outcomes;
  readonly heldOut: Outcomes;
  /** The share of wins among wins and losses of the held-out half, at 95 %. */
  readonly interval: readonly [number, number];
}

/** The outcome: a comparison whose weights are to be proposed where there is no reason against it. */
export interface Learned {
  readonly comparison: Comparison | null;
  readonly reason: string | null;
}

export interface LearningOptions {
  readonly queries: readonly ChosenProducts[];
  /** The members whose weights are tried. */
  readonly fields: readonly string[];
  readonly present: RankingWeights;
  readonly rank: Rank;
  /** Says, with the text of a query, in which half that is. */
  readonly salt: string;
  /** Ends it, also while rankings are compared. */
  readonly signal?: AbortSignal;
  /** Is told the share of the work that is done. */
  readonly onProgress?: (share: number) => void;
}

/** Fewer queries, and fewer of the held-out half that tell something, are not learned from. */
export const QUERIES_MIN = 20;
export const DECIDED_MIN = 10;
/** The factor by which a weight of a member changes in one step, and the difference by which that of meaning does. */
const FIELD_STEP = 2;
const ALPHA_STEP = 0.2;
/** Most steps from the present weights. */
const STEPS_MAX = 4;
/** The bounds of a member's weight, and most members that have one, as settings have them. */
const [WEIGHT_MIN, WEIGHT_MAX] = [0.001, 1000];
const WEIGHTS_MAX = 20;

/**
 * Looks for weights by which the products that shoppers chose come further in front: from the present ones by single steps, of
 * which each time the one that wins most on half of the queries is taken. The other half, which no step has seen, then says
 * whether the end is better than the beginning, beyond chance.
 */
export async function learnWeights(options: LearningOptions): Promise<Learned> {
  const { queries, fields, present, rank, salt, signal, onProgress = () => undefined } = options;
  if (queries.length < QUERIES_MIN) {
    const reason = `It takes ${QUERIES_MIN} queries with choices of enough shoppers, but there are ${queries.length}`;
    return { comparison: null, reason };
  }
  const { true: training = [], false: heldOut = [] } = Object.groupBy(queries, ({ query }) =>
    isTraining(query, salt) ? 'true' : 'false',
  );
  const searches = training.length * (1 + STEPS_MAX * (fields.length + 1) * 2) + heldOut.length * 2;
  let done = 0;
  const lists = async (half: readonly ChosenProducts[], weights: RankingWeights) => {
    const found: (readonly string[])[] = [];
    for (const { query } of half) {
      found.push(await rank(query, weights));
      done += 1;
      onProgress(done / searches);
    }
    return found;
  };

  const before = await lists(training, present);
  const tried = new Set([keyOf(present)]);
  let best = { weights: present, lists: before };
  for (let step = 0; step < STEPS_MAX; step += 1) {
    let next: (typeof best & { readonly lead: number }) | undefined;
    for (const weights of stepsFrom(best.weights, fields)) {
      const key = keyOf(weights);
      if (tried.has(key)) continue;
      tried.add(key);
      const found = await lists(training, weights);
      const { wins, losses } = await compared(training, best.lists, found);
      const lead = wins - losses;
      // A lead that a fair coin has in every third try would lead anywhere.
      if (lead > Math.sqrt(wins + losses) && lead > (next?.lead ?? 0)) next = { weights, lists: found, lead };
    }
    if (next === undefined) break;
    best = next;
  }
  if (best.weights === present) {
    return {
      comparison: null,
      reason: 'No other weights were better on the half of the queries that they are sought on',
    };
  }
  const proposed = best.weights;
  const outcomes = await compared(heldOut, await lists(heldOut, present), await lists(heldOut, proposed));
  const interval = winInterval(outcomes);
  const comparison = {
    present,
    proposed,
    training: await compared(training, before, best.lists),
    heldOut: outcomes,
    interval,
  };
  // Whoever ended it meanwhile wants no proposal.
  signal?.throwIfAborted();
  return { comparison, reason: reasonAgainst(outcomes, interval) };
}

function reasonAgainst({ wins, losses }: Outcomes, [lower]: readonly [number, number]): string | null {
  const decided = wins + losses;
  if (decided < DECIDED_MIN) {
    return `Of the queries that were held out ${decided} tell the rankings apart, fewer than ${DECIDED_MIN}`;
  }
  return lower > 0.5 ? null : 'On the queries that were held out it may be chance that the other weights are better';
}

/** The weights that are one step away. */
export function stepsFrom({ fieldWeights, alpha }: RankingWeights, fields: readonly string[]): RankingWeights[] {
  const ofFields = fields.flatMap((name) =>
    [FIELD_STEP, 1 / FIELD_STEP].map((factor) => {
      const changed = { ...fieldWeights, [name]: (fieldWeights[name] ?? 1) * factor };
      // A member that weighs 1 need not be named, and takes the room of another.
      return { fieldWeights: Object.fromEntries(Object.entries(changed).filter(([, weight]) => weight !== 1)), alpha };
    }),
  );
  const isPossible = ({ fieldWeights: weights }: RankingWeights) =>
    Object.values(weights).every((weight) => weight >= WEIGHT_MIN && weight <= WEIGHT_MAX) &&
    Object.keys(weights).length <= WEIGHTS_MAX;
  const ofLegs = [ALPHA_STEP, -ALPHA_STEP].map((step) => {
    const moved = Math.min(1, Math.max(0, alpha + step));
    return { fieldWeights, alpha: Number(moved.toFixed(3)) };
  });
  return [...ofFields.filter(isPossible), ...ofLegs];
}

function keyOf({ fieldWeights, alpha }: RankingWeights): string {
  const weights = Object.entries(fieldWeights).filter(([, weight]) => weight !== 1);
  return JSON.stringify([alpha, weights.toSorted(([a], [b]) => (a < b ? -1 : 1))]);
}

async function compared(
  queries: readonly ChosenProducts[],
  present: readonly (readonly string[])[],
  other: readonly (readonly string[])[],
): Promise<Outcomes> {
  const points: number[] = [];
  for (const [place, { worth }] of queries.entries()) {
    points.push(expectedPoints(present[place] as readonly string[], other[place] as readonly string[], worth));
    // A draft takes a millisecond at times: calls of shoppers come between two of them.
    await setImmediate();
  }
  return outcomesOf(points);
}

function isTraining(query: string, salt: string): boolean {
  const [first = 0] = createHash('sha256')
    .update(JSON.stringify([salt, query]))
    .digest();
  return first % 2 === 0;
}
