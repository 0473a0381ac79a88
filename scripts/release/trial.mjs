import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { npm } from '../command.mjs';
import { SetupFailure } from '../failure.mjs';
import { NODE } from '../paths.mjs';
import { freePort } from '../processes/free-port.mjs';

/** Time for the first answer of a server, on a slow machine too. */
const ANSWER_MS = 120_000;
/** Time for one request to it. */
export const REQUEST_MS = 10_000;

/** An empty folder of a user who has Node, and nothing else of ours: no cache, no settings, no models. */
export class EmptyPlace {
  /** Removed by `remove`. */
  folder = mkdtempSync(join(tmpdir(), 'pelorus-packages-'));
  #node;

  /** @param {string} node the program of Node that everything here runs on */
  constructor(node = NODE) {
    this.#node = node;
    mkdirSync(join(this.folder, 'project'));
  }

  get project() {
    return join(this.folder, 'project');
  }

  /** The variables of that user: none of the npm or the set-up that may have started us. */
  get env() {
    const ours = /^(npm_|pelorus_|node_|xdg_|marqo_|init_cwd$)/i;
    const others = Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)));
    const path = [dirname(this.#node), process.env.PATH].join(delimiter);
    const home = join(this.folder, 'home');
    return {
      ...others,
      PATH: path,
      Path: path,
      HOME: home,
      USERPROFILE: home,
      npm_config_cache: join(this.folder, 'cache'),
    };
  }

  /** Installs tarballs by npm without a network. @param {string[]} tarballs @throws SetupFailure */
  install(tarballs) {
    const [, args] = npm(['install', '--offline', '--no-audit', '--no-fund', '--loglevel=error', ...tarballs]);
    // The npm of the path runs on the Node of the path, as it does for that user.
    const [command, all] = args[0]?.endsWith('.js') ? [this.#node, args] : ['npm', args];
    const { status, stderr, error } = spawnSync(command, all, { cwd: this.project, env: this.env, encoding: 'utf8' });
    if (status !== 0) throw new SetupFailure(`npm could not install the packages: ${error?.message ?? stderr}`);
  }

  /** The installed command, as `npx pelorus` runs it. */
  get command() {
    return [this.#node, join(this.project, 'node_modules', 'pelorus', 'bin', 'pelorus.js')];
  }

  remove() {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/**
 * Installs packed packages in an empty place, starts the server there and asks it.
 *
 * @param {import('./tarballs.mjs').Tarball[]} tarballs
 * @returns {Promise<{ installMs: number, diskBytes: number, answerMs: number }>} `answerMs` from the start of the process
 */
export async function tryPackages(tarballs) {
  const place = new EmptyPlace();
  try {
    const begun = performance.now();
    place.install(tarballs.map(({ path }) => path));
    const installMs = performance.now() - begun;
    const models = join(place.project, 'node_modules', '@pelorus', 'model-all-minilm-l6-v2');
    const diskBytes = blocksBelow(join(place.project, 'node_modules')) - blocksBelow(models);
    return { installMs, diskBytes, answerMs: await firstAnswer(place) };
  } finally {
    place.remove();
  }
}

async function firstAnswer(place) {
  const port = await freePort();
  const [command, ...args] = place.command;
  const begun = performance.now();
  const data = join(place.folder, 'data');
  const server = spawn(command, [...args, 'serve', '--port', `${port}`, '--data', data, '--hub', 'none'], {
    env: place.env,
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  try {
    await firstSuccess(() => isWell(`http://127.0.0.1:${port}/health`), ended);
    return performance.now() - begun;
  } finally {
    server.kill('SIGKILL');
    await ended;
  }
}

const isWell = async (url) => (await fetch(url, { signal: AbortSignal.timeout(REQUEST_MS) })).ok;

/**
 * Asks again and again until the answer is one of success.
 *
 * @template Answer
 * @param {() => Promise<Answer>} ask a failure counts as no answer
 * @param {Promise<unknown>} ended resolves as the server ends
 * @param {{ limitMs?: number, pauseMs?: number }} [options]
 * @returns {Promise<Answer>} the first answer that is not false, null or undefined
 * @throws SetupFailure where the server ends, or answers otherwise for `limitMs`
 */
export async function firstSuccess(ask, ended, { limitMs = ANSWER_MS, pauseMs = 10 } = {}) {
  const begun = performance.now();
  const hasEnded = ended.then(() => true);
  for (;;) {
    const answer = await ask().catch(() => null);
    if (answer) return answer;
    if (await Promise.race([hasEnded, sleep(pauseMs, false)])) throw new SetupFailure('The installed server ended.');
    if (performance.now() - begun > limitMs) {
      throw new SetupFailure(`The installed server did not answer as it should within ${limitMs / 1000} s.`);
    }
  }
}

/** Bytes that a folder takes on the disk, whole blocks of it. */
function blocksBelow(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true }).reduce((sum, entry) => {
    const { size, blocks } = statSync(join(entry.parentPath, entry.name));
    return sum + (blocks > 0 ? blocks * 512 : size);
  }, 0);
}
