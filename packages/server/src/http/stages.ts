import type { engine } from '@pelorus/contract';

/** Stages of a search and of a write, whose times are told. */
export const SEARCH_STAGES = ['plan', 'embed', 'search'] as const;
export const WRITE_STAGES = ['prepare', 'embed', 'store'] as const;

/** A stage of a request. Times are on the clock of `performance.now()`. */
export interface Stage {
  readonly kind: 'search' | 'write';
  readonly name: (typeof SEARCH_STAGES)[number] | (typeof WRITE_STAGES)[number];
  readonly startMs: number;
  readonly endMs: number;
}

/** The inputs that a model is asked for. */
export interface AskedModel {
  readonly name: string;
  readonly inputs: number;
}

/** The times of a search, which may be one of several of a request. Those of stages that it did not reach are 0. */
export class SearchTimes {
  readonly index: string;
  readonly plan: engine.SearchPlan;
  readonly startedMs: number;
  readonly plannedMs = performance.now();
  /** The time at which the query had its vectors, of which it may need none. */
  embeddedMs = 0;
  /** The time at which the engine was asked: a search among several waits for its turn. */
  askedMs = 0;
  foundMs = 0;
  /** The model that was asked for vectors; null for none. */
  model: AskedModel | null = null;

  constructor(index: string, plan: engine.SearchPlan, startedMs: number) {
    this.index = index;
    this.plan = plan;
    this.startedMs = startedMs;
  }

  /** The stages that it went through. */
  stages(): Stage[] {
    const kind = 'search';
    const { startedMs, plannedMs, embeddedMs, askedMs, foundMs } = this;
    const stages: Stage[] = [{ kind, name: 'plan', startMs: startedMs, endMs: plannedMs }];
    if (embeddedMs > 0) stages.push({ kind, name: 'embed', startMs: plannedMs, endMs: embeddedMs });
    if (foundMs > 0) stages.push({ kind, name: 'search', startMs: askedMs, endMs: foundMs });
    return stages;
  }
}

/** The times of a write. */
export class WriteTimes {
  readonly index: string;
  readonly documents: number;
  readonly stages: Stage[] = [];
  /** As of {@link SearchTimes}. */
  model: AskedModel | null = null;

  constructor(index: string, documents: number) {
    this.index = index;
    this.documents = documents;
  }

  /** Runs `work` and notes how long it took, also when it fails. */
  async time<Result>(name: (typeof WRITE_STAGES)[number], work: () => Promise<Result>): Promise<Result> {
    const startMs = performance.now();
    try {
      return await work();
    } finally {
      this.stages.push({ kind: 'write', name, startMs, endMs: performance.now() });
    }
  }
}
