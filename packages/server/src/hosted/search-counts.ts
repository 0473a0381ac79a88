/** Counts of searches of hosted indexes since the start, by their endpoints and by the pages of shops. */
export class SearchCounts {
  readonly #counts = new Map<string, number>();

  note(id: string): void {
    this.#counts.set(id, this.of(id) + 1);
  }

  of(id: string): number {
    return this.#counts.get(id) ?? 0;
  }
}
