import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { officialClient, pythonWith } from './python-environment.js';
import { emptyFolder, ServerProcess, withAdminKey } from './server-process.js';

const run = promisify(execFile);
const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const SCRIPT = fileURLToPath(new URL('keys_client.py', import.meta.url));

/** `pelorus keys`: what it prints on either stream, and its exit code. */
async function keys(...args: string[]): Promise<{ code: number; out: string; said: string }> {
  const env = { ...process.env, FORCE_COLOR: undefined };
  try {
    const { stdout, stderr } = await run(process.execPath, [MAIN, 'keys', ...args], { env });
    return { code: 0, out: stdout.trim(), said: stderr.trim() };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: stdout.trim(), said: stderr.trim() };
  }
}

/** Noticed within half a second on a machine that has nothing else to do; only what hangs meets the limit. */
const noticed = { interval: 20 };

const idIn = (said: string) => /has the id ([0-9a-f-]{36})\./.exec(said)?.[1] as string;

describe('the command on the folder of a server that runs', () => {
  const data = emptyFolder('keys');
  let server: ServerProcess;

  beforeAll(async () => {
    server = await ServerProcess.start(['--data', data]);
  });
  afterAll(async () => {
    await server.end();
    rmSync(data, { recursive: true, force: true });
  });

  const status = async (secret?: string) => (await server.call('GET', '/indexes', undefined, secret)).status;

  test('makes, rotates and revokes keys, and the server knows of it', async () => {
    expect(await status()).toBe(200);
    expect(await keys('create', 'a', '--scope', 'read', '--data', data)).toMatchObject({
      ...{ code: 1, out: '', said: expect.stringMatching(/^pelorus: The first key must be one/) },
    });
    expect(await keys('list', '--data', data)).toMatchObject({
      ...{ code: 0, out: '', said: expect.stringMatching(/^There is no key: .*keys create/) },
    });

    const boss = await keys('create', 'the boss', '--scope', 'admin', '--data', data);
    expect(boss).toMatchObject({ code: 0, out: expect.stringMatching(/^svc_a_\w{49}$/) });
    // Calls need a key from the moment that there is a folder for one, which is before there is the key.
    await expect.poll(() => status(boss.out), noticed).toBe(200);
    await expect.poll(async () => [await status(), await status(boss.out)], noticed).toEqual([401, 200]);
    expect(await status('x')).toBe(401);

    const until = new Date(Date.now() + 3_600_000).toISOString();
    const flags = ['--index', 'a', '--index', 'b', '--expires-at', until, '--origin', 'https://a.example'];
    const reader = await keys('create', 'a reader', '--scope', 'read', ...flags, '--data', data);
    const events = ['--tracking', '--customer', 'c', '--origin', 'https://shop.example', '--allow-no-origin'];
    const tracking = await keys('create', 'events', ...events, '--data', data);
    expect(tracking.out).toMatch(/^svc_t_/);
    const lines = (await keys('list', '--data', data)).out.split('\n');
    expect(lines).toEqual([
      expect.stringMatching(/^id +secret +name +scope +indexes +filter +expires +used$/),
      expect.stringMatching(/svc_a_.{2}\.\.\. +the boss +admin +all +none +never +\S+$/),
      expect.stringMatching(/svc_r_.{2}\.\.\. +a reader +read +a, b +none +20\S+Z +never$/),
      expect.stringMatching(/svc_t_.{2}\.\.\. +events +events of c +- +- +never +never$/),
    ]);
    const { results } = JSON.parse((await keys('list', '--json', '--data', data)).out);
    expect(results.map((key: any) => key.name)).toEqual(['the boss', 'a reader', 'events']);

    const rotated = await keys('rotate', idIn(reader.said), '--overlap', '3600', '--data', data);
    await expect.poll(() => status(rotated.out), noticed).toBe(200);
    expect(await status(reader.out)).toBe(200);
    expect(await keys('revoke', idIn(reader.said), '--data', data)).toEqual({ code: 0, out: '', said: '' });
    await expect.poll(() => status(rotated.out), noticed).toBe(401);
    expect([await status(reader.out), await status(boss.out)]).toEqual([401, 200]);

    const last = await keys('revoke', idIn(boss.said), '--data', data);
    expect(last).toMatchObject({ code: 1, said: expect.stringMatching(/^pelorus: This is the last key/) });
    expect((await keys('revoke', 'none', '--data', data)).said).toBe('pelorus: There is no key of that id');
    expect((await keys('create', 'a', '--scope', 'root', '--data', data)).code).toBe(2);
  });

  test('makes the keys anew where their folder is gone, which is told, and closes the service', async () => {
    const { out: before } = await keys('create', 'before', '--scope', 'admin', '--data', data);
    await expect.poll(() => status(before), noticed).toBe(200);
    rmSync(join(data, 'keys'), { recursive: true });
    await expect.poll(() => status(before), noticed).toBe(401);
    const health = async () => (await server.ok('GET', '/health')).keys;
    expect(await health()).toEqual({ status: 'red', reasons: [expect.stringContaining('is gone')] });
    await server.end();
    server = await ServerProcess.start(['--data', data]);
    expect([await status(), await status(before), (await health()).status]).toEqual([401, 401, 'red']);
    const told = server.output.split('\n').filter((line) => line.includes('folder of the keys'));
    expect(told).toHaveLength(1);
    const boss = await keys('reset', 'boss', '--data', data);
    expect(boss).toMatchObject({ code: 0, said: expect.stringContaining(join(data, 'damaged')) });
    await expect.poll(() => status(boss.out), noticed).toBe(200);
    expect([await status(), await status(before), await health()]).toEqual([401, 401, undefined]);
  });

  test('leaves no secret in the folder or the log, and the folder to its user', async () => {
    const { out } = await keys('create', 'another', '--scope', 'admin', '--data', data);
    await expect.poll(() => status(out), noticed).toBe(200);
    await server.call('GET', `/indexes/${out}/stats?x-api-key=${out}`, undefined, out);
    await server.call('POST', '/indexes/a/search', { [out]: out }, out);
    const folder = join(data, 'keys');
    for (const name of readdirSync(folder)) {
      expect(readFileSync(join(folder, name), 'utf8')).not.toContain(out.slice(8));
      if (process.platform !== 'win32') expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    }
    if (process.platform !== 'win32') expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(server.output).not.toContain(out.slice(8));
  });
});

