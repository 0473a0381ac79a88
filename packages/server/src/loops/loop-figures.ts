import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import type { Problems } from '../host/health.js';

/** The event loops of a server, as far as an operator is told of them. */
export interface LoopFigures {
  /** Faults of loops at this moment. */
  problems(): Problems;
  /** The share of its time for which each loop was at work since the last call, 0 to 100; first that of the first. */
  busyPercents(): number[];
}

/** Measures the time that an event loop is at work. */
export class BusyTime {
  readonly #measure: () => EventLoopUtilization;
  #last: EventLoopUtilization;

  /** @param measure gives the times of the loop since its start; of the calling thread when absent */
  constructor(measure: () => EventLoopUtilization = () => performance.eventLoopUtilization()) {
    this.#measure = measure;
    this.#last = measure();
  }

  /** The share since the last call, 0 to 100. */
  percent(): number {
    const before = this.#last;
    this.#last = this.#measure();
    const active = this.#last.active - before.active;
    const all = active + this.#last.idle - before.idle;
    return all > 0 ? Math.min(100, Math.max(0, (active / all) * 100)) : 0;
  }
}

/** A server with one event loop, which tells nothing once it hangs. */
export class OneLoop implements LoopFigures {
  readonly #busy = new BusyTime();

  problems(): Problems {
    return [];
  }

  busyPercents(): number[] {
    return [this.#busy.percent()];
  }
}
