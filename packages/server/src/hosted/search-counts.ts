import { type Counter, LocalCounter } from '../http/counters.js';

/** Counts of searches of hosted indexes since the start, by their endpoints and by the pages of shops. */
export class SearchCounts {
  readonly #counts = new Map<string, number>();
  readonly #all: Counter;

  /** @param all counts those of all indexes */
  constructor(all: Counter = new LocalCounter()) {
    this.#all = all;
  }

  note(id: string): void {
    this.#all.add(1);
    this.#counts.set(id, this.of(id) + 1);
  }

  of(id: string): number {
    return this.#counts.get(id) ?? 0;
  }
}
