import { median } from '../quantile.ts';

/** One setting of an engine's effort and what it gave. */
export interface Point {
  ef: number;
  recall: number;
  qps: number;
}

/**
 * The settings around a recall: the last one below it, where there is one, and the first that
 * reaches it. Null when none does.
 */
export function bracket<P extends { ef: number; recall: number }>(
  recall: number,
  curve: readonly P[],
): [P | undefined, P] | null {
  const points = curve.toSorted((a, b) => a.ef - b.ef);
  const above = points.findIndex((point) => point.recall >= recall);
  const high = points[above];
  return high === undefined ? null : [points[above - 1], high];
}

/**
 * Queries per second at a recall, between the two settings around it: linear in recall, and in the
 * logarithm of the rate, which is close to how these curves run.
 *
 * Null when no setting reaches the recall. When even the smallest setting exceeds it, that
 * setting's rate: the engine could only be faster.
 */
export function qpsAt(recall: number, curve: readonly Point[]): number | null {
  const around = bracket(recall, curve);
  if (around === null) return null;
  const [low, high] = around;
  if (low === undefined) return high.qps;
  const share = (recall - low.recall) / (high.recall - low.recall);
  return Math.exp(Math.log(low.qps) + share * (Math.log(high.qps) - Math.log(low.qps)));
}

/** Rates of one engine over rounds, for some of the efforts on its curve. */
export class Curve {
  /** One pass at each effort, ascending. */
  readonly points: readonly Point[];
  readonly #rates: readonly Map<number, number>[];

  /** @param rates for each round the rates of the efforts that were measured. */
  constructor(points: readonly Point[], rates: readonly Map<number, number>[] = []) {
    this.points = points;
    this.#rates = rates;
  }

  /** The rate at a recall in one round; null when the engine does not get there. */
  inRound(round: number, recall: number): number | null {
    const rates = this.#rates[round];
    const timed = this.points.map((point) => ({ ...point, qps: rates?.get(point.ef) ?? point.qps }));
    return qpsAt(recall, timed);
  }

  /** The median over rounds. */
  at(recall: number): number | null {
    return qpsAt(recall, this.medians());
  }

  /** Each effort with the median of its rates; the first pass where no other was made. */
  medians(): Point[] {
    return this.points.map((point) => {
      const rates = this.#rates.flatMap((round) => round.get(point.ef) ?? []);
      return rates.length > 0 ? { ...point, qps: median(rates) } : point;
    });
  }
}
