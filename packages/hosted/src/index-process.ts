import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { PelorusError } from '@pelorus/contract';
import { BEAT_INTERVAL_MS, Beat, HEARTBEAT_FD } from './heartbeat.js';
import { IndexConnections } from './index-connections.js';
import { type IndexPieces, takeCopy } from './index-copies.js';
import { type ProcessLimits, processBytesMax } from './resources.js';

/**
 * The command that starts the process of an index: it beats from its start on ({@link HEARTBEAT_FD}), waits for its
 * {@link ProcessOrder} and serves until its parent is gone.
 */
export interface ProcessCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** The settings of an index process, sent as its first message; it answers with {@link ProcessReady}. */
export interface ProcessOrder {
  readonly name: string;
  /** The place where it listens: a path of a socket, or the name of a pipe. Those of further event loops begin with it. */
  readonly socketPath: string;
  /** The secret by which it knows the grants of its gateway. */
  readonly secret: string;
  readonly dataDir: string;
  /** Tells that the index was made before: where there is none then, it is lost. */
  readonly isMade: boolean;
  readonly limits: ProcessLimits;
}

/** Told by a process that serves. */
export interface ProcessReady {
  /** The place of each of its event loops. */
  readonly listensAt: readonly string[];
}

/** A fault that an index reports of itself. */
export interface OwnFault {
  readonly status: 'yellow' | 'red';
  /** Code of the error that calls to it fail with. */
  readonly code: string;
  readonly reason: string;
}

/**
 * A message of the process of an index: it serves; its index has a fault from now on, null for none; or its data cannot be
 * used, for this reason, before it ends. After a final one no other start would do better.
 */
export type ProcessMessage =
  | ProcessReady
  | { readonly ownFault: OwnFault | null }
  | { readonly unusable: string; readonly isFinal: boolean };

/** Told of what happens to processes; `fields` go into the log beside the words. */
export type Report = (
  level: 'info' | 'warn' | 'error',
  fields: Readonly<Record<string, unknown>>,
  text: string,
) => void;

