import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { emptyFolder, freePort, ServerProcess } from './server-process.js';

const folders: string[] = [];
const folder = (name: string): string => {
  const path = emptyFolder(name);
  folders.push(path);
  return path;
};
afterAll(() => {
  for (const path of folders) rmSync(path, { recursive: true, force: true });
});

/** One line that begins with the command's name: no stack, nothing else. */
const ONE_LINE = /^pelorus: [^\n]+\n$/;

test('a port in use is said in one line with exit code 3, and the data directory is not touched', async () => {
  const port = await freePort();
  const other = createServer().listen(port, '127.0.0.1');
  await once(other, 'listening');
  const data = folder('port');

  const refused = await ServerProcess.refuse(['--data', data], { port });
  other.close();

  expect(refused.code).toBe(3);
  expect(refused.output).toMatch(ONE_LINE);
  expect(refused.output).toContain(String(port));
  expect(readdirSync(data)).toEqual([]);
});

test('a data directory in use is said in one line with exit code 4, and its server goes on', async () => {
  const data = folder('in-use');
  const first = await ServerProcess.start(['--data', data]);
  await first.ok('POST', '/indexes/kept', { model: 'random/small' });

  const refused = await ServerProcess.refuse(['--data', data]);

  expect(refused.code).toBe(4);
  expect(refused.output).toMatch(ONE_LINE);
  expect(refused.output).toContain(data);
  // A lock that is removed, as leftovers are, lets nobody in.
  rmSync(join(data, 'lock'));
  expect((await ServerProcess.refuse(['--data', data])).code).toBe(4);
  expect((await first.ok('GET', '/indexes')).results).toHaveLength(1);
  await first.end();
});

test('a data directory in use by the hosted form is said in one line with exit code 4, in either form, and kill -9 frees it', async () => {
  const data = folder('in-use-hosted');
  const first = await ServerProcess.start(['--hosted', '--data', data]);

  for (const form of [[], ['--hosted']]) {
    // Without the file that is locked too, as where somebody cleans up.
    rmSync(join(data, 'lock'), { force: true });
    const refused = await ServerProcess.refuse([...form, '--data', data]);
    expect(refused.code).toBe(4);
    expect(refused.output).toMatch(ONE_LINE);
    expect(refused.output).toContain(`the data directory ${data} is in use by another process`);
  }
  expect((await first.call('GET', '/health')).status).toBe(200);
  await first.end('SIGKILL');
  const second = await ServerProcess.start(['--hosted', '--data', data]);
  await second.end();
});

test('a data directory that is a file is said in one line with exit code 5', async () => {
  const file = join(folder('unreadable'), 'data');
  writeFileSync(file, 'not a folder');

  const refused = await ServerProcess.refuse(['--data', file]);

  expect(refused.code).toBe(5);
  expect(refused.output).toMatch(ONE_LINE);
  expect(readFileSync(file, 'utf8')).toBe('not a folder');
});

test.each([
  ['indexes', []],
  ['keys', []],
  ['hosted', ['--hosted']],
  ['hosted/indexes', ['--hosted']],
  ['keys', ['--hosted']],
])('a file in the place of the folder %s is said in one line with exit code 5 (%j)', async (name, flags) => {
  const data = folder('no-folder');
  mkdirSync(dirname(join(data, name)), { recursive: true });
  writeFileSync(join(data, name), 'not a folder');

  const refused = await ServerProcess.refuse(['--data', data, ...flags]);

  expect(refused.code).toBe(5);
  expect(refused.output).toMatch(ONE_LINE);
  expect(refused.output).toContain(`${join(data, name)} must be a folder`);
  expect(readFileSync(join(data, name), 'utf8')).toBe('not a folder');
});

test('a data directory of a newer format is said in one line with exit code 6, and is left as it was', async () => {
  const data = folder('newer');
  const server = await ServerProcess.start(['--data', data]);
  await server.end();
  writeFileSync(join(data, 'format'), '4000\n');
  const before = readdirSync(data).sort();

  const refused = await ServerProcess.refuse(['--data', data]);

  expect(refused.code).toBe(6);
  expect(refused.output).toMatch(ONE_LINE);
  expect(refused.output).toContain('4000');
  expect(readdirSync(data).sort()).toEqual(before);
  expect(readFileSync(join(data, 'format'), 'utf8')).toBe('4000\n');
});

test.each([
  ['an unknown flag', ['--no-such-flag'], {}, /no-such-flag/],
  ['a port that is no number', ['--port', 'eighty'], {}, /port/],
  ['a model file that is missing', ['--models', '/nowhere/models.json'], {}, /models\.json/],
  ['models to preload that are no list', ['--models-to-preload', 'hf/e5-base-v2'], {}, /models-to-preload/],
  ['a limit that is no number', [], { MARQO_MAX_DOCUMENTS_BATCH_SIZE: 'many' }, /MARQO_MAX_DOCUMENTS_BATCH_SIZE/],
])('%s is said with exit code 2', async (_name, args, env, says) => {
  const refused = await ServerProcess.refuse(['--data', folder('bad'), ...args], { env });

  expect(refused.code).toBe(2);
  expect(refused.output).toMatch(says);
  expect(refused.output).not.toMatch(/\n\s+at /);
});
