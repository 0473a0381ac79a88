/** The outcome of a comparison by queries. */
export interface Outcomes {
  readonly queries: number;
  readonly wins: number;
  readonly losses: number;
  /** Queries that tell nothing. */
  readonly ties: number;
}

/** The share of an interval's tails on each side: 95 % lie between. */
const TAIL = 0.025;
/** Halvings of the range in which a bound is looked for: more than a double has digits. */
const HALVINGS = 60;

/** @param points of a query each: above 0 a win, below it a loss */
export function outcomesOf(points: readonly number[]): Outcomes {
  const wins = points.filter((point) => point > SMALLEST).length;
  const losses = points.filter((point) => point < -SMALLEST).length;
  return { queries: points.length, wins, losses, ties: points.length - wins - losses };
}

/** Points below that are what rounding left of none: worths are whole numbers, and halved at most so many times. */
const SMALLEST = 1e-9;

/**
 * The 95 % interval of the share of wins among queries that told something, without an assumption about how many there are:
 * it holds exactly the shares by which a sign test would not refuse the count (Clopper and Pearson, Biometrika 26, 1934).
 */
export function winInterval({ wins, losses }: Pick<Outcomes, 'wins' | 'losses'>): readonly [number, number] {
  const count = wins + losses;
  const atLeast = (share: number) => tailOf(count, wins, share);
  const atMost = (share: number) => tailOf(count, losses, 1 - share);
  const lower = wins === 0 ? 0 : rootOf((share) => atLeast(share) < TAIL);
  const upper = losses === 0 ? 1 : rootOf((share) => atMost(share) >= TAIL);
  return [lower, upper];
}

/** The probability of at least `successes` in `count` trials of that share. */
function tailOf(count: number, successes: number, share: number): number {
  let sum = 0;
  for (let hits = successes; hits <= count; hits += 1) sum += Math.exp(logProbability(count, hits, share));
  return sum;
}

function logProbability(count: number, hits: number, share: number): number {
  let log = hits * Math.log(share) + (count - hits) * Math.log1p(-share);
  for (let one = 1; one <= hits; one += 1) log += Math.log((count - hits + one) / one);
  return log;
}

/** The share from 0 to 1 up to which `holds`. */
function rootOf(holds: (share: number) => boolean): number {
  let [low, high] = [0, 1];
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const middle = (low + high) / 2;
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
