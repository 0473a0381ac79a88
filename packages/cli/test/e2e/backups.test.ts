import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { Random } from '../../src/demo/random.js';
import { Ledger } from './backup-ledger.js';
import { emptyFolder, ServerProcess, withAdminKey } from './server-process.js';
import { startProcess } from './start-process.js';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const SEED = 20_261_129;

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function folderFor(name: string): string {
  const folder = emptyFolder(name);
  folders.push(folder);
  return folder;
}

function pelorus(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

/** The backup once it has come to its end. */
async function ended(server: ServerProcess, id: string): Promise<any> {
  for (;;) {
    const backup = await server.ok('GET', `/backups/${id}`);
    const isBusy = [backup, backup.verification, ...backup.restores].some((one) =>
      ['creating', 'running'].includes(one?.state),
    );
    if (!isBusy) return backup;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function madeBackup(server: ServerProcess, body: object = {}): Promise<any> {
  const begun = await server.ok('POST', '/backups', body);
  const backup = await ended(server, begun.id);
  expect(backup, backup.reason).toMatchObject({ state: 'ready', reason: null });
  return backup;
}

/** So many requests of several writers. */
async function write(server: ServerProcess, ledger: Ledger, requests: number): Promise<void> {
  let left = requests;
  const writer = async () => {
    while (left-- > 0) await ledger.writeSomething(server);
  };
  await Promise.all([writer(), writer(), writer()]);
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());

test('an index that is restored is the ledger of the moment of its backup, whatever was written since', async () => {
  console.log(`seed ${SEED}`);
  const random = new Random(SEED);
  const [data, place] = [folderFor('backups-data'), folderFor('backups')];
  const server = await ServerProcess.start(['--data', data, '--backup-to', place]);
  const ledger = new Ledger('ledger', random);
  await ledger.createIndex(server);
  const moments: [string, Ledger][] = [];
  for (let round = 0; round < 4; round += 1) {
    await write(server, ledger, 60);
    const begun = await server.ok('POST', '/backups', round % 2 === 0 ? { indexes: ['ledger'] } : {});
    // From the moment that it shows on, writes make no difference.
    let backup = begun;
    while (backup.createdAt === null) backup = await server.ok('GET', `/backups/${begun.id}`);
    moments.push([begun.id, ledger.copyFor(`restored-${round}`)]);
    await write(server, ledger, 60);
    expect(await ended(server, begun.id)).toMatchObject({ state: 'ready', isWhole: round % 2 === 1 });
  }
  for (const [round, [id, moment]] of moments.entries()) {
    await server.ok('POST', `/backups/${id}/verify`);
    expect((await ended(server, id)).verification).toMatchObject({ state: 'sound', problems: [] });
    await server.ok('POST', `/backups/${id}/restore`, { indexName: 'ledger', as: `restored-${round}` });
    const { restores } = await ended(server, id);
    expect(restores.at(-1)).toMatchObject({ state: 'done', reason: null });
    await moment.verify(server);
  }
  await ledger.verify(server);
  const taken = await server.call('POST', `/backups/${moments[0]?.[0]}/restore`, { indexName: 'ledger' });
  expect(taken).toMatchObject({ status: 409, body: { code: 'index_already_exists' } });
  // A second backup of the same stores next to nothing.
  const [one, same] = [await madeBackup(server), await madeBackup(server)];
  expect(same.newBytes).toBe(0);
  expect(same.bytes).toBe(one.bytes);
  for (const { id } of (await server.ok('GET', '/backups')).backups) await server.ok('DELETE', `/backups/${id}`);
  expect(filesIn(place)).toEqual([]);
  await server.end();
});

test('a server lost with its disk is back by one command, with its keys', async () => {
  const [data, place] = [folderFor('lost-data'), folderFor('lost-backups')];
  let server = await ServerProcess.start(['--data', data, '--backup-to', place], { env: withAdminKey });
  const ledger = new Ledger('ledger', new Random(SEED + 1));
  await ledger.createIndex(server);
  await write(server, ledger, 40);
  const { secret: key } = await server.ok('POST', '/api/v2/keys', { kind: 'api', name: 'reader', scope: 'read' });
  const admin = { apiKey: withAdminKey.PELORUS_ADMIN_KEY };
  const made = pelorus('backup', 'create', '--url', server.address, '--api-key', admin.apiKey);
  expect(made, made.stderr).toMatchObject({ status: 0 });
  const moment = ledger.copyFor('ledger');
  await write(server, ledger, 20);
  expect(await server.call('GET', '/backups', undefined, key)).toMatchObject({ status: 403 });
  await server.end('SIGKILL');
  rmSync(data, { recursive: true });

  const restored = pelorus('restore', '--from', place, '--data', data);
  expect(restored, restored.stderr).toMatchObject({ status: 0 });
  expect(restored.stdout).toContain('1 index');
  server = await ServerProcess.start(['--data', data], { env: withAdminKey });
  await moment.verify(server);
  expect(await server.call('GET', '/indexes', undefined, key)).toMatchObject({ status: 200 });
  expect(await server.ok('GET', '/health')).toMatchObject({ status: 'green' });
  await server.end();
  const again = pelorus('restore', '--from', place, '--data', data);
  expect(again).toMatchObject({ status: 1 });
  expect(again.stderr).toContain('is not empty');
});

test('a backup and a restore that are killed leave what was there, and are done again', async () => {
  const [data, place] = [folderFor('killed-data'), folderFor('killed-backups')];
  let server = await ServerProcess.start(['--data', data, '--backup-to', place]);
  const ledger = new Ledger('ledger', new Random(SEED + 2));
  await ledger.createIndex(server);
  await write(server, ledger, 100);
  const { id: first } = await madeBackup(server);
  for (let kill = 0; kill < 3; kill += 1) {
    await write(server, ledger, 10);
    await server.ok('POST', '/backups', {});
    await server.end('SIGKILL');
    server = await ServerProcess.start(['--data', data, '--backup-to', place]);
    const { backups } = await server.ok('GET', '/backups');
    expect(backups.every(({ state }: { state: string }) => state === 'ready')).toBe(true);
    await madeBackup(server);
    await server.ok('POST', `/backups/${first}/verify`);
    expect((await ended(server, first)).verification).toMatchObject({ state: 'sound' });
  }
  const moment = ledger.copyFor('ledger');
  await server.end();

  const target = join(folderFor('killed-target'), 'data');
  const args = ['restore', '--from', place, '--data', target];
  let isWhole = false;
  for (let afterMs = 150; !isWhole; afterMs = afterMs * 2) {
    const child = startProcess(process.execPath, [MAIN, ...args], { stdio: 'ignore' });
    const code = await new Promise((resolve) => {
      const timer = setTimeout(() => child.kill('SIGKILL'), afterMs);
      child.once('exit', (status) => {
        clearTimeout(timer);
        resolve(status);
      });
    });
    isWhole = code === 0;
    if (isWhole || !existsSync(join(target, 'restoring.json'))) continue;
    const refused = await ServerProcess.refuse(['--data', target]);
    expect(refused).toMatchObject({ code: 5, output: expect.stringContaining('did not come to its end') });
  }
  server = await ServerProcess.start(['--data', target]);
  await moment.verify(server);
  await server.end();
});

test('a damaged or missing piece is told, and nothing of it is restored or served', async () => {
  const [data, place] = [folderFor('damaged-data'), folderFor('damaged-backups')];
  const server = await ServerProcess.start(['--data', data, '--backup-to', place]);
  const ledger = new Ledger('ledger', new Random(SEED + 3));
  await ledger.createIndex(server);
  await write(server, ledger, 30);
  const { id } = await madeBackup(server, { indexes: ['ledger'] });
  for (const path of filesIn(join(place, 'pieces'))) {
    const bytes = readFileSync(path);
    const changed = Buffer.from(bytes);
    changed[bytes.length >> 1] = (changed[bytes.length >> 1] as number) ^ 0x40;
    const damages = [
      () => writeFileSync(path, changed),
      () => truncateSync(path, bytes.length - 1),
      () => rmSync(path),
    ];
    for (const damage of damages) {
      damage();
      await server.ok('POST', `/backups/${id}/verify`);
      expect((await ended(server, id)).verification).toMatchObject({
        state: 'damaged',
        problems: [expect.stringContaining('index ledger')],
      });
      const verified = pelorus('backup', 'verify', id, '--from', place);
      expect(verified).toMatchObject({ status: 1 });
      expect(verified.stderr).toMatch(/Piece [0-9a-f]{64} is (missing|damaged)/);
      await server.ok('POST', `/backups/${id}/restore`, { indexName: 'ledger', as: 'copy' });
      const { restores } = await ended(server, id);
      expect(restores.at(-1)).toMatchObject({ state: 'failed', reason: expect.stringMatching(/^Piece /) });
      writeFileSync(path, bytes);
    }
    break;
  }
  expect((await server.ok('GET', '/indexes')).results).toHaveLength(1);
  expect(readdirSync(join(data, 'building'))).toEqual([]);
  await server.end();
});

test('the schedule makes backups by itself and keeps the latest, and HTTP names no place', async () => {
  const [data, place] = [folderFor('scheduled-data'), folderFor('scheduled-backups')];
  const args = ['--data', data, '--backup-to', place, '--backup-every', '1h', '--backup-keep', '1'];
  let server = await ServerProcess.start(args);
  const listed = async () => (await server.ok('GET', '/backups')).backups;
  while ((await listed()).every(({ state }: { state: string }) => state !== 'ready')) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const [one] = await listed();
  expect(one).toMatchObject({ isScheduled: true, isWhole: true });
  await server.end();
  // Not due: the last one is counted from.
  server = await ServerProcess.start(args);
  expect(await listed()).toHaveLength(1);
  expect(await server.call('POST', '/backups', { to: '/tmp' })).toMatchObject({ status: 422 });
  await server.end();
  const unset = await ServerProcess.start(['--data', data]);
  expect(await unset.call('GET', '/backups')).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('--backup-to') },
  });
  await unset.end();
});

test('a place that cannot be written is told, and the server goes on', async () => {
  const [data, place] = [folderFor('unwritable-data'), folderFor('unwritable')];
  mkdirSync(join(place, 'a'));
  writeFileSync(join(place, 'a/file'), '');
  const args = ['--data', data, '--backup-to', join(place, 'a/file'), '--backup-every', '24h'];
  const server = await ServerProcess.start(args);
  const begun = await server.ok('POST', '/backups', {});
  const failed = await ended(server, begun.id);
  expect(failed).toMatchObject({ state: 'failed', reason: expect.stringContaining('cannot be used') });
  // The schedule looked for its last backup there.
  await expect.poll(async () => (await server.ok('GET', '/health')).status).toBe('yellow');
  expect((await server.ok('GET', '/health')).backups).toMatchObject({
    status: 'yellow',
    reasons: [expect.stringMatching(/not made or removed as scheduled since .*cannot be used/)],
  });
  expect(await server.ok('GET', '/metrics')).toContain('pelorus_health{part="backups"} 1');
  await server.end();
});
