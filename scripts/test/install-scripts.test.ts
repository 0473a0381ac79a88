import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { npm } from '../command.mjs';
import { ROOT } from '../paths.mjs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pelorus-scripts-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (file: string, content: object): void => writeFileSync(join(folder, file), JSON.stringify(content));

/** Installs a project whose one package has an install script; whether it ran. */
function scriptRuns(): boolean {
  const ran = join(folder, 'ran');
  mkdirSync(join(folder, 'guest'));
  const install = `node -e "fs.writeFileSync('${ran}', '')"`;
  write('guest/package.json', { name: 'guest', version: '1.0.0', scripts: { install } });
  write('package.json', { name: 'host', dependencies: { guest: 'file:guest' } });
  const [command, args] = npm(['install', '--offline', '--install-links', '--loglevel=error', '--foreground-scripts']);
  // The settings of a surrounding npm, from its own .npmrc, must not decide it.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_config_/i.test(name)));
  execFileSync(command as string, args as string[], { cwd: folder, env, stdio: 'pipe' });
  expect(existsSync(join(folder, 'node_modules', 'guest', 'package.json'))).toBe(true);
  return existsSync(ran);
}

// Windows starts npm only by a shell.
test.skipIf(process.platform === 'win32')('a package that npm installs here runs no script', () => {
  copyFileSync(join(ROOT, '.npmrc'), join(folder, '.npmrc'));
  expect(scriptRuns()).toBe(false);
});
