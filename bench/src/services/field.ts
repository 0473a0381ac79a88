import { turned } from '../vector/rounds.ts';
import type { Entrant } from './entrant.ts';

/** All services that take part. One of others that fails is named, and out from then on; ours ends the run. */
export class Field {
  readonly ours: Entrant;
  readonly #note: (line: string) => void;
  #peers: readonly Entrant[];

  constructor(ours: Entrant, peers: readonly Entrant[], note: (line: string) => void) {
    this.ours = ours;
    this.#peers = peers;
    this.#note = note;
  }

  get peers(): readonly Entrant[] {
    return this.#peers;
  }

  /** Measures each in its turn; in each round another begins. */
  async each<T>(measure: (entrant: Entrant) => Promise<T>, round = 0): Promise<Map<Entrant, T>> {
    const measured = new Map<Entrant, T>();
    for (const entrant of turned([this.ours, ...this.#peers], round)) {
      try {
        measured.set(entrant, await measure(entrant));
      } catch (error) {
        if (entrant === this.ours) throw error;
        this.#peers = this.#peers.filter((each) => each !== entrant);
        this.#note(`${entrant.service.title} FAILED: ${(error as Error).message}`);
      }
    }
    return measured;
  }
}
