import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { mustRun, npm } from './command.mjs';
import { NODE, NODE_MODULES } from './paths.mjs';
import { step } from './progress.mjs';
import { fingerprint, readStamp, writeStamp } from './stamp.mjs';

const STAMP = join(NODE_MODULES, '.setup-stamp');
const QUIET = ['--no-audit', '--no-fund', '--loglevel=error'];

/**
 * The npm packages of the lock file. A missing folder is filled by `npm ci`; one that is only behind is
 * brought up to date in place, which keeps the Node it holds alive while it is running us.
 */
export function ensureDependencies() {
  const wanted = fingerprint(['package-lock.json']);
  return step('dependencies', {
    isCurrent: () => existsSync(NODE) && readStamp(STAMP) === wanted,
    doing: 'installing from package-lock.json',
    work: async () => {
      const args = existsSync(NODE) ? ['install', '--no-save'] : ['ci'];
      const [command, all] = npm([...args, ...QUIET]);
      // The package carries its CPU runtime; its install script would only fetch CUDA files from elsewhere.
      await mustRun(command, all, { env: { ONNXRUNTIME_NODE_INSTALL: 'skip' } });
      writeStamp(STAMP, wanted);
      return 'installed';
    },
  });
}
