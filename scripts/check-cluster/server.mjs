import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SetupFailure } from '../failure.mjs';
import { fromRoot, NODE } from '../paths.mjs';
import { freePort } from '../processes/free-port.mjs';

const START_MS = 240_000;
const OUTPUT_SHOWN = 2_000;

/** `pelorus serve` over a cluster, which is killed and started again at the same address. */
export class Server {
  #flags;
  #folder = mkdtempSync(join(tmpdir(), 'pelorus-check-cluster-'));
  #child;
  #output = '';
  /** Tells whether it was not killed, and answers. */
  isUp = false;
  address;

  constructor(port, nodes) {
    this.address = `http://127.0.0.1:${port}`;
    this.#flags = ['--port', port, '--data', this.#folder, '--engine', 'opensearch', '--opensearch', nodes].map(String);
  }

  /** @param {string} nodes addresses, separated by commas */
  static async start(nodes) {
    const server = new Server(await freePort(), nodes);
    await server.startAgain();
    return server;
  }

  /** Starts it. Tries again where the cluster cannot be used for now, as whoever supervises it does. */
  async startAgain() {
    const deadline = performance.now() + START_MS;
    for (;;) {
      this.#output = '';
      const env = { ...process.env, MARQO_ENABLE_OPS_API: 'true', PELORUS_HTTP_THREADS: '1' };
      const main = fromRoot('packages', 'cli', 'dist', 'main.js');
      const child = spawn(NODE, [main, 'serve', ...this.#flags], { env, stdio: ['ignore', 'pipe', 'pipe'] });
      this.#child = child;
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text) => {
          this.#output = (this.#output + text).slice(-100_000);
        });
      while (child.exitCode === null && !(await this.#answers())) await sleep(20);
      if (child.exitCode === null) break;
      if (child.exitCode !== 9 || performance.now() > deadline)
        throw new SetupFailure(`The server ended with ${child.exitCode}:\n${this.#output.slice(-OUTPUT_SHOWN)}`);
    }
    this.isUp = true;
  }

  async kill() {
    this.isUp = false;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }

  /** Tells whether it ended by itself. */
  get hasFailed() {
    return this.isUp && (this.#child.exitCode !== null || this.#child.signalCode !== null);
  }

  get output() {
    return this.#output.slice(-OUTPUT_SHOWN);
  }

  async end() {
    this.isUp = false;
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const ended = once(this.#child, 'exit');
      this.#child.kill('SIGTERM');
      await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #answers() {
    try {
      return (await fetch(`${this.address}/`)).ok;
    } catch {
      return false;
    }
  }
}
