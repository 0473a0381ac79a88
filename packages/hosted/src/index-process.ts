import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { PelorusError } from '@pelorus/contract';
import { IndexConnections } from './index-connections.js';
import type { ProcessLimits } from './resources.js';

/** What starts the process of an index: it waits for its {@link ProcessOrder} and serves until its parent is gone. */
export interface ProcessCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** What the process of an index is told, as the first message; it answers with {@link PROCESS_READY}. */
export interface ProcessOrder {
  readonly name: string;
  /** Where it listens: a path of a socket, or the name of a pipe. */
  readonly socketPath: string;
  /** What it knows the grants of its gateway by. */
  readonly secret: string;
  readonly dataDir: string;
  readonly limits: ProcessLimits;
}

export const PROCESS_READY = 'ready';

/** Told of what happens to processes; `fields` go into the log beside the words. */
export type Report = (
  level: 'info' | 'warn' | 'error',
  fields: Readonly<Record<string, unknown>>,
  text: string,
) => void;

/** How long a call waits for a process that is starting. */
const WAIT_MS = 10_000;
/** How long a process may take to finish what is under way before it is killed. */
const STOP_MS = 15_000;
const BACK_OFF_FIRST_MS = 100;
const BACK_OFF_MAX_MS = 30_000;
/** A process that served for so long has proved itself: its next fault is its first. */
const PROVEN_MS = 60_000;
const MEMORY_CHECK_MS = 1_000;
/** Share of its memory above which a process is ended: its engine refuses documents from three quarters on. */
const MEMORY_SHARE_MAX = 1.25;
/** Of two processes the kernel rather ends one of an index than what stands before all of them. */
const OOM_SCORE = '500';

/** The process of one index: started, started again when it ends, and stopped. */
export class IndexProcess {
  readonly #command: ProcessCommand;
  readonly #order: ProcessOrder;
  readonly #report: Report;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #connections: IndexConnections | null = null;
  #waiting: ((connections: IndexConnections | null) => void)[] = [];
  #failures = 0;
  #child: ChildProcess | null = null;

  constructor(command: ProcessCommand, order: ProcessOrder, report: Report) {
    this.#command = command;
    this.#order = order;
    this.#report = report;
    this.#running = this.#run();
  }

  /** How often in a row it ended soon after its start. */
  get failures(): number {
    return this.#failures;
  }

  /** Whether it can be called now. */
  get isServing(): boolean {
    return this.#connections !== null;
  }

  /**
   * The connections to the process, once it serves.
   * @throws PelorusError `service_unavailable` when it does not within ten seconds
   */
  async connections(): Promise<IndexConnections> {
    if (this.#connections !== null) return this.#connections;
    const connections = this.#stopping.signal.aborted ? null : await this.#nextConnections();
    if (connections === null) throw unavailable(this.#order.name);
    return connections;
  }

  /** Ends the process, after what is under way; resolves when it is gone. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake(null);
    const child = this.#child;
    const kill = setTimeout(() => child?.kill('SIGKILL'), STOP_MS);
    child?.kill('SIGTERM');
    await this.#running;
    clearTimeout(kill);
  }

  #nextConnections(): Promise<IndexConnections | null> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#waiting = this.#waiting.filter((one) => one !== settle);
        resolve(null);
      }, WAIT_MS);
      const settle = (connections: IndexConnections | null) => {
        clearTimeout(timer);
        resolve(connections);
      };
      this.#waiting.push(settle);
    });
  }

  #wake(connections: IndexConnections | null): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const settle of waiting) settle(connections);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const startedMs = performance.now();
      const how = await this.#serveOnce();
      if (signal.aborted) return;
      this.#failures = performance.now() - startedMs > PROVEN_MS ? 1 : this.#failures + 1;
      this.#report(
        'error',
        { index: this.#order.name, failures: this.#failures },
        `The process of an index ended: ${how}`,
      );
      const wait = Math.min(BACK_OFF_FIRST_MS * 2 ** (this.#failures - 1), BACK_OFF_MAX_MS);
      await delay(wait, undefined, { signal }).catch(() => undefined);
    }
  }

  /** From the start of a process to its end, of which is told how it came. */
  async #serveOnce(): Promise<string> {
    const { file, args, env } = this.#command;
    const { socketPath } = this.#order;
    await rm(socketPath, { force: true });
    if (this.#stopping.signal.aborted) return 'it was stopped';
    const child = spawn(file, args, { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.#child = child;
    const ended = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('exit', (code, name) => resolve(name === null ? `exit code ${code}` : `signal ${name}`));
    });
    child.on('message', (message) => {
      if (message === PROCESS_READY) this.#serves();
    });
    child.send(this.#order, () => undefined);
    const watch = this.#watchMemory(child);
    const how = await ended;
    clearInterval(watch);
    this.#child = null;
    const connections = this.#connections;
    this.#connections = null;
    await connections?.destroy();
    return how;
  }

  #serves(): void {
    this.#connections = new IndexConnections(this.#order.socketPath, this.#order.secret);
    this.#wake(this.#connections);
  }

  #watchMemory({ pid }: ChildProcess): NodeJS.Timeout | undefined {
    if (process.platform !== 'linux' || pid === undefined) return undefined;
    void writeFile(`/proc/${pid}/oom_score_adj`, OOM_SCORE).catch(() => undefined);
    const bytesMax = this.#order.limits.memoryBytes * MEMORY_SHARE_MAX;
    return setInterval(async () => {
      const bytes = await anonymousBytes(pid);
      if (bytes <= bytesMax || this.#child?.pid !== pid) return;
      this.#report(
        'error',
        { index: this.#order.name, bytes, bytesMax },
        'The process of an index holds too much memory',
      );
      this.#child.kill('SIGKILL');
    }, MEMORY_CHECK_MS).unref();
  }
}

/** Memory of a process that is backed by no file, in bytes; 0 of one that is gone. */
async function anonymousBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

function unavailable(name: string): PelorusError {
  return new PelorusError('service_unavailable', `Index ${name} is starting or is being started again; try again`, {
    headers: { 'retry-after': '1' },
  });
}
