import { readFileSync } from 'node:fs';
import { output } from './command.mjs';
import { SetupFailure } from './failure.mjs';
import { fromRoot, NODE_PACKAGE } from './paths.mjs';

/** The oldest Node that the set-up scripts run on, or all of it where the repository brings no Node of its own. */
const NODE_MIN = NODE_PACKAGE === null ? '22.19.0' : '20.0.0';

export function requireNode() {
  if (compareVersions(process.versions.node, NODE_MIN) >= 0) return;
  throw new SetupFailure(
    `Node ${NODE_MIN} or newer is needed here; this is ${process.versions.node}.\n` +
      'Get it from https://nodejs.org or with a version manager such as fnm or nvm.',
  );
}

/**
 * Checks for cargo, a new enough rustc and a linker: asked only when the native engine must be built.
 *
 * @param {string} rival a way to do without them, where there is one
 */
export function requireRust(rival = '') {
  const wanted = /channel = "([\d.]+)"/.exec(readFileSync(fromRoot('rust-toolchain.toml'), 'utf8'))[1];
  const advice = `Get Rust ${wanted} with rustup from https://rustup.rs (rustup then brings the version this repository names).`;
  const version = output('rustc', ['--version']);
  if (version === null || output('cargo', ['--version']) === null) {
    throw new SetupFailure(
      `Rust (cargo and rustc) is needed to build the native engine and was not found.\n${advice}${rival}`,
    );
  }
  const found = /^rustc (\d+\.\d+\.\d+)/.exec(version)?.[1];
  if (found !== undefined && compareVersions(found, wanted) < 0) {
    throw new SetupFailure(`Rust ${wanted} or newer is needed; rustc here is ${found}.\n${advice}`);
  }
  requireLinker();
}

function requireLinker() {
  if (process.platform === 'win32' || output('cc', ['--version']) !== null) return;
  const how = process.platform === 'darwin' ? 'xcode-select --install' : 'apt-get install build-essential';
  throw new SetupFailure(`A linker (the command "cc") is needed to build the native engine: for example "${how}".`);
}

/** Below zero when version `a` is older than `b`; both are dotted numbers. */
export function compareVersions(a, b) {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number));
  const at = left.findIndex((part, i) => part !== (right[i] ?? 0));
  return at < 0 ? 0 : left[at] - (right[at] ?? 0);
}
