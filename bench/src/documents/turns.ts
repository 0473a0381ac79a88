import { median } from '../quantile.ts';
import { type Better, compare, type Row, type Target } from '../row.ts';
import { medianRatio, turned } from '../vector/rounds.ts';
import type { Database } from './database.ts';

/** The measurements of each database, round by round. */
export type Measured<T> = Map<Database, T[]>;

/** Databases that take turns. A peer that fails is named and out from then on; ours ends the run. */
export class Turns {
  readonly #ours: Database;
  readonly #note: (line: string) => void;
  #databases: Database[];

  constructor(ours: Database, peers: readonly Database[], note: (line: string) => void) {
    this.#ours = ours;
    this.#databases = [ours, ...peers];
    this.#note = note;
  }

  async take<T>(rounds: number, measure: (database: Database, round: number) => Promise<T>): Promise<Measured<T>> {
    const measured: Measured<T> = new Map(this.#databases.map((database) => [database, []]));
    for (let round = 0; round < rounds; round += 1) {
      for (const database of turned(this.#databases, round)) {
        try {
          measured.get(database)?.push(await measure(database, round));
        } catch (error) {
          if (database === this.#ours) throw error;
          this.#databases = this.#databases.filter((each) => each !== database);
          measured.delete(database);
          this.#note(`${database.title} FAILED: ${(error as Error).message}`);
        }
      }
    }
    return measured;
  }

  /** The median of ours. */
  ours(measured: Measured<number>): number {
    return median(measured.get(this.#ours) ?? []);
  }

  /** A row beside each peer that has not failed up to now; one without a peer where there is none. */
  rows(metric: string, better: Better, measured: Measured<number>, recall: number | null = null): Row[] {
    const ours = measured.get(this.#ours) ?? [];
    const peers = this.#databases.filter((database) => database !== this.#ours && measured.has(database));
    if (peers.length === 0) return [compare(metric, better, median(ours), null, null, recall)];
    return peers.map((peer) => {
      const theirs = measured.get(peer) ?? [];
      const ratio = better === 'higher' ? medianRatio(ours, theirs) : medianRatio(theirs, ours);
      return { ...compare(metric, better, median(ours), peer.title, median(theirs), recall), ratio };
    });
  }
}

/** One figure of what was measured in each round. */
export function pick<T>(measured: Measured<T>, figure: (each: T) => number): Measured<number> {
  return new Map([...measured].map(([database, rounds]) => [database, rounds.map(figure)]));
}

/** The same rows, with a target at the one whose peer came nearest: the best of them is to be beaten. */
export function aimAtBest(rows: readonly Row[], target: Target): Row[] {
  const least = Math.min(...rows.map(({ ratio }) => ratio ?? Number.POSITIVE_INFINITY));
  return rows.map((row) => (row.ratio === least ? { ...row, target } : row));
}
