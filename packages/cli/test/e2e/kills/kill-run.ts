import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Random } from '../../../src/demo/random.js';
import { ServerProcess } from '../server-process.js';
import { descriptorsOf, leftovers } from './data-folder.js';
import type { Ledger, Reader } from './ledger.js';

/** Writes acknowledged before an end, at most: enough to be amid commits, flushes and savings. */
const WRITES_MAX = 120;
/** The last moments before an end, which are timed, so that it meets any part of a commit. */
const MOMENT_MS = 20;
/** The longest time from a signal to the kill, where no drain was measured yet. */
const DRAIN_MS = 200;
/** Cycles between two lines that tell of them. */
const TOLD = 20;
/** Starts that are killed in a row, at most. */
const STARTS_MAX = 3;

/** A server, its clients, and its data directory. */
export interface Plan {
  readonly data: string;
  readonly random: Random;
  /** Flags and environment of the next start. */
  flags(): string[];
  readonly env: NodeJS.ProcessEnv;
  /** Each with the number of its writers. */
  readonly ledgers: readonly (readonly [Ledger, number])[];
  readonly readers: readonly Reader[];
  /** Waits, after a start, until all of it can be called. */
  ready(server: ServerProcess): Promise<void>;
  /** The number of indexes that the process has open; null where other processes have them. */
  indexes(): number | null;
}

/** Descriptors of a process that serves no index, and of each index, at most. */
const DESCRIPTORS = { process: 60, index: 24 };

type End = 'killed' | 'killed while it ended' | 'ended';

/** A server that is killed again and again amid the work of its clients, and must have lost nothing each time. */
export class KillRun {
  readonly #plan: Plan;
  #server: ServerProcess;
  #startMs: number;
  #drainMs = DRAIN_MS;
  readonly #ends = new Map<string, number>();

  private constructor(plan: Plan, server: ServerProcess, startMs: number) {
    this.#plan = plan;
    this.#server = server;
    this.#startMs = startMs;
  }

  /** Runs so many cycles. The data directory stays where one fails. */
  static async run(cycles: number, plan: Plan, prepare: (server: ServerProcess) => Promise<void>): Promise<void> {
    const begunMs = performance.now();
    let cycle = 0;
    try {
      const server = await ServerProcess.start([...plan.flags(), '--data', plan.data], { env: plan.env });
      const run = new KillRun(plan, server, performance.now() - begunMs);
      await prepare(server);
      for (cycle = 1; cycle <= cycles; cycle++) {
        await run.#cycle();
        if (cycle % TOLD === 0) console.log(`${cycle} cycles: ${run.#counts()}`);
      }
      await run.#server.end();
      console.log(run.summary());
    } catch (error) {
      console.log(`failed in cycle ${cycle}; the data directory is kept: ${plan.data}`);
      throw error;
    }
    rmSync(plan.data, { recursive: true, force: true });
  }

  /** How often it ended in which way, and what was acknowledged before. */
  summary(): string {
    const writes = this.#plan.ledgers.map(([{ name, acknowledged }]) => `${acknowledged} of ${name}`);
    const reads = this.#plan.readers.map(({ name, answers }) => `${answers} of ${name}`);
    return `${this.#counts()}\nwrites acknowledged: ${writes.join(', ')}\nreads compared: ${reads.join(', ')}`;
  }

  #counts(): string {
    return [...this.#ends].map(([end, count]) => `${count} ${end}`).join(', ');
  }

  async #cycle(): Promise<void> {
    const { random } = this.#plan;
    const kind = random.next();
    await this.#workUntil(kind < 0.75 ? 'killed' : kind < 0.92 ? 'killed while it ended' : 'ended');
    const startsKilled = random.chance(0.3) ? random.int(1, STARTS_MAX) : 0;
    for (let start = 0; start < startsKilled; start++) await this.#killStart();
    const begunMs = performance.now();
    this.#server = await ServerProcess.start(this.#flags(), { env: this.#plan.env });
    this.#startMs = performance.now() - begunMs;
    await this.#verify();
  }

  #flags(): string[] {
    return [...this.#plan.flags(), '--data', this.#plan.data];
  }

  /** Lets all clients work, and ends the server in the middle of it. */
  async #workUntil(end: End): Promise<void> {
    const { random, ledgers, readers } = this.#plan;
    const server = this.#server;
    let missing = random.int(1, WRITES_MAX);
    let reached: () => void = () => undefined;
    const enough = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const write = async (ledger: Ledger): Promise<void> => {
      while (await ledger.write(server)) {
        missing -= 1;
        if (missing === 0) reached();
      }
    };
    const read = async (reader: Reader): Promise<void> => {
      while (await reader.read(server)) await sleep(1);
    };
    const writers = ledgers.flatMap(([ledger, count]) => Array.from({ length: count }, () => write(ledger)));
    const all = Promise.all([...writers, ...readers.map(read)]);
    await Promise.race([enough, all]);
    await sleep(random.int(0, MOMENT_MS));
    await this.#end(end);
    await all;
  }

  async #end(end: End): Promise<void> {
    const server = this.#server;
    if (end === 'killed') expect(await server.end('SIGKILL'), 'the server ended by itself').toBeNull();
    if (end === 'killed while it ended') {
      server.signal('SIGTERM');
      await sleep(this.#plan.random.int(0, Math.ceil(this.#drainMs)));
      // It may have been faster.
      expect([null, 0]).toContain(await server.end('SIGKILL'));
    }
    if (end === 'ended') {
      const begunMs = performance.now();
      expect(await server.end('SIGTERM'), server.output).toBe(0);
      this.#drainMs = performance.now() - begunMs;
    }
    this.#count(end);
  }

  /** Kills a server while it starts, at any moment of that. */
  async #killStart(): Promise<void> {
    const server = ServerProcess.begin(this.#flags(), { env: this.#plan.env });
    await sleep(this.#plan.random.int(0, Math.ceil(this.#startMs)));
    expect(await server.end('SIGKILL'), server.output).toBeNull();
    this.#count('killed while it started');
  }

  async #verify(): Promise<void> {
    const { ledgers, readers, data } = this.#plan;
    const server = this.#server;
    await this.#plan.ready(server);
    for (const [ledger] of ledgers) await ledger.verify(server);
    for (const reader of readers) await reader.resume?.(server);
    expect((await server.call('GET', '/health')).body.status, 'health').toBe('green');
    await expect.poll(() => leftovers(data), { timeout: 60_000, message: 'leftovers' }).toEqual([]);
    const indexes = this.#plan.indexes();
    if (process.platform !== 'linux' || indexes === null) return;
    const open = descriptorsOf(server.pid);
    expect(open.length, open.join('\n')).toBeLessThanOrEqual(DESCRIPTORS.process + indexes * DESCRIPTORS.index);
  }

  #count(end: string): void {
    this.#ends.set(end, (this.#ends.get(end) ?? 0) + 1);
  }
}
