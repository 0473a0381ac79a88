import type { RankedSearch, ShareableRanking } from '@pelorus/engine';

/** All that other servers need to go on with a search. */
export interface SharedPages {
  readonly ranking: object;
  readonly query: string;
  readonly limit: number;
  readonly area: string;
}

/** A search that is read page by page, and what its answers repeat. */
export class RankedPages {
  readonly ranked: RankedSearch | ShareableRanking;
  /** The query as it came, JSON. */
  readonly query: Buffer;
  /** Hits of the first page. */
  readonly limit: number;
  /** The name under which its times are recorded. */
  readonly area: string;

  constructor(ranked: RankedSearch | ShareableRanking, query: Buffer, limit: number, area: string) {
    this.ranked = ranked;
    // A part of the body would keep all of it.
    this.query = Buffer.from(query);
    this.limit = limit;
    this.area = area;
  }

  get memoryBytes(): number {
    return this.ranked.memoryBytes + this.query.length;
  }

  /** As of a `ShareableReading`; undefined where no other server can go on. */
  get share(): (() => SharedPages) | undefined {
    const { ranked, query, limit, area } = this;
    if (!('share' in ranked)) return undefined;
    return () => ({ ranking: ranked.share(), query: query.toString(), limit, area });
  }

  close(): void {
    this.ranked.close();
  }

  /** Ends it for all servers. */
  end(): void {
    if ('end' in this.ranked) this.ranked.end();
    else this.close();
  }
}
