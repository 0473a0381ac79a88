import { PelorusError } from '@pelorus/contract';

/** Held by the one index creation or deletion that runs; the next waits for it, though not for long. */
export class IndexChangeLock {
  readonly #waitMs: number;
  #last: Promise<unknown> = Promise.resolve();

  /** @param waitMs how long a call waits before it is refused */
  constructor(waitMs: number) {
    this.#waitMs = waitMs;
  }

  /** @throws PelorusError `operation_conflict_error` when the turn did not come in time; `work` then never runs. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    let state: 'waiting' | 'running' | 'refused' = 'waiting';
    const turn = this.#last.then(async () => {
      if (state === 'refused') return undefined;
      state = 'running';
      return await work();
    });
    this.#last = turn.catch(() => undefined);
    const refused = new Promise<never>((_, reject) => {
      const timer = setTimeout(() => {
        if (state !== 'waiting') return;
        state = 'refused';
        reject(
          new PelorusError('operation_conflict_error', 'Your indexes are being updated. Please try again shortly.'),
        );
      }, this.#waitMs);
      turn.finally(() => clearTimeout(timer)).catch(() => undefined);
    });
    return (await Promise.race([turn, refused])) as Result;
  }
}
