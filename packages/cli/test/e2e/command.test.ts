import { execFile } from 'node:child_process';
import { delimiter, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
/** The command that `npx pelorus` runs in a clone. */
const LINK = fileURLToPath(new URL('../../../../node_modules/.bin/pelorus', import.meta.url));

test('the command is linked by the installation of the dependencies, which comes before any build', async () => {
  const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
  // On Windows the link is a script for its shell.
  const shell = process.platform === 'win32';
  const { stdout } = await run(shell ? `"${LINK}"` : LINK, ['--version'], {
    env: { ...process.env, PATH: path },
    shell,
  });
  expect(stdout.trim()).toMatch(/^\d+\.\d+\.\d+$/);
});
