import type { engine, schemas } from '@pelorus/contract';
import type { StorageEngine, WrittenVector } from '../storage-engine.js';

type ComparedSearches = schemas.DualWriteReport['searches'];
type DifferentSearch = ComparedSearches['different'][number];

/** Hits of which searches are compared. */
const HITS = 10;
/** The time that a search has in the second engine. */
const SEARCH_MS = 10_000;
/** Searches with different hits that are kept, the newest ones. */
const DIFFERENT_MAX = 10;
/** Searches by which engines are told to be alike, and the mean of their overlaps. */
const [ALIKE_SEARCHES, ALIKE_OVERLAP] = [20, 0.99] as const;

interface Compared {
  searches: number;
  failures: number;
  lastFailure: string | null;
  overlaps: number;
  readonly different: DifferentSearch[];
}

/** Searches that both engines answered. */
export class SearchComparison {
  readonly #second: StorageEngine;
  readonly #indexes = new Map<string, Compared>();
  #isRunning = false;

  constructor(second: StorageEngine) {
    this.#second = second;
  }

  /** Tells whether a search may be compared: one at a time is. */
  get isFree(): boolean {
    return !this.#isRunning;
  }

  /**
   * Runs a search that the first engine has answered in the second one. It counts if `isSteady` is true before and
   * after, as nothing was written meanwhile.
   */
  async run(
    index: string,
    plan: engine.SearchPlan,
    vectors: Float32Array | WrittenVector,
    answer: Buffer,
    isSteady: () => boolean,
  ): Promise<void> {
    if (this.#isRunning || !isSteady()) return;
    this.#isRunning = true;
    try {
      const wait = { deadlineMs: performance.now() + SEARCH_MS, onEnd: () => {} };
      const other = await this.#second.search(index, plan, vectors, wait);
      if (isSteady()) this.#count(index, idsOf(answer), idsOf(other));
    } catch (error) {
      if (!isSteady()) return;
      const compared = this.#of(index);
      compared.failures += 1;
      compared.lastFailure = (error as Error).message;
    } finally {
      this.#isRunning = false;
    }
  }

  /** Forgets the searches of an index that is another one now. */
  forget(index: string): void {
    this.#indexes.delete(index);
  }

  of(index: string): ComparedSearches {
    const { searches, failures, lastFailure, overlaps, different } = this.#of(index);
    const overlapAt10 = searches === 0 ? null : overlaps / searches;
    return { count: searches, failures, lastFailure, overlapAt10, different: different.toReversed() };
  }

  /** Tells whether enough searches were answered alike. */
  isAlike(index: string): boolean {
    const { count, failures, overlapAt10 } = this.of(index);
    return count >= ALIKE_SEARCHES && failures === 0 && (overlapAt10 ?? 0) >= ALIKE_OVERLAP;
  }

  #of(index: string): Compared {
    const known = this.#indexes.get(index);
    if (known !== undefined) return known;
    const compared = { searches: 0, failures: 0, lastFailure: null, overlaps: 0, different: [] };
    this.#indexes.set(index, compared);
    return compared;
  }

  #count(index: string, first: readonly string[], second: readonly string[]): void {
    const compared = this.#of(index);
    const [firstIds, secondIds] = [new Set(first), new Set(second)];
    const common = first.filter((id) => secondIds.has(id)).length;
    const most = Math.max(first.length, second.length);
    const overlapAt10 = most === 0 ? 1 : common / most;
    compared.searches += 1;
    compared.overlaps += overlapAt10;
    if (overlapAt10 === 1) return;
    compared.different.push({
      at: new Date().toISOString(),
      overlapAt10,
      onlyFirst: first.filter((id) => !secondIds.has(id)),
      onlySecond: second.filter((id) => !firstIds.has(id)),
    });
    if (compared.different.length > DIFFERENT_MAX) compared.different.shift();
  }
}

function idsOf(answer: Buffer): string[] {
  const { hits } = JSON.parse(answer.toString()) as { hits: { _id: string }[] };
  return hits.slice(0, HITS).map(({ _id }) => _id);
}
