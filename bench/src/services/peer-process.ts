import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { unprivileged } from '../../../scripts/processes/nobody.mjs';

export { freePort } from '../../../scripts/processes/free-port.mjs';

/** The longest start, and the longest end before a process is killed. */
const START_MS = 240_000;
const STOP_MS = 60_000;
const POLL_MS = 20;
/** Characters of a log that a failure shows. */
const LOG_SHOWN = 1500;
export interface Program {
  command: string;
  args: readonly string[];
  cwd: string;
  log: string;
  env?: Record<string, string>;
  /** Refuses to run as root. */
  refusesRoot?: boolean;
}

/** Servers that run: one that is left behind would serve on. */
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/** A server of others, as a process of its own. */
export class PeerProcess {
  readonly #child: ChildProcess;
  readonly #log: string;

  private constructor(child: ChildProcess, log: string) {
    this.#child = child;
    this.#log = log;
  }

  /** Starts a program and waits until `isReady` says so, asked again as long as it fails. */
  static async start({ command, args, cwd, log, env, refusesRoot }: Program, isReady: () => Promise<boolean>) {
    const out = openSync(log, 'a');
    const child = spawn(command, args, {
      ...{ cwd, stdio: ['ignore', out, out] },
      env: { ...process.env, ...env },
      ...(refusesRoot && unprivileged()),
    });
    child.on('error', () => {}); // one that could not be started has no pid, which is told below
    closeSync(out);
    running.add(child);
    child.once('exit', () => running.delete(child));
    const peer = new PeerProcess(child, log);
    try {
      await peer.#until(isReady);
    } catch (error) {
      await peer.stop();
      throw error;
    }
    return peer;
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  async stop(): Promise<void> {
    if (this.#hasEnded) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), STOP_MS);
    await ended;
    clearTimeout(timer);
  }

  get #hasEnded(): boolean {
    const { pid, exitCode, signalCode } = this.#child;
    return pid === undefined || exitCode !== null || signalCode !== null;
  }

  async #until(isReady: () => Promise<boolean>): Promise<void> {
    const deadline = performance.now() + START_MS;
    while (!(await isReady().catch(() => false))) {
      if (this.#hasEnded) throw new Error(`it ended before it answered: ${this.#lastWords()}`);
      if (performance.now() > deadline) throw new Error(`it does not answer: ${this.#lastWords()}`);
      await sleep(POLL_MS);
    }
  }

  #lastWords(): string {
    return readFileSync(this.#log, 'utf8').slice(-LOG_SHOWN);
  }
}
