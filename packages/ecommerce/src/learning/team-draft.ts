/**
 * Team-draft interleaving: two rankings fill one list as captains pick teams. In each round a coin says who goes first; each
 * adds the best product of its own that is not in the list yet, until one has none. What a shopper chooses of the list is
 * a point for the team that brought it (Radlinski, Kurup and Joachims: How does clickthrough data reflect retrieval
 * quality?, CIKM 2008, algorithm 2).
 *
 * Nobody was shown such a list here. Its points are those that earlier choices would have made, and the mean over all falls
 * of the coins is taken, exactly. The rest of a draft depends on the products of the list alone, and on whose turn it is,
 * so that of the many falls few are told apart.
 */

/** Longest interleaved list: the products of two rankings of that length fit into the bits of a number. */
export const DRAFT_LENGTH = 20;

/** The team that adds the next product, or the coin that says which. */
const Turn = { coin: 0, present: 1, other: 2 } as const;
type Turn = (typeof Turn)[keyof typeof Turn];
const TURNS = 3;

/**
 * The points that a ranking can expect above those of the present one: negative where it has fewer, 0 where the lists tell
 * nothing.
 * @param worth points for products, by id; others make none
 */
export function expectedPoints(
  present: readonly string[],
  other: readonly string[],
  worth: ReadonlyMap<string, number>,
  length = DRAFT_LENGTH,
): number {
  const ids = [...new Set([...present.slice(0, length), ...other.slice(0, length)])];
  const numbers = new Map(ids.map((id, number) => [id, number]));
  const numbersOf = (ranking: readonly string[]) => ranking.slice(0, length).map((id) => numbers.get(id) as number);
  const [ours, theirs] = [numbersOf(present), numbersOf(other)];
  const points = ids.map((id) => worth.get(id) ?? 0);
  /** By the products of the list, a bit each, and the turn. */
  const known = new Map<number, number>();

  const pointsFrom = (list: number, count: number, turn: Turn): number => {
    const [left, right] = [next(ours, list), next(theirs, list)];
    if (left === undefined || right === undefined || count === length) return 0;
    const key = list * TURNS + turn;
    const value = known.get(key);
    if (value !== undefined) return value;
    const byPresent = () =>
      -(points[left] as number) + pointsFrom(list + 2 ** left, count + 1, turn === Turn.coin ? Turn.other : Turn.coin);
    const byOther = () =>
      (points[right] as number) +
      pointsFrom(list + 2 ** right, count + 1, turn === Turn.coin ? Turn.present : Turn.coin);
    const expected =
      turn === Turn.coin ? (byPresent() + byOther()) / 2 : turn === Turn.present ? byPresent() : byOther();
    known.set(key, expected);
    return expected;
  };

  return pointsFrom(0, 0, Turn.coin);
}

function next(ranking: readonly number[], list: number): number | undefined {
  return ranking.find((number) => Math.floor(list / 2 ** number) % 2 === 0);
}
