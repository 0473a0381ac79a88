import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from '../paths.ts';
import type { Probed } from './probe.ts';

/** The command. */
export const MAIN = join(ROOT, 'packages', 'cli', 'dist', 'main.js');
const PROBE = new URL('./probe.ts', import.meta.url).href;
/** Share of a core below which the server counts as idle, */
const IDLE = 0.05;
/** for so long that a pause between two pieces of work does not. */
const IDLE_MS = 500;
const POLL_MS = 100;

/** The packaged server, as a process of its own. */
export class ServerProcess {
  readonly address: string;
  /** The key that its calls take; undefined where they take none. */
  readonly apiKey: string | undefined;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, address: string, apiKey: string | undefined) {
    this.#child = child;
    this.address = address;
    this.apiKey = apiKey;
  }

  /** Starts it on a free port over `dataDirectory`; resolves once it listens. */
  static start(dataDirectory: string, ...flags: string[]): Promise<ServerProcess> {
    return ServerProcess.#start(dataDirectory, flags, undefined);
  }

  /** As `start`, with an admin key that every call takes. */
  static startWithKey(dataDirectory: string, ...flags: string[]): Promise<ServerProcess> {
    return ServerProcess.#start(dataDirectory, flags, randomUUID());
  }

  static async #start(dataDirectory: string, flags: string[], apiKey: string | undefined): Promise<ServerProcess> {
    if (!existsSync(MAIN)) throw new Error('the packages are not built: run `npm run setup` first');
    const args = ['--import', PROBE, MAIN, 'serve', '--port', '0', '--data', dataDirectory, '--log-level', 'warn'];
    const env = { ...process.env, ...(apiKey !== undefined && { PELORUS_ADMIN_KEY: apiKey }) };
    const child = spawn(process.execPath, [...args, ...flags], { env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
    if (child.stdout === null) throw new Error('the server was started without a pipe');
    const lines = createInterface({ input: child.stdout });
    const address = new Promise<string>((resolve) => {
      lines.on('line', (line) => {
        const found = /listening on (http:\S+)/.exec(line);
        if (found?.[1]) resolve(found[1]);
      });
    });
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`the server ended with ${code} before it listened`);
    });
    return new ServerProcess(child, await Promise.race([address, ended]), apiKey);
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  /** Begins a new measurement of the event loop, which ends with the next `read`. */
  reset(): void {
    this.#child.send('reset');
  }

  async read(): Promise<Probed> {
    const answer = once(this.#child, 'message');
    this.#child.send('read');
    return (await answer)[0] as Probed;
  }

  /** Waits until the server has caught up with what was written; seconds until its work ended. */
  async untilIdle(): Promise<number> {
    const started = performance.now();
    let [busyAt, looked] = [started, await this.read()];
    for (;;) {
      const lookedAt = performance.now();
      if (lookedAt - busyAt >= IDLE_MS) return (busyAt - started) / 1000;
      await sleep(POLL_MS);
      const now = await this.read();
      const seconds = (performance.now() - lookedAt) / 1000;
      if (now.cpuSeconds - looked.cpuSeconds >= IDLE * seconds) busyAt = performance.now();
      looked = now;
    }
  }

  /** Sends a request and gives the parsed answer; fails unless it is a success. */
  async call<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`${this.address}${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(this.apiKey !== undefined && { 'x-api-key': this.apiKey }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return JSON.parse(text) as T;
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }
}
