import type { RankedSearch } from '@pelorus/engine';

/** A search that is read page by page, and what its answers repeat. */
export class RankedPages {
  readonly ranked: RankedSearch;
  /** The query as it came, JSON. */
  readonly query: Buffer;
  /** Hits of the first page. */
  readonly limit: number;
  /** The name under which its times are recorded. */
  readonly area: string;

  constructor(ranked: RankedSearch, query: Buffer, limit: number, area: string) {
    this.ranked = ranked;
    // A part of the body would keep all of it.
    this.query = Buffer.from(query);
    this.limit = limit;
    this.area = area;
  }

  get memoryBytes(): number {
    return this.ranked.memoryBytes + this.query.length;
  }

  close(): void {
    this.ranked.close();
  }
}