describe('at an address that other machines can reach', () => {
  const data = emptyFolder('exposed');
  afterAll(() => rmSync(data, { recursive: true, force: true }));
  const flags = ['--data', data, '--host', '0.0.0.0'];

  test('a server without a key does not start, and touches nothing', async () => {
    const { code, output } = await ServerProcess.refuse(flags);
    expect(code).toBe(2);
    expect(output.trim()).toMatch(/^pelorus: other machines can reach 0\.0\.0\.0, and there is no key: .*$/);
    expect(readdirSync(data)).toEqual([]);
  });

  test('one with a key of the environment does, and asks for it', async () => {
    const server = await ServerProcess.start(flags, { env: withAdminKey });
    expect(await server.ok('GET', '/indexes')).toEqual({ results: [] });
    expect((await server.call('GET', '/indexes', undefined, 'x')).status).toBe(401);
    expect(server.output).not.toMatch(/warning/i);
    await server.end();
  });

  test('one with a key in a file that the environment names does, too', async () => {
    const folder = emptyFolder('secret');
    const file = join(folder, 'secret');
    writeFileSync(file, `${withAdminKey.PELORUS_ADMIN_KEY}\n`);
    const server = await ServerProcess.start(flags, { env: { PELORUS_ADMIN_KEY_FILE: file } });
    expect((await server.call('GET', '/indexes')).status).toBe(401);
    expect((await server.call('GET', '/indexes', undefined, withAdminKey.PELORUS_ADMIN_KEY)).status).toBe(200);
    await server.end();
    rmSync(folder, { recursive: true });
  });

  test('a key of the environment that could be guessed is refused, and not shown', async () => {
    const { code, output } = await ServerProcess.refuse(flags, { env: { PELORUS_ADMIN_KEY: 'secret' } });
    expect(code).toBe(2);
    expect(output.trim()).toMatch(/^pelorus: PELORUS_ADMIN_KEY has 6 characters, but must have 24 or more/);
    expect(output).not.toContain('secret');
  });
});

describe('the official Python client, unmodified', () => {
  const data = emptyFolder('keys-client');
  afterAll(() => rmSync(data, { recursive: true, force: true }));

  test('works with a key as without, and is told what is wrong with another', async () => {
    const python = pythonWith(officialClient);
    const server = await ServerProcess.start(['--data', data], { env: withAdminKey });
    const { stdout } = await run(python, [SCRIPT, server.address, withAdminKey.PELORUS_ADMIN_KEY]);
    await server.end();
    const seen = JSON.parse(stdout);
    expect(seen.good).toEqual({ created: true, added: false, found: ['f1'], indexes: ['films'] });
    expect(seen.none).toEqual({ status: 401, code: 'missing_api_key', type: 'authentication_error' });
    expect(seen.unknown).toEqual({ status: 401, code: 'invalid_api_key', type: 'authentication_error' });
    expect(seen.basic).toEqual({ status: 401, code: 'missing_api_key', type: 'authentication_error' });
  });
});
