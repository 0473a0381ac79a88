import { PelorusError } from '@pelorus/contract';
import type { LearnedNote } from '../settings-versions.js';
import type { Shop } from '../shop.js';

/** The days to learn from, and whether a proposal becomes the settings of the shop. */
export interface LearningOrder {
  /** Today and the days before it. */
  readonly days: number;
  readonly apply: boolean;
}

export interface LearningResult {
  readonly outcome: 'unchanged' | 'proposed' | 'applied';
  /** Why nothing is proposed, or a proposal was not applied. */
  readonly reason: string | null;
  /** Queries with choices of enough shoppers. */
  readonly queries: number;
  /** Null where no other weights were better on the training half. */
  readonly comparison: LearnedNote | null;
  /** The version of the settings that was made of it. */
  readonly appliedVersion: number | null;
}

type Told = { readonly [Name in keyof LearningResult]: LearningResult[Name] | null };

/** The learning of a shop that was last begun. */
export interface LearningState extends Told {
  readonly state: 'none' | 'waiting' | 'running' | 'done' | 'failed' | 'cancelled';
  /** ISO 8601. */
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  /** Share of the work that is done. */
  readonly progress: number;
}

export type RunLearning = (
  shop: Shop,
  order: LearningOrder,
  run: { readonly signal: AbortSignal; readonly onProgress: (share: number) => void },
) => Promise<LearningResult>;

interface Job {
  state: LearningState;
  readonly abort: AbortController;
}

const NONE: LearningState = {
  ...{ state: 'none', startedAt: null, finishedAt: null, progress: 0 },
  ...{ outcome: null, reason: null, queries: null, comparison: null, appliedVersion: null },
};

/** The learning of all shops, one after the other. Outcomes are forgotten when the service ends. */
export class LearningJobs {
  readonly #run: RunLearning;
  readonly #now: () => number;
  /** Is told of each that ends. */
  readonly #onEnd: (shop: Shop, state: LearningState) => void;
  /** By id of the index. */
  readonly #jobs = new Map<string, Job>();
  #last: Promise<unknown> = Promise.resolve();

  /** @param now milliseconds since 1970 */
  constructor(run: RunLearning, now: () => number, onEnd: (shop: Shop, state: LearningState) => void) {
    this.#run = run;
    this.#now = now;
    this.#onEnd = onEnd;
  }

  of({ id }: Shop): LearningState {
    return this.#jobs.get(id)?.state ?? NONE;
  }

  /** @throws PelorusError `operation_conflict_error` while the shop learns already */
  start(shop: Shop, order: LearningOrder): LearningState {
    if (isUnderWay(this.of(shop))) {
      throw new PelorusError('operation_conflict_error', 'The shop is learning already. Wait for it, or cancel it.');
    }
    const job: Job = { state: { ...NONE, state: 'waiting', startedAt: this.#time() }, abort: new AbortController() };
    this.#jobs.set(shop.id, job);
    this.#last = this.#last.then(() => this.#work(shop, order, job));
    return job.state;
  }

  /** Ends work that waits or runs. */
  cancel(shop: Shop): LearningState {
    const job = this.#jobs.get(shop.id);
    if (job !== undefined && isUnderWay(job.state)) {
      job.state = { ...job.state, state: 'cancelled', finishedAt: this.#time() };
      job.abort.abort();
    }
    return this.of(shop);
  }

  /** Forgets shops that are gone, and ends what they learn. */
  keep(ids: ReadonlySet<string>): void {
    for (const [id, { abort }] of this.#jobs) {
      if (ids.has(id)) continue;
      abort.abort();
      this.#jobs.delete(id);
    }
  }

  async close(): Promise<void> {
    for (const { abort } of this.#jobs.values()) abort.abort();
    await this.#last;
  }

  async #work(shop: Shop, order: LearningOrder, job: Job): Promise<void> {
    const { signal } = job.abort;
    if (signal.aborted) return;
    job.state = { ...job.state, state: 'running' };
    const onProgress = (progress: number) => {
      if (!signal.aborted) job.state = { ...job.state, progress };
    };
    const ended = await this.#run(shop, order, { signal, onProgress }).then(
      (result) => ({ ...result, state: 'done' as const, progress: 1 }),
      (error: Error) => ({ state: 'failed' as const, reason: error.message }),
    );
    // Whoever cancelled it has seen how it ends; but what was applied before is told.
    if (signal.aborted && !('appliedVersion' in ended && ended.appliedVersion !== null)) return;
    job.state = { ...job.state, ...ended, finishedAt: this.#time() };
    this.#onEnd(shop, job.state);
  }

  #time(): string {
    return new Date(this.#now()).toISOString();
  }
}

function isUnderWay({ state }: LearningState): boolean {
  return state === 'waiting' || state === 'running';
}
