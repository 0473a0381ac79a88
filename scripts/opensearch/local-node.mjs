import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { SetupFailure } from '../failure.mjs';
import { NODE } from '../paths.mjs';
import { freePort } from '../processes/free-port.mjs';
import { unprivileged } from '../processes/nobody.mjs';
import { missing, requireJava } from './install.mjs';
import { nodeProgram } from './node-program.mjs';

const WATCHDOG = fileURLToPath(new URL('../processes/watchdog.mjs', import.meta.url));
/** The longest start, and the longest end before it is killed. */
const START_MS = 240_000;
const STOP_MS = 20_000;
const POLL_MS = 50;
/** Characters of its log that a failure shows. */
const LOG_SHOWN = 1500;
const HEAP = '512m';
/** Compiled code that is slower, and ready seconds earlier. */
const QUICK_START = ['-XX:TieredStopAtLevel=1'];

/** An installed OpenSearch that runs as a node, and ends with this process at the latest. */
export class LocalNode {
  #program;
  #child;
  #watchdog;
  #folder;

  /** @type {string} its address, which asks for no credentials */
  address;

  constructor(program, folder, address) {
    this.#program = program;
    this.#folder = folder;
    this.address = address;
    this.#watchdog = spawn(NODE, [WATCHDOG], { stdio: ['pipe', 'ignore', 'inherit'], detached: true });
    this.#spawn();
  }

  /**
   * Starts a cluster of one node.
   *
   * @throws SetupFailure where it cannot run here, or does not answer
   */
  static async start() {
    const node = LocalNode.begin({ port: await freePort(), transportPort: await freePort() });
    try {
      await node.untilReady();
    } catch (error) {
      await node.stop();
      throw error;
    }
    return node;
  }

  /**
   * Begins to start a node; `cluster` as in {@link nodeProgram}.
   *
   * @param {{ port: number, transportPort: number, cluster?: readonly string[] }} node
   * @throws SetupFailure where none can run here
   */
  static begin({ port, transportPort, cluster }) {
    const why = missing();
    if (why !== null) throw new SetupFailure(`${why}.`);
    const folder = mkdtempSync(join(tmpdir(), 'pelorus-opensearch-'));
    const program = nodeProgram({
      ...{ folder, java: requireJava(), port, transportPort, heap: HEAP, cluster },
      javaOptions: QUICK_START,
    });
    return new LocalNode(program, folder, `http://127.0.0.1:${port}`);
  }

  /** Sends it a signal such as `SIGSTOP`. */
  signal(name) {
    this.#child.kill(name);
  }

  /** Ends it at once, as a crash does. Resolves once it is gone; what it has on disk stays. */
  async kill() {
    if (this.hasEnded) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
    this.#watchdog.stdin.write(`-${this.#child.pid}\n`);
  }

  /** Begins to start it anew, with what it has on disk. */
  startAgain() {
    if (this.hasEnded) this.#spawn();
  }

  #spawn() {
    const { command, args, cwd, env } = this.#program;
    const log = openSync(join(this.#folder, 'log'), 'a');
    const options = { cwd, env: { ...process.env, ...env }, ...unprivileged() };
    this.#child = spawn(command, args, { ...options, stdio: ['ignore', log, log], detached: true });
    this.#child.on('error', () => {}); // one that could not be started has no id, which is told later
    if (this.#child.pid !== undefined) this.#watchdog.stdin.write(`+${this.#child.pid}\n`);
    closeSync(log);
  }

  /** Resolves once it is gone, with all that it kept. */
  async stop() {
    if (!this.hasEnded) {
      const ended = once(this.#child, 'exit');
      this.#child.kill('SIGTERM');
      await Promise.race([ended, sleep(STOP_MS, undefined, { ref: false })]);
    }
    // The watchdog kills what is left.
    const seen = once(this.#watchdog, 'exit');
    this.#watchdog.stdin.end();
    await seen;
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  get hasEnded() {
    const { pid, exitCode, signalCode } = this.#child;
    return pid === undefined || exitCode !== null || signalCode !== null;
  }

  /**
   * Resolves once it answers as part of a cluster.
   *
   * @throws SetupFailure where it ends before, or takes too long
   */
  async untilReady() {
    const deadline = performance.now() + START_MS;
    while (!(await isReady(this.address))) {
      const words = () => readFileSync(join(this.#folder, 'log'), 'utf8').slice(-LOG_SHOWN);
      if (this.hasEnded) throw new SetupFailure(`OpenSearch ended before it answered:\n${words()}`);
      if (performance.now() > deadline) throw new SetupFailure(`OpenSearch does not answer:\n${words()}`);
      await sleep(POLL_MS);
    }
  }
}

async function isReady(address) {
  try {
    const answer = await fetch(`${address}/_cluster/health`);
    return answer.ok && (await answer.json()).status !== 'red';
  } catch {
    return false;
  }
}
