import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { mustRun, npm } from './command.mjs';
import { SetupFailure } from './failure.mjs';
import { NODE, NODE_MODULES, NODE_PACKAGE } from './paths.mjs';
import { step } from './progress.mjs';
import { fingerprint, readStamp, writeStamp } from './stamp.mjs';

const STAMP = join(NODE_MODULES, '.setup-stamp');
const QUIET = ['--no-audit', '--no-fund', '--loglevel=error'];

/**
 * The npm packages of the lock file, each checked against its hash there; none runs a script (`.npmrc`). A missing
 * folder is filled by `npm ci`; one that is only behind is brought up to date in place, which keeps the Node it
 * holds alive while it is running us.
 */
export function ensureDependencies() {
  const wanted = fingerprint(['package-lock.json']);
  return step('dependencies', {
    isCurrent: () => existsSync(NODE) && readStamp(STAMP) === wanted,
    doing: 'installing from package-lock.json',
    work: async () => {
      const args = existsSync(NODE_MODULES) ? ['install', '--no-save'] : ['ci'];
      const [command, all] = npm([...args, ...QUIET]);
      await mustRun(command, all);
      requireOwnNode();
      writeStamp(STAMP, wanted);
      return 'installed';
    },
  });
}

/** The package is an optional one, as each platform has its own: npm leaves it out in silence when it fails. */
function requireOwnNode() {
  if (existsSync(NODE)) return;
  throw new SetupFailure(
    `npm installed no ${NODE_PACKAGE}: it could not be fetched, was not what package-lock.json says, or ` +
      'optional packages are left out by a setting of npm.',
  );
}
