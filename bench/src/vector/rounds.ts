import { median } from '../quantile.ts';

/** No engine is always the first after the pause between rounds. */
export function turned<T>(items: readonly T[], by: number): T[] {
  const first = by % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}

/** The median of the ratios of rounds in which both were measured; null when there is none. */
export function medianRatio(ours: readonly (number | null)[], theirs: readonly (number | null)[]): number | null {
  const ratios = ours.flatMap((mine, round) => {
    const other = theirs[round];
    return mine == null || other == null ? [] : mine / other;
  });
  return ratios.length > 0 ? median(ratios) : null;
}

/** The median of what was measured; null when nothing was. */
export function medianOf(values: readonly (number | null)[]): number | null {
  const measured = values.filter((value) => value !== null);
  return measured.length > 0 ? median(measured) : null;
}
