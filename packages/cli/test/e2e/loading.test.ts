import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { commands } from '../../src/commands.js';
import { freePort } from './server-process.js';

const run = promisify(execFile);
const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** Writes the address of each module that is loaded from a file to the standard error. */
const TELL_LOADED = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  import { writeSync } from 'node:fs';
  registerHooks({
    load(url, context, nextLoad) {
      if (url.startsWith('file:')) writeSync(2, url + '\\n');
      return nextLoad(url, context);
    },
  });
`)}`;

/** The modules that a command line loads, by their paths below `packages/` or `node_modules/`. */
async function loadedBy(...words: string[]): Promise<string[]> {
  // A command that fails has loaded what it needs all the same.
  const { stderr } = await run(process.execPath, ['--import', TELL_LOADED, MAIN, ...words]).catch(
    (error: { stderr: string }) => error,
  );
  const urls = stderr.split('\n').filter((line) => line.startsWith('file:'));
  expect(urls.some((url) => url.endsWith('/cli/dist/main.js'))).toBe(true);
  return urls.map((url) => url.replace(/^.*\/node_modules\//, 'node_modules/').replace(/^.*\/packages\//, ''));
}

test('the list of commands loads no command', async () => {
  const own = (await loadedBy('--help')).filter((path) => !path.startsWith('node_modules/commander/'));
  expect(own.sort()).toEqual([
    'cli/dist/commands.js',
    'cli/dist/help-text.js',
    'cli/dist/hosted/index-process-command.js',
    'cli/dist/main.js',
    'cli/dist/program.js',
    'cli/dist/require-node.js',
    'cli/dist/start-failure.js',
    // Words of others are shown without controls, a refused word of the command line too.
    'cli/dist/terminal/lines.js',
    'cli/dist/terminal/width.js',
  ]);
});

test('a search loads the command, and nothing of the server', async () => {
  const nowhere = `http://127.0.0.1:${await freePort()}`;
  const loaded = await loadedBy('search', 'notes', 'words', '--url', nowhere);
  const foreign = loaded.filter((path) => !/^(cli\/dist|contract\/dist|node_modules\/commander)\//.test(path));
  expect(loaded).toContain('cli/dist/search/search.js');
  expect(foreign).toEqual([]);
});

const HEAVY = /^(engine|inference|server|hosted|ecommerce|events)\/dist\/index\.js$|^bindings\/|\.node$/;

test.each(commands.map(({ name }) => name))(
  'the help of %s loads neither server nor engine nor models',
  async (name) => {
    const loaded = await loadedBy(name, '--help');
    const foreign = loaded.filter((path) => path.startsWith('node_modules/') && !path.includes('/commander/'));
    expect([...loaded.filter((path) => HEAVY.test(path)), ...foreign]).toEqual([]);
  },
);
