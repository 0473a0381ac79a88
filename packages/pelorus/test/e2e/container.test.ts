import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { fromRoot, NODE } from '../../../../scripts/paths.mjs';
import { ContainerRecipe } from '../../../../scripts/test/container-recipe.js';
import { ExitCode } from '../../../cli/src/start-failure.js';
import { emptyFolder, freePort, withAdminKey } from '../../../cli/test/e2e/server-process.js';
import { startProcess } from '../../../cli/test/e2e/start-process.js';

const recipe = new ContainerRecipe();
const folder = emptyFolder('container');
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const [volume, temporary, working] = ['volume', 'temporary', 'working'].map((name) => {
  mkdirSync(join(folder, name));
  return join(folder, name);
}) as [string, string, string];

/** Words of the recipe for this machine: the package of this clone in place of the installed one. */
const here = (words: string[]): string[] =>
  words.map((word) => word.replace('/opt/pelorus/node_modules/pelorus/', `${fromRoot('packages', 'pelorus')}/`));

/** The variables of the container, and none of this machine that the server reads. */
function envOf(port: number, more: Record<string, string> = {}): Record<string, string> {
  const env = Object.entries({ ...recipe.env, PELORUS_PORT: `${port}` }).map(([name, value]) => [
    name,
    value.replace(recipe.only('VOLUME'), volume),
  ]);
  const path = [dirname(NODE), process.env.PATH].join(delimiter);
  // Tests may run on an engine of their own, which the container has in its packages.
  const { PELORUS_NATIVE_PATH: engine } = process.env;
  const own = {
    PATH: path,
    TMPDIR: temporary,
    HOME: working,
    ...(engine !== undefined && { PELORUS_NATIVE_PATH: engine }),
  };
  return { ...own, ...Object.fromEntries(env), ...more };
}

/** Makes everything but the volume and the folder of temporary files read-only, for itself alone. */
const READ_ONLY = `
mount --bind "$1" "$1" && mount --bind "$2" "$2" && mount --bind "$3" "$3" &&
mount -o remount,bind,ro "$3" && mount -o remount,bind,ro / || exit 125
cd "$3" && ! touch file 2>/dev/null || exit 126
shift 3 && exec "$@"`;
const UNSHARE = ['unshare', '--mount', ...(process.getuid?.() === 0 ? [] : ['--map-root-user'])];
const places = [volume, temporary, working];
const inReadOnly = (words: string[]): string[] => [...UNSHARE, 'sh', '-c', READ_ONLY, 'sh', ...places, ...words];
const canBeReadOnly = runs(inReadOnly(['true']));
if (!canBeReadOnly) console.warn('No read-only file system can be had here: the container is tried without one.');

function runs([command = '', ...args]: string[], env?: Record<string, string>): boolean {
  return spawnSync(command, args, { env, stdio: 'ignore' }).status === 0;
}

const isHealthy = (port: number): Promise<boolean> => {
  const [command = '', ...args] = recipe.healthCheck;
  const check = startProcess(command, args, { env: envOf(port), stdio: 'ignore' });
  return once(check, 'exit').then(([code]) => code === 0);
};

/** Starts the server as a container does; `said` returns its output so far. */
function start(port: number, more?: Record<string, string>) {
  const words = here(recipe.start);
  const [command = '', ...args] = canBeReadOnly ? inReadOnly(words) : words;
  const server = startProcess(command, args, { cwd: working, env: envOf(port, more), stdio: 'pipe' });
  let output = '';
  for (const stream of [server.stdout, server.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const ended = once(server, 'close').then(([code]) => code as number | null);
  return { server, ended, said: () => output };
}

// The container is one of Linux.
describe.runIf(process.platform === 'linux')('the server of the container', () => {
  test('does not start where it is given no key', async () => {
    const { ended, said } = start(await freePort());
    expect(await ended, said()).toBe(ExitCode.BAD_CONFIGURATION);
    expect(said()).toContain('PELORUS_ADMIN_KEY');
  });

  test('is healthy, writes to its volume alone and ends with 0', async () => {
    const port = await freePort();
    expect(await isHealthy(port)).toBe(false);
    const { server, ended, said } = start(port, withAdminKey);
    while (!(await isHealthy(port))) {
      if (server.exitCode !== null || server.signalCode !== null) throw new Error(`the server ended: ${said()}`);
      await sleep(50);
    }

    const call = (path: string, body: object, headers: Record<string, string>): Promise<Response> =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
    const key = { 'x-api-key': withAdminKey.PELORUS_ADMIN_KEY };
    const documents = [{ _id: '1', title: 'Sourdough' }];
    expect((await call('/indexes/notes', { model: 'random/small' }, {})).status).toBe(401);
    expect((await call('/indexes/notes', { model: 'random/small' }, key)).status).toBe(200);
    expect((await call('/indexes/notes/documents', { documents, tensorFields: ['title'] }, key)).status).toBe(200);
    const found = await call('/indexes/notes/search', { q: 'sourdough' }, key);
    expect(await found.json()).toMatchObject({ hits: [{ title: 'Sourdough' }] });

    server.kill('SIGTERM');
    expect(await ended, said()).toBe(0);
    expect(await isHealthy(port)).toBe(false);
    expect(readdirSync(working)).toEqual([]);
    expect(readdirSync(volume)).toContain('data');
  });

  test('is not healthy where another answer than success comes', async () => {
    const other = createServer((_, response) => response.writeHead(503).end()).listen(0, '127.0.0.1');
    await once(other, 'listening');
    expect(await isHealthy((other.address() as AddressInfo).port)).toBe(false);
    other.close();
  });
});
