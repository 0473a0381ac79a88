import type { LineProcess } from '../line-process.ts';
import type { Build, Built, EngineCommand, OwnCommand, Search, Searched, Unsupported } from './engine.ts';
import type { Plan } from './plan.ts';
import { recall } from './recall.ts';

/** Searching that a rate is taken from: long enough for what others left in the caches to count little. */
const TIMED_SECONDS_MIN = 0.3;

/** A way of searching for all queries of a set. */
export type Way = Search | Extract<OwnCommand, { op: 'default' | 'ceiling' }>;

/** The result of a pass; the seconds are without the binding's overhead. */
export interface Pass {
  seconds: number;
  recall: number;
  qps: number;
}

/** An engine in a process of its own, with its index built. */
export class Engine {
  /** As the definitions call it. */
  readonly name: string;
  /** With its version, for readers. */
  readonly title: string;
  readonly built: Built;
  #process: LineProcess;
  #failure: string | null = null;

  private constructor(name: string, title: string, built: Built, process: LineProcess) {
    this.name = name;
    this.title = title;
    this.built = built;
    this.#process = process;
  }

  /** @param directory an empty folder for an engine that keeps files. */
  static async build(
    name: string,
    title: string,
    process: LineProcess,
    { m, efConstruction, buildThreads: threads }: Plan,
    directory?: string,
  ): Promise<Engine> {
    const command: Build = { op: 'build', m, efConstruction, threads, ...(directory !== undefined && { directory }) };
    const built = await process.ask<Built | Unsupported>(command);
    if ('unsupported' in built) throw new Error(built.why ?? 'it cannot build');
    return new Engine(name, title, built, process);
  }

  /** The failure that ended the engine before its time, if any did. */
  get failure(): string | null {
    return this.#failure;
  }

  /** The answer, or null when the engine cannot do this or has ended. */
  async ask<T extends object>(command: EngineCommand | OwnCommand): Promise<T | null> {
    if (this.#failure !== null) return null;
    try {
      const answer = await this.#process.ask<T | Unsupported>(command);
      return 'unsupported' in answer ? null : answer;
    } catch (error) {
      this.#failure = `${this.title} FAILED at ${JSON.stringify(command)}: ${(error as Error).message}`;
      return null;
    }
  }

  /** A pass with its recall and rate; null as for `ask`. */
  async pass(way: Way, truth: readonly Uint32Array[]): Promise<Pass | null> {
    const searched = await this.ask<Searched>(way);
    if (searched === null) return null;
    const { neighbors } = searched;
    const overheadSeconds = ((this.built.overheadUs ?? 0) * neighbors.length) / 1e6;
    // Where the overhead is nearly all there is, what is left of the difference would be noise.
    const seconds = Math.max(searched.seconds - overheadSeconds, searched.seconds / 10);
    return { seconds, recall: recall(neighbors, truth.slice(0, neighbors.length)), qps: neighbors.length / seconds };
  }

  /** As `pass`, over and over until the clock has run long enough to be believed. */
  async timedPass(way: Way, truth: readonly Uint32Array[]): Promise<Pass | null> {
    let [queries, seconds] = [0, 0];
    for (;;) {
      const pass = await this.pass(way, truth);
      if (pass === null) return null;
      queries += pass.qps * pass.seconds;
      seconds += pass.seconds;
      if (seconds >= TIMED_SECONDS_MIN) return { seconds, recall: pass.recall, qps: queries / seconds };
    }
  }

  /** Ends its process and goes on with another one. */
  async moveTo(process: LineProcess): Promise<void> {
    await this.#process.close();
    this.#process = process;
  }

  close(): Promise<void> {
    return this.#process.close();
  }
}
