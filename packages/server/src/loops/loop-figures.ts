import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import type { Problems } from '../host/health.js';
import type { Answered, Counters } from '../http/counters.js';

/** The work of an event loop. */
export interface LoopFigure extends Answered {
  /** The share of its time for which it was at work since the last call, 0 to 100. */
  readonly busyPercent: number;
}

/** The work of an event loop since the server started. */
export interface LoopTotal extends Answered {
  readonly busySeconds: number;
}

/** The event loops of a server, as far as an operator is told of them. */
export interface LoopFigures {
  /** Faults of loops at this moment. */
  problems(): Problems;
  /** The work of each loop; first that of the first. */
  figures(): LoopFigure[];
  /** The same since the start: a look at them changes nothing that others are told. */
  totals(): LoopTotal[];
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

  /** Since the start of the loop. */
  seconds(): number {
    return this.#measure().active / 1000;
  }
}

/** A server with one event loop, which tells nothing once it hangs. */
export class OneLoop implements LoopFigures {
  readonly #counters: Counters;
  readonly #busy = new BusyTime();

  constructor(counters: Counters) {
    this.#counters = counters;
  }

  problems(): Problems {
    return [];
  }

  figures(): LoopFigure[] {
    return figuresOf(this.#counters, [this.#busy]);
  }

  totals(): LoopTotal[] {
    return totalsOf(this.#counters, [this.#busy]);
  }
}

/** The work of each loop, by what all of them count and the time of each. */
export function figuresOf(counters: Counters, busy: readonly BusyTime[]): LoopFigure[] {
  return counters.allAnswered().map((answered, at) => ({ ...answered, busyPercent: busy[at]?.percent() ?? 0 }));
}

/** The same since the start. */
export function totalsOf(counters: Counters, busy: readonly BusyTime[]): LoopTotal[] {
  return counters.allAnswered().map((answered, at) => ({ ...answered, busySeconds: busy[at]?.seconds() ?? 0 }));
}
