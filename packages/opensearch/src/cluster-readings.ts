import type { ShareableRanking, ShareableScan, SharedReadings, Wait } from '@pelorus/engine';
import { type ScannedIndex, sharedScan } from './scans.js';
import type { SharedRanking } from './search/cluster-ranked-search.js';
import type { ClusterSearches } from './search/cluster-searches.js';
import type { SharedRecords } from './shared-records.js';

/** Time between two sweeps of records that nobody forgot, in milliseconds. */
const SWEEP_MS = 10 * 60_000;

/** The scans and rankings of the servers of a cluster. */
export class ClusterReadings implements SharedReadings {
  readonly #records: SharedRecords;
  readonly #scanned: (name: string) => ScannedIndex;
  readonly #searches: ClusterSearches;
  #sweptAtMs = Number.NEGATIVE_INFINITY;

  constructor(records: SharedRecords, scanned: (name: string) => ScannedIndex, searches: ClusterSearches) {
    this.#records = records;
    this.#scanned = scanned;
    this.#searches = searches;
  }

  async keep(id: string, record: object, ageMs: number): Promise<void> {
    await this.#records.record(id).replace(record, undefined);
    if (performance.now() - this.#sweptAtMs < SWEEP_MS) return;
    this.#sweptAtMs = performance.now();
    // Those of servers that ended, and of clients that went away. The next sweep is an occasion too.
    this.#records.removeOlder(ageMs).catch(() => undefined);
  }

  async find(id: string): Promise<unknown> {
    return (await this.#records.record(id).read())?.value;
  }

  forget(id: string): Promise<void> {
    return this.#records.remove(id);
  }

  scan(name: string, shared: unknown): Promise<ShareableScan | undefined> {
    return sharedScan(this.#scanned(name), shared);
  }

  ranking(name: string, shared: unknown, wait?: Wait): Promise<ShareableRanking | undefined> {
    return this.#searches.sharedRanking(name, shared as SharedRanking, wait);
  }
}
