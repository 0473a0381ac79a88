import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProcess } from './start-process.js';

export { freePort } from '../../../../scripts/processes/free-port.mjs';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** The line that says it answers. */
const LISTENING = /listening on http/;

/** The port of that line, or of the log's. */
const PORT = /[Ll]istening (?:on|at) https?:\/\/\S+:(\d+)/;

interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  /** A command that runs the one put behind it. */
  readonly inside: readonly string[];
}

/** `pelorus serve` as its own process, the way it is shipped. */
export class ServerProcess {
  /** The key that calls carry, where the environment of the server gives one. */
  readonly #apiKey: string | undefined;
  readonly #child: ChildProcess;
  #output = '';

  /** A port that the system chooses while the server binds it is free; one found free before may be taken by then. */
  private constructor(args: string[], port: number | undefined, { env, inside }: Surroundings) {
    this.#apiKey = env.PELORUS_ADMIN_KEY;
    const [command = '', ...rest] = [...inside, process.execPath, MAIN, 'serve', '--port', String(port ?? 0), ...args];
    this.#child = startProcess(command, rest, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
      });
    }
  }

  /** Starts it and waits for the line that says it answers, or for another one. */
  static async start(
    args: string[],
    { port, env = {}, inside = [], until = LISTENING }: Partial<Surroundings> & { port?: number; until?: RegExp } = {},
  ) {
    const server = new ServerProcess(args, port, { env, inside });
    await server.waitFor(until);
    return server;
  }

  /** Starts it and waits for nothing: it may be ended before it answers. */
  static begin(args: string[], { port, env = {}, inside = [] }: Partial<Surroundings> & { port?: number } = {}) {
    return new ServerProcess(args, port, { env, inside });
  }

  /** Starts one that is expected to refuse: its exit code and all it said. */
  static async refuse(args: string[], { port, env = {} }: { port?: number; env?: NodeJS.ProcessEnv } = {}) {
    const server = new ServerProcess(args, port, { env, inside: [] });
    const code = await Promise.race([server.exited(), server.waitFor(LISTENING).then(() => 'it serves')]);
    if (code === 'it serves') await server.end('SIGKILL');
    return { code, output: server.output };
  }

  get address(): string {
    const port = PORT.exec(this.#output)?.[1];
    if (port === undefined) throw new Error(`the server has not told its port:\n${this.#output}`);
    return `http://127.0.0.1:${port}`;
  }

  get output(): string {
    return this.#output;
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  /** Resolves when the server prints a match; fails when it ends before. Only a hang meets the time limit. */
  async waitFor(pattern: RegExp, timeoutMs = 540_000): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (!pattern.test(this.#output)) {
      if (this.#child.exitCode !== null || this.#child.signalCode !== null) {
        throw new Error(`the server ended before it printed ${pattern}:\n${this.#output}`);
      }
      if (performance.now() > deadline) throw new Error(`no ${pattern} within ${timeoutMs} ms:\n${this.#output}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** Sends a signal and waits for the end: the exit code, or null when the signal ended it. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.signal(signal);
    return this.exited();
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async exited(): Promise<number | null> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, 'close');
    return this.#child.exitCode;
  }

  /** Calls the API and parses the answer, whatever its status; one that is no JSON is a text. */
  async call(
    method: string,
    path: string,
    body?: unknown,
    apiKey = this.#apiKey,
  ): Promise<{ status: number; body: any }> {
    const response = await fetch(`${this.address}${path}`, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(apiKey !== undefined && { 'x-api-key': apiKey }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return { status: response.status, body: await (isJson ? response.json() : response.text()) };
  }

  /** As `call`, for requests that must succeed. */
  async ok(method: string, path: string, body?: unknown): Promise<any> {
    const answer = await this.call(method, path, body);
    const { status, body: told } = answer;
    if (status >= 300)
      throw Object.assign(new Error(`${method} ${path}: ${status} ${JSON.stringify(told)}`), { status });
    return told;
  }
}

/** The environment of a server that has an admin key; calls of its {@link ServerProcess} carry it. */
export const withAdminKey = { PELORUS_ADMIN_KEY: 'the-admin-key-of-these-tests' };

/** An empty folder that the system sweeps away. */
export function emptyFolder(name: string): string {
  return mkdtempSync(join(tmpdir(), `pelorus-${name}-`));
}