/** Beats that a process may miss in a row before it counts as one that hangs, each seen while this process was awake. */
const MISSED_MAX = 8;
/** Time that its event loop may stand still; any computation is over long before. */
const LOOP_STILL_MAX_MS = 60_000;
/** Time that the first beat may take: a program has to be loaded first. */
const FIRST_BEAT_MAX_MS = 60_000;
/** So many ends within this time are told by health, also while the process serves. */
const ENDS_TOLD = 3;
const ENDS_TOLD_MS = 600_000;
/** Time that a call waits for a process that is starting. */
const WAIT_MS = 10_000;
/** Time that a process may take to finish work under way before it is killed. */
const STOP_MS = 15_000;
const BACK_OFF_FIRST_MS = 100;
const BACK_OFF_MAX_MS = 30_000;
/** A process that served for so long has proved itself: its next fault is its first. */
const PROVEN_MS = 60_000;
const MEMORY_CHECK_MS = 1_000;
/** Makes the kernel, when memory runs out, end the process of one index before the gateway of all. */
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
  #ownFault: OwnFault | null = null;
  #unusable: Extract<ProcessMessage, { unusable: string }> | null = null;
  /** The reason that it is being killed; null where it ends by itself. */
  #killedFor: string | null = null;
  #endCount = 0;
  /** The last ends, the newest last. */
  #ends: readonly { readonly how: string; readonly atMs: number }[] = [];

  /** @param after is awaited before the first start: there must never be two processes with one index */
  constructor(command: ProcessCommand, order: ProcessOrder, report: Report, after: Promise<void> = Promise.resolve()) {
    this.#command = command;
    this.#order = order;
    this.#report = report;
    this.#running = after.then(() => this.#run());
  }

  /** Resolves once it is not started again: it was stopped, or its data cannot be used for good. */
  get ended(): Promise<void> {
    return this.#running;
  }

  /** The number of times that it ended by itself or was killed. */
  get endCount(): number {
    return this.#endCount;
  }

  /** The number of times in a row that it ended soon after its start. */
  get failures(): number {
    return this.#failures;
  }

  /** The reason that the data of its index cannot be used; null where they can. */
  get unusable(): string | null {
    return this.#unusable?.unusable ?? null;
  }

  /** The fault that the index of a serving process reports of itself; null without one. */
  get ownFault(): OwnFault | null {
    return this.#ownFault;
  }

  /** Returns its fault, for people; null where there is none. */
  get trouble(): string | null {
    const [first, , last] = this.#ends;
    if (this.isServing) {
      const isFrequent = first !== undefined && last !== undefined && performance.now() - first.atMs < ENDS_TOLD_MS;
      return isFrequent ? `Its process ended ${ENDS_TOLD} times within ten minutes, last: ${last.how}` : null;
    }
    const how = this.#ends.at(-1)?.how;
    return how === undefined ? 'Its process is being started' : `Its process ended, and is being started again: ${how}`;
  }

  /** Tells whether the process can be called now. */
  get isServing(): boolean {
    return this.#connections !== null;
  }

  /** Takes a copy of its index. @throws PelorusError `service_unavailable` where it does not give one */
  copy(): Promise<IndexPieces> {
    const { name, socketPath, secret } = this.#order;
    return takeCopy(name, socketPath, secret);
  }

  /** The connections to the process while it serves; else null. */
  get serving(): IndexConnections | null {
    return this.#connections;
  }

  /**
   * The connections to the process, once it serves.
   * @throws PelorusError `service_unavailable` when it does not within ten seconds; `backend_data_parsing_error` while its data
   * cannot be used
   */
  async connections(): Promise<IndexConnections> {
    if (this.#connections !== null) return this.#connections;
    const isWaitedFor = !this.#stopping.signal.aborted && this.#unusable === null;
    const connections = isWaitedFor ? await this.#nextConnections() : null;
    if (connections !== null) return connections;
    throw this.#unusable === null ? unavailable(this.#order.name) : closed(this.#order.name);
  }

  /** Ends the process, after work under way; resolves when it is gone. */
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
      this.#endCount += 1;
      // A process that has proved itself ended for a reason of its own: the waits begin anew.
      this.#failures = performance.now() - startedMs > PROVEN_MS ? 1 : this.#failures + 1;
      this.#ends = [...this.#ends, { how, atMs: performance.now() }].slice(-ENDS_TOLD);
      this.#report(
        'error',
        { index: this.#order.name, failures: this.#failures },
        `The process of an index ended: ${how}`,
      );
      if (this.#unusable?.isFinal) return;
      const wait = Math.min(BACK_OFF_FIRST_MS * 2 ** (this.#failures - 1), BACK_OFF_MAX_MS);
      await delay(wait, undefined, { signal }).catch(() => undefined);
    }
  }

  /** From the start of a process to its end, of which is told how it came. */
  async #serveOnce(): Promise<string> {
    const { file, args, env } = this.#command;
    const { socketPath } = this.#order;
    // A killed process leaves its socket behind, and no other can listen at that path.
    await rm(socketPath, { force: true });
    if (this.#stopping.signal.aborted) return 'it was stopped';
    const child = spawn(file, args, { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc', 'pipe'] });
    this.#child = child;
    const ended = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('exit', (code, name) => resolve(name === null ? `exit code ${code}` : `signal ${name}`));
    });
    child.on('message', (message: ProcessMessage) => {
      if ('listensAt' in message) this.#serves(message);
      else if ('ownFault' in message) this.#ownFault = message.ownFault;
      else this.#cannotUse(message);
    });
    // The order holds a secret, which everybody could read among the arguments. A process that ends before it has it
    // tells so by its end.
    child.send(this.#order, () => undefined);
    const watches = [this.#watchMemory(child), this.#watchBeats(child)];
    const how = await ended;
    for (const watch of watches) clearInterval(watch);
    const killedFor = this.#killedFor;
    this.#killedFor = null;
    this.#child = null;
    this.#ownFault = null;
    const connections = this.#connections;
    this.#connections = null;
    // Calls under way would wait for answers that nobody gives.
    await connections?.destroy();
    const why = killedFor ?? this.unusable;
    return why === null ? how : `${why} (${how})`;
  }

  #kill(child: ChildProcess, why: string): void {
    if (this.#child !== child || this.#killedFor !== null) return;
    this.#killedFor = why;
    // A process that is stopped heeds no other signal.
    child.kill('SIGKILL');
  }

  #cannotUse(found: Extract<ProcessMessage, { unusable: string }>): void {
    this.#unusable = found;
    this.#wake(null);
  }

  #serves({ listensAt }: ProcessReady): void {
    this.#unusable = null;
    this.#connections = new IndexConnections(listensAt, this.#order.secret);
    this.#wake(this.#connections);
  }

  /** Ends a process that hangs: one that is merely busy beats on. */
  #watchBeats(child: ChildProcess): NodeJS.Timeout {
    const startedMs = performance.now();
    let turnedMs: number | undefined;
    let missed = 0;
    (child.stdio[HEARTBEAT_FD] as Readable | null)?.on('data', (beats: Buffer) => {
      missed = 0;
      if (turnedMs === undefined || beats.includes(Beat.TURNED)) turnedMs = performance.now();
    });
    // One that says that it serves lives, and beats.
    child.once('message', () => {
      turnedMs ??= performance.now();
    });
    return setInterval(() => {
      const nowMs = performance.now();
      if (turnedMs === undefined) {
        if (nowMs - startedMs > FIRST_BEAT_MAX_MS) this.#kill(child, 'it gave no sign of life after its start');
        return;
      }
      // Counted by turns of this timer: after a time in which this process slept itself there is one, whatever was missed.
      missed += 1;
      if (missed > MISSED_MAX) {
        this.#kill(child, `it gave no sign of life for ${(MISSED_MAX * BEAT_INTERVAL_MS) / 1000} seconds`);
      } else if (nowMs - turnedMs > LOOP_STILL_MAX_MS) {
        this.#kill(child, `its event loop stood still for ${LOOP_STILL_MAX_MS / 1000} seconds`);
      }
    }, BEAT_INTERVAL_MS).unref();
  }

  #watchMemory(child: ChildProcess): NodeJS.Timeout | undefined {
    const { pid } = child;
    if (process.platform !== 'linux' || pid === undefined) return undefined;
    // Where memory runs out, the system is to take the process of one index, not the one that all others hang on.
    void writeFile(`/proc/${pid}/oom_score_adj`, OOM_SCORE).catch(() => undefined);
    const bytesMax = processBytesMax(this.#order.limits);
    return setInterval(async () => {
      const bytes = await anonymousBytes(pid);
      if (bytes <= bytesMax || this.#child?.pid !== pid) return;
      this.#report(
        'error',
        { index: this.#order.name, bytes, bytesMax },
        'The process of an index holds too much memory',
      );
      this.#kill(child, `it held ${inMebibytes(bytes)} of memory, more than ${inMebibytes(bytesMax)}`);
    }, MEMORY_CHECK_MS).unref();
  }
}

function inMebibytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MiB`;
}

/** Memory of a process that is backed by no file, in bytes; 0 of one that is gone. */
async function anonymousBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

function closed(name: string): PelorusError {
  return new PelorusError(
    'backend_data_parsing_error',
    `The data of index ${name} cannot be used, so that it is closed; health and log say why`,
  );
}

function unavailable(name: string): PelorusError {
  return new PelorusError('service_unavailable', `Index ${name} is starting or is being started again; try again`, {
    headers: { 'retry-after': '1' },
  });
}
