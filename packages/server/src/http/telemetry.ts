import type { engine } from '@pelorus/contract';
import type { CacheCounts } from '@pelorus/inference';
import { SearchTimes, WriteTimes } from './stages.js';

/** The measurements of one request. Those that nobody asks for are not taken. */
export class Telemetry {
  readonly isAsked: boolean;
  /** The times of its searches, once they are planned. */
  readonly searches: SearchTimes[] = [];
  /** The times of its write; null of any other request. */
  write: WriteTimes | null = null;
  readonly #timesMs = new Map<string, number[]>();
  readonly #counter = new Map<string, number>();

  constructor(isAsked: boolean) {
    this.isAsked = isAsked;
  }

  record(name: string, ms: number): void {
    if (!this.isAsked) return;
    const times = this.#timesMs.get(name);
    if (times === undefined) this.#timesMs.set(name, [ms]);
    else times.push(ms);
  }

  count(name: string, count: number): void {
    if (!this.isAsked) return;
    this.#counter.set(name, (this.#counter.get(name) ?? 0) + count);
  }

  /** Counts the finds in the cache of query vectors. */
  readonly countCached = ({ hits, misses }: CacheCounts): void => {
    this.count('query_cache.hits', hits);
    this.count('query_cache.misses', misses);
  };

  /** Notes that a search was planned, whose other times are noted by what this gives. */
  planned(index: string, plan: engine.SearchPlan, startedMs: number): SearchTimes {
    const times = new SearchTimes(index, plan, startedMs);
    this.searches.push(times);
    return times;
  }

  /** Notes that documents are written. */
  writes(index: string, documents: number): WriteTimes {
    this.write = new WriteTimes(index, documents);
    return this.write;
  }

  /** Runs `work` and records how long it took, under every one of `names`, also when it fails. */
  time<Result>(names: readonly string[], work: () => Promise<Result>): Promise<Result> {
    return this.isAsked ? this.#timed(names, work) : work();
  }

  async #timed<Result>(names: readonly string[], work: () => Promise<Result>): Promise<Result> {
    const start = performance.now();
    try {
      return await work();
    } finally {
      const ms = performance.now() - start;
      for (const name of names) this.record(name, ms);
    }
  }

  /** The `telemetry` member: of times a number where a part ran once, a list where it ran more often; nothing of what was not measured. */
  toJSON(): Record<string, unknown> {
    const timesMs = [...this.#timesMs].map(([name, times]) => [name, times.length === 1 ? times[0] : times]);
    return {
      ...(timesMs.length > 0 && { timesMs: Object.fromEntries(timesMs) }),
      ...(this.#counter.size > 0 && { counter: Object.fromEntries(this.#counter) }),
    };
  }

  /** The same times as a `Server-Timing` header; empty when nothing was measured. */
  toServerTiming(): string {
    return [...this.#timesMs]
      .map(([name, times]) => {
        const total = times.reduce((sum, ms) => sum + ms, 0);
        return `${name.replaceAll(/[^\w.-]+/g, '_').replaceAll(/^_|_$/g, '')};dur=${total.toFixed(3)}`;
      })
      .join(', ');
  }
}

/** Tells whether the query asks for telemetry: only the word `true`, in any case. */
export function wantsTelemetry(query: unknown): boolean {
  const value = (query as Record<string, unknown> | undefined)?.telemetry;
  return typeof value === 'string' && value.toLowerCase() === 'true';
}
