import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The release of the official client that is put to the test. */
const CLIENT = 'marqo==3.18.2';

const FOLDER = fileURLToPath(new URL('../../../../target/python/marqo-3.18.2', import.meta.url));

/**
 * A virtual environment with the official client in it, made once and kept beside the build.
 * Returns its interpreter.
 */
export function pythonWithClient(): string {
  const windows = process.platform === 'win32';
  const python = join(FOLDER, ...(windows ? ['Scripts', 'python.exe'] : ['bin', 'python']));
  const complete = join(FOLDER, 'complete');
  if (existsSync(complete)) return python;

  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  execFileSync(windows ? 'python' : 'python3', ['-m', 'venv', FOLDER], { stdio: 'inherit' });
  execFileSync(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', CLIENT], {
    stdio: 'inherit',
  });
  writeFileSync(complete, '');
  return python;
}
