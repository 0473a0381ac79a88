import { hash } from 'node:crypto';
import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Inventory, sealed } from '@pelorus/files';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { KeyFiles } from '../src/key-files.js';
import type { KeyRecord } from '../src/key-record.js';
import { KeyStore, type KeyStoreOptions } from '../src/key-store.js';
import type { NewKey } from '../src/keys.js';

const START = Date.parse('2026-01-01T00:00:00Z');
const MINUTE = 60_000;

const admin: NewKey = { kind: 'api', name: 'boss', scope: 'admin', indexes: null, origins: null, expiresAt: null };
const reader: NewKey = { ...admin, name: 'reader', scope: 'read' };
const tracking: NewKey = {
  ...{ kind: 'tracking', name: 'events', customerId: 'c1', origins: ['https://shop.example'] },
  ...{ allowsNoOrigin: false, expiresAt: null },
};

let data: string;
let folder: string;
let clock: number;
let said: string[];
const opened: KeyStore[] = [];

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'pelorus-keys-'));
  folder = join(data, 'keys');
  clock = START;
  said = [];
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
  await rm(data, { recursive: true });
});

async function open(options: Partial<KeyStoreOptions> = {}): Promise<KeyStore> {
  const all = { countMax: 50, now: () => clock, warn: (text: string) => said.push(text), ...options };
  const store = await KeyStore.open(folder, { generations: await inventoryOf(), ...all });
  opened.push(store);
  return store;
}

async function inventoryOf(): Promise<Inventory> {
  const inventory = await Inventory.open(join(data, 'inventory.json'), (text) => said.push(text));
  await inventory.create();
  return inventory;
}

const reset = async () => {
  const options = { countMax: 50, generations: await inventoryOf(), now: () => clock };
  return KeyStore.reset(folder, 'boss', options);
};

const refusal = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    ({ code }) => code,
  );

/** Ages every file: they were made at the time of the machine, the clock of the tests is their own. */
async function ageFiles(): Promise<void> {
  for (const name of await readdir(folder)) await utimes(join(folder, name), START / 1000, START / 1000);
}

const keyFiles = async () => (await readdir(folder)).filter((name) => /^[0-9a-f-]{36}\./.test(name));

describe('without a key', () => {
  test('none is needed, and nothing is written', async () => {
    const store = await open();
    expect([store.isRequired, store.list(), store.find('svc_a_x')]).toEqual([false, [], undefined]);
    expect(await readdir(data)).toEqual(['inventory.copy-1.json', 'inventory.copy-2.json', 'inventory.json']);
  });

  test('the first must be one that can manage keys', async () => {
    const store = await open();
    const past = new Date(clock - 1).toISOString();
    for (const other of [reader, tracking, { ...admin, indexes: ['a'] }, { ...admin, expiresAt: past }] as NewKey[]) {
      expect(await refusal(store.create(other))).toBe('last_admin_key');
    }
    expect(store.isRequired).toBe(false);
    // As keys were before there were scopes.
    await store.create({ ...admin, scope: null } as NewKey);
    await store.create(reader);
    expect(store.isRequired).toBe(true);
  });
});

describe('a key', () => {
  test('is found by its secret alone, which no file holds', async () => {
    const store = await open();
    const { key, secret } = await store.create(admin);
    expect(store.find(secret)).toEqual({ key, hasExpired: false });
    for (const other of ['', 'x', secret.slice(0, -1), `${secret} `, secret.toLowerCase(), key.id]) {
      expect(store.find(other), other).toBeUndefined();
    }
    for (const name of await readdir(folder)) {
      expect(await readFile(join(folder, name), 'utf8')).not.toContain(secret.slice(8));
    }
  });

  test('is there when the folder is opened again', async () => {
    const store = await open();
    const made = [await store.create(admin), await store.create(reader), await store.create(tracking)];
    const again = await open();
    for (const { key, secret } of made) expect(again.find(secret)).toEqual({ key, hasExpired: false });
    expect(again.list()).toEqual(store.list());
  });

  test('is past its time at the very moment', async () => {
    const store = await open();
    await store.create(admin);
    const { secret } = await store.create({ ...reader, expiresAt: new Date(START + MINUTE).toISOString() } as NewKey);
    clock = START + MINUTE - 1;
    expect(store.find(secret)?.hasExpired).toBe(false);
    clock += 1;
    expect(store.find(secret)?.hasExpired).toBe(true);
  });

  test('has two secrets for as long as they overlap', async () => {
    const store = await open();
    const first = await store.create(admin);
    const second = await store.rotate(first.key.id, 60);
    const third = await store.rotate(first.key.id, 600);
    expect(new Set([first.secret, second.secret, third.secret]).size).toBe(3);
    const found = () => [first, second, third].map(({ secret }) => store.find(secret)?.key.id);
    const { id } = first.key;
    expect(found()).toEqual([id, id, id]);
    clock += MINUTE;
    expect(found()).toEqual([undefined, id, id]);
    clock += 9 * MINUTE;
    expect(found()).toEqual([undefined, undefined, id]);
    const last = await store.rotate(id, 0);
    expect(found()).toEqual([undefined, undefined, undefined]);
    expect(store.find(last.secret)?.key.secrets).toHaveLength(1);
  });

  test('has at most eight secrets', async () => {
    const store = await open();
    const { key } = await store.create(admin);
    for (let more = 0; more < 7; more += 1) await store.rotate(key.id, 3600);
    expect(await refusal(store.rotate(key.id, 3600))).toBe('operation_conflict_error');
    clock += 3600 * 1000;
    expect(await refusal(store.rotate(key.id, 3600))).toBe('done');
  });

  test('is gone for ever when it is revoked', async () => {
    const store = await open();
    await store.create(admin);
    const { key, secret } = await store.create(reader);
    await store.revoke(key.id);
    for (const each of [store, await open()]) {
      expect(each.find(secret)).toBeUndefined();
      expect(await refusal(each.revoke(key.id))).toBe('key_not_found');
      expect(await refusal(each.rotate(key.id, 0))).toBe('key_not_found');
    }
  });

  test('is one of so many', async () => {
    const store = await open({ countMax: 2 });
    await store.create(admin);
    const { key } = await store.create(reader);
    expect(await refusal(store.create(reader))).toBe('quota_exceeded');
    await store.revoke(key.id);
    expect(await refusal(store.create(tracking))).toBe('done');
  });

  test('tells its last use to the minute, also to who opens the folder later', async () => {
    const store = await open();
    const { key } = await store.create(admin);
    const lastUsed = (of: KeyStore) => of.list()[0]?.lastUsedAt;
    expect(lastUsed(store)).toBeNull();
    store.noteUse(key.id);
    clock += MINUTE - 1;
    store.noteUse(key.id);
    expect(lastUsed(store)).toBe(new Date(START).toISOString());
    clock += 1;
    store.noteUse(key.id);
    await store.close();
    expect(lastUsed(await open())).toBe(new Date(START + MINUTE).toISOString());
  });
});

describe('the last key that can manage keys', () => {
  test.each<[string, (store: KeyStore, id: string) => Promise<unknown>]>([
    ['revoked', (store, id) => store.revoke(id)],
    ['bound to indexes', (store, id) => store.update(id, (key) => ({ ...key, indexes: ['a'] }) as KeyRecord)],
    ['expired', (store, id) => store.update(id, (key) => ({ ...key, expiresAt: new Date(clock).toISOString() }))],
  ])('is not %s', async (_what, change) => {
    const store = await open();
    const { key, secret } = await store.create(admin);
    await store.create(reader);
    await store.create({ ...admin, indexes: ['a'] } as NewKey);
    expect(await refusal(change(store, key.id))).toBe('last_admin_key');
    expect(store.find(secret)).toEqual({ key, hasExpired: false });
    await store.create(admin);
    expect(await refusal(change(store, key.id))).toBe('done');
  });

  test('may be rotated and renamed', async () => {
    const store = await open();
    const { key } = await store.create(admin);
    const { secret } = await store.rotate(key.id, 0);
    await store.update(key.id, (before) => ({ ...before, name: 'other' }));
    expect(store.find(secret)?.key.name).toBe('other');
  });

  test('may go where the environment has one', async () => {
    const store = await open({ adminSecret: 'a secret of the operator' });
    const { key } = await store.create(reader);
    await store.revoke(key.id);
    expect(store.find('a secret of the operator')?.key).toMatchObject({ scope: 'admin', indexes: null });
    expect(store.list()).toEqual([]);
  });
});

describe('a door that was closed stays closed', () => {
  test('when every key has expired', async () => {
    const store = await open();
    await store.create({ ...admin, expiresAt: new Date(START + 1).toISOString() } as NewKey);
    clock = START + MINUTE;
    expect((await open()).isRequired).toBe(true);
  });

  test('when a file is damaged, which is told once', async () => {
    const store = await open();
    const { secret } = await store.create(admin);
    const [name = ''] = await keyFiles();
    const text = await readFile(join(folder, name), 'utf8');
    for (const other of ['', '{', 'null', '[]', text.slice(0, -20), text.replace('admin', 'read'), `${text}x`]) {
      await writeFile(join(folder, name), other);
      const damaged = await open();
      expect([damaged.isRequired, damaged.find(secret)], other).toEqual([true, undefined]);
      expect(said.splice(0)).toEqual([expect.stringContaining(name)]);
    }
    await writeFile(join(folder, name), text);
    expect((await open()).find(secret)).toBeDefined();
  });

  test('when the file of a key is gone, which is told until the key is revoked, and a copy comes too late then', async () => {
    const store = await open();
    await store.create(admin);
    const { key, secret } = await store.create(reader);
    const path = join(folder, `${key.id}.1.json`);
    const copy = await readFile(path);
    await rm(path);
    const reason = 'Keys that are refused since their files are gone: 1; the log names these';
    const told = [{ status: 'yellow', reason }];
    for (let start = 0; start < 2; start += 1) {
      const again = await open();
      // A change of another key forgets nothing.
      await again.create(reader);
      expect([again.find(secret), again.problems]).toEqual([undefined, told]);
      expect(said.splice(0)).toEqual([`Files of keys are gone, so that these keys are refused: ${key.id}`]);
    }
    await (await open()).revoke(key.id);
    await writeFile(path, copy);
    const after = await open();
    expect([after.find(secret), after.problems]).toEqual([undefined, []]);
  });

  test('when a damaged key is revoked', async () => {
    const store = await open();
    await store.create(admin);
    const { key } = await store.create(reader);
    await writeFile(join(folder, `${key.id}.1.json`), 'noise');
    const damaged = await open();
    expect(damaged.problems).toHaveLength(1);
    await damaged.revoke(key.id);
    expect([damaged.problems, (await open()).problems]).toEqual([[], []]);
  });

  test('when their folder is gone that was there', async () => {
    const store = await open();
    const { key, secret } = await store.create(admin);
    await rm(folder, { recursive: true });
    const again = await open();
    const problems = [{ status: 'red', reason: said.splice(0).join() }];
    expect([again.isRequired, again.find(secret), again.problems]).toEqual([true, undefined, problems]);
    await again.create(admin);
    expect(again.problems).toEqual([{ status: 'yellow', reason: expect.stringMatching(/gone: 1/) }]);
    expect(said.splice(0).join()).toContain(key.id);
    await again.revoke(key.id);
    expect([again.problems, (await open()).problems]).toEqual([[], []]);
  });

  test('when their folder is gone, and nothing tells of it but the word of another', async () => {
    const store = await open({ wasThere: true });
    expect([store.isRequired, store.problems]).toEqual([true, [{ status: 'red', reason: said.join() }]]);
    expect(await readdir(data)).not.toContain('keys');
  });

  test.each(['with its list', 'with both lists'])('when their folder was emptied %s', async (how) => {
    const { key, secret } = await (await open()).create(admin);
    for (const name of await readdir(folder)) await rm(join(folder, name));
    if (how === 'with both lists') await rm(`${folder}.json`);
    for (let start = 0; start < 2; start += 1) {
      const again = (await open()).follow();
      await again.close();
      expect([again.isRequired, again.find(secret)]).toEqual([true, undefined]);
      expect(again.problems).toEqual([
        { status: 'red', reason: expect.stringMatching(/gone: 1|list\.json is missing/) },
      ]);
    }
    expect(said.join()).toContain(how === 'with its list' ? key.id : 'list.json is missing');
  });

  test.each(['older', 'noise', 'gone'])('when both lists are %s, until they are begun anew', async (how) => {
    const store = await open();
    const { secret } = await store.create(admin);
    const lists = [join(folder, 'list.json'), `${folder}.json`];
    const before = await Promise.all(lists.map((path) => readFile(path)));
    const added = await store.create(reader);
    for (const [at, path] of lists.entries()) {
      if (how === 'gone') await rm(path);
      else await writeFile(path, how === 'older' ? (before[at] as Buffer) : how);
    }
    const again = (await open()).follow();
    expect([again.isRequired, again.find(secret), again.find(added.secret)]).toEqual([true, undefined, undefined]);
    expect([again.problems.map(({ status }) => status), said.length]).toEqual([['red'], 1]);
    expect(said.splice(0).join()).toContain('pelorus keys reset');
    expect(await refusal(again.create(reader))).toBe('backend_data_parsing_error');
    const issued = await reset();
    const after = await open();
    expect([after.find(secret), after.find(issued.secret)?.key.name, after.problems]).toEqual([undefined, 'boss', []]);
  });

  test.each(['gone', 'noise', 'older'])(
    'when an older folder is put back and the list beside it is %s',
    async (how) => {
      const store = await open();
      const boss = await store.create(admin);
      const revoked = await store.create(reader);
      const copy = join(data, 'copy');
      await cp(folder, copy, { recursive: true });
      const list = await readFile(`${folder}.json`);
      await store.revoke(revoked.key.id);
      await store.rotate(boss.key.id, 0);
      await rm(folder, { recursive: true });
      await cp(copy, folder, { recursive: true });
      if (how === 'gone') await rm(`${folder}.json`);
      else await writeFile(`${folder}.json`, how === 'older' ? list : how);
      for (let start = 0; start < 2; start += 1) {
        const again = (await open()).follow();
        await again.close();
        expect([again.find(revoked.secret), again.find(boss.secret), again.isRequired]).toEqual([
          undefined,
          undefined,
          true,
        ]);
        expect(again.problems).toEqual([{ status: 'red', reason: said.splice(0).join() }]);
      }
      await reset();
      const after = await open();
      expect([after.find(revoked.secret), after.find(boss.secret), after.problems]).toEqual([undefined, undefined, []]);
    },
  );

  test('when a process is killed while it lists the first key, and nobody is locked out', async () => {
    await inventoryOf();
    await cp(data, `${data}-before`, { recursive: true });
    const { secret } = await (await open()).create(admin);
    await rm(join(folder, 'list.json'));
    await cp(`${data}-before`, data, { recursive: true });
    await rm(`${data}-before`, { recursive: true });
    const again = (await open()).follow();
    await again.close();
    expect([again.find(secret)?.key.name, again.problems]).toEqual(['boss', []]);
    expect(await readFile(join(folder, 'list.json'), 'utf8')).toBe(await readFile(`${folder}.json`, 'utf8'));
  });

  test.each<[string, object, 'writeLists' | 'raise']>([
    ['before the lists are written', KeyFiles.prototype, 'writeLists'],
    ['before their generation is noted', Inventory.prototype, 'raise'],
  ])('when a process is killed in the middle of a change, %s, and nobody is locked out', async (_when, of, call) => {
    const store = await open();
    const boss = await store.create(admin);
    const { key, secret } = await store.create(reader);
    vi.spyOn(of as KeyFiles, call as 'writeLists').mockRejectedValue(new Error('killed'));
    await store.revoke(key.id);
    await store.rotate(boss.key.id, 3600);
    await open().then((other) => other.create(reader));
    vi.restoreAllMocks();
    said.splice(0);
    for (let start = 0; start < 2; start += 1) {
      const again = (await open()).follow();
      await again.close();
      expect([again.find(secret), again.find(boss.secret)?.key.id]).toEqual([undefined, boss.key.id]);
      expect([again.list().length, again.problems]).toEqual([2, []]);
      const told = start === 0 && call === 'raise' ? [expect.stringContaining('a process was killed')] : [];
      expect(said.splice(0)).toEqual(told);
    }
    expect((await inventoryOf()).least('keys/list')).toBeGreaterThan(2);
  });

  test.each([0, 1])('when list %i is gone, damaged or older: it is told in a line, and written anew', async (at) => {
    const store = await open();
    const { secret } = await store.create(admin);
    const lists = [join(folder, 'list.json'), `${folder}.json`] as const;
    const path = lists[at] as string;
    const older = await readFile(path);
    await store.create(reader);
    for (const damage of [() => rm(path), () => writeFile(path, 'noise'), () => writeFile(path, older)]) {
      await damage();
      const again = (await open()).follow();
      await again.close();
      expect([again.find(secret)?.key.name, again.problems]).toEqual(['boss', []]);
      expect(said.splice(0)).toHaveLength(1);
      expect(await readFile(lists[0], 'utf8')).toBe(await readFile(lists[1], 'utf8'));
    }
    await open();
    expect(said).toEqual([]);
  });

  test('when a file is put back that is older than its key', async () => {
    const store = await open();
    await store.create(admin);
    const [kept, gone] = [await store.create(reader), await store.create(reader)];
    const paths = [kept, gone].map(({ key }) => join(folder, `${key.id}.1.json`));
    const copies = await Promise.all(paths.map((path) => readFile(path)));
    await store.update(kept.key.id, (before) => ({ ...before, name: 'other' }));
    await store.revoke(gone.key.id);
    // Long after a revocation there is no file of the key.
    clock += 3 * 24 * 60 * MINUTE;
    await store.create(reader);
    for (const name of await keyFiles()) {
      if (name.startsWith(kept.key.id) || name.startsWith(gone.key.id)) await rm(join(folder, name));
    }
    for (const [at, path] of paths.entries()) await writeFile(path, copies[at] as Buffer);
    const again = await open();
    expect([again.find(kept.secret), again.find(gone.secret)]).toEqual([undefined, undefined]);
    expect(again.problems).toEqual([{ status: 'yellow', reason: expect.stringMatching(/older.*: 2/) }]);
    for (const { key } of [kept, gone]) expect(said.join()).toContain(`${key.id}.1.json is an older one`);
    expect(said).toHaveLength(2);
    await again.revoke(kept.key.id);
    await again.revoke(gone.key.id);
    expect([again.problems, (await open()).problems]).toEqual([[], []]);
  });

  test('when they are begun anew with one key, whatever is wrong, and what was there is kept and counts no more', async () => {
    const wrongs = [
      async () => {
        for (const path of [join(folder, 'list.json'), `${folder}.json`]) await writeFile(path, 'noise');
      },
      async () => undefined,
      () => rm(folder, { recursive: true }),
      async () => {
        await rm(folder, { recursive: true });
        await writeFile(folder, 'a file');
      },
    ];
    const store = await open();
    const first = await store.create(admin);
    const path = join(folder, `${first.key.id}.1.json`);
    const copy = await readFile(path);
    for (const wrong of wrongs) {
      await wrong();
      const issued = await reset();
      const after = (await open()).follow();
      expect([after.find(first.secret), after.find(issued.secret)?.key.name]).toEqual([undefined, 'boss']);
      expect([after.isRequired, after.problems, after.list().length]).toEqual([true, [], 1]);
      expect(await readdir(join(data, 'damaged'))).toContain(basename(issued.aside));
    }
    await writeFile(path, copy);
    expect((await open()).find(first.secret)).toBeUndefined();
  });

  test('when a folder of before they were begun anew is put back, though no list knew its keys then', async () => {
    const store = await open();
    await store.create(admin);
    const { key, secret } = await store.create(reader);
    const file = join(folder, `${key.id}.1.json`);
    const copy = await readFile(file);
    await rm(file);
    for (const path of [join(folder, 'list.json'), `${folder}.json`]) await writeFile(path, 'noise');
    clock += MINUTE;
    await reset();
    await writeFile(file, copy);
    const again = (await open()).follow();
    expect([again.find(secret), again.problems.map(({ status }) => status)]).toEqual([undefined, ['yellow']]);
    expect(said.join()).toContain('put back since the keys were begun anew');
    // A clock that was set back makes no key that is refused.
    clock -= 10 * MINUTE;
    const issued = await again.create(reader);
    await again.revoke(key.id);
    const after = await open();
    expect([after.find(issued.secret)?.key.id, after.problems]).toEqual([issued.key.id, []]);
  });

  test('while they are begun anew: a crash in between leaves what tells of keys, and no key that counts', async () => {
    const first = await (await open()).create(admin);
    for (const isListLost of [true, false]) {
      if (isListLost) await rm(`${folder}.json`);
      vi.spyOn(KeyFiles.prototype, 'write').mockRejectedValue(new Error('crash'));
      await expect(reset()).rejects.toThrow('crash');
      vi.restoreAllMocks();
      const after = await open();
      expect([after.isRequired, after.find(first.secret)]).toEqual([true, undefined]);
      expect(after.problems).toEqual([
        { status: 'red', reason: expect.stringContaining('folder of the keys is gone') },
      ]);
    }
    const { secret } = await reset();
    const again = await open();
    expect([again.find(secret)?.key.name, again.find(first.secret), again.problems]).toEqual(['boss', undefined, []]);
  });

  test('while they are begun anew: a crash before the first key is stored is told, though nothing is lost', async () => {
    const first = await (await open()).create(admin);
    vi.spyOn(KeyFiles.prototype, 'write').mockImplementation(async () => {
      await mkdir(folder);
      throw new Error('crash');
    });
    await expect(reset()).rejects.toThrow('crash');
    vi.restoreAllMocks();
    const after = await open();
    expect([after.isRequired, after.find(first.secret)]).toEqual([true, undefined]);
    expect(after.problems).toEqual([{ status: 'red', reason: expect.stringContaining('There is no key') }]);
  });

  test('but all files of one moment, put back together, are good', async () => {
    const store = await open();
    const { key, secret } = await store.create(admin);
    await cp(data, `${data}-copy`, { recursive: true });
    await store.rotate(key.id, 0);
    await store.create(reader);
    await rm(data, { recursive: true });
    await rename(`${data}-copy`, data);
    const again = await open();
    expect([again.find(secret)?.key.id, again.problems, said]).toEqual([key.id, [], []]);
  });

  test('and keys of before versions were listed are good, and listed anew', async () => {
    const store = await open();
    const { key, secret } = await store.create(admin);
    await store.update(key.id, (before) => before);
    for (const list of [sealed([key.id], { name: 'keys/list' }), null]) {
      await rm(`${folder}.json`);
      for (const name of ['inventory.json', 'inventory.copy-1.json', 'inventory.copy-2.json']) {
        await rm(join(data, name), { force: true });
      }
      await (list === null ? rm(join(folder, 'list.json')) : writeFile(join(folder, 'list.json'), list));
      const again = (await open()).follow();
      await again.close();
      expect([again.find(secret)?.key.id, again.problems, said]).toEqual([key.id, [], []]);
      expect(await readFile(`${folder}.json`, 'utf8')).toContain(`"${key.id}":2`);
    }
  });

  test('when a key was revoked, however late the word of it is forgotten', async () => {
    const store = await open();
    await store.create(admin);
    const { key } = await store.create(reader);
    await store.revoke(key.id);
    const ownFiles = async () => (await keyFiles()).filter((name) => name.startsWith(key.id));
    await ageFiles();
    clock += 2 * MINUTE;
    await store.create(reader);
    expect(await ownFiles()).toEqual([`${key.id}.2.json`]);
    clock += 2 * 24 * 60 * MINUTE;
    await store.create(reader);
    expect(await ownFiles()).toEqual([]);
    expect([(await open()).problems, said]).toEqual([[], []]);
  });

  test('when any bit of a file is another', async () => {
    const { secret } = await (await open()).create(admin);
    const [name = ''] = await keyFiles();
    const bytes = await readFile(join(folder, name));
    for (let at = 0; at < bytes.length; at += 1) {
      const other = Buffer.from(bytes);
      other.writeUInt8(bytes.readUInt8(at) ^ (1 << (at % 8)), at);
      await writeFile(join(folder, name), other);
      expect((await open()).find(secret)).toBeUndefined();
    }
  });

  test('when the newest file of a revoked key is damaged', async () => {
    const store = await open();
    await store.create(admin);
    const { key, secret } = await store.create(reader);
    await store.revoke(key.id);
    await writeFile(join(folder, `${key.id}.2.json`), '');
    expect((await open()).find(secret)).toBeUndefined();
  });

  test.each(['revoked', 'rotated'])('when the newest file of a key that was %s is lost', async (how) => {
    const store = await open();
    await store.create(admin);
    const { key, secret } = await store.create(reader);
    await (how === 'revoked' ? store.revoke(key.id) : store.rotate(key.id, 0));
    await rm(join(folder, `${key.id}.2.json`));
    expect((await open()).find(secret)).toBeUndefined();
  });

  test('when the file of a key is a copy of that of another', async () => {
    const store = await open();
    const boss = await store.create(admin);
    const { key, secret } = await store.create(reader);
    await copyFile(join(folder, `${boss.key.id}.1.json`), join(folder, `${key.id}.1.json`));
    await copyFile(join(folder, `${boss.key.id}.1.json`), join(folder, `${key.id}.7.json`));
    const again = await open();
    expect([again.find(secret), again.find(boss.secret)?.key.id]).toEqual([undefined, boss.key.id]);
    expect(again.list()).toHaveLength(1);
  });

  test('and a key of before files were sealed is good, and sealed by its next change', async () => {
    const store = await open();
    const { key, secret } = await store.create(admin);
    const path = join(folder, `${key.id}.1.json`);
    const sha256 = hash('sha256', JSON.stringify({ key }));
    await writeFile(path, `${JSON.stringify({ format: 1, key, sha256 }, null, 1)}\n`);
    const again = await open();
    expect(again.find(secret)?.key).toEqual(key);
    await again.update(key.id, (before) => ({ ...before, name: 'renamed' }));
    expect(await readFile(join(folder, `${key.id}.2.json`), 'utf8')).toMatch(/^\{"format":2,/);
    await writeFile(path, JSON.stringify({ format: 1, key: { ...key, scope: 'admin', name: 'x' }, sha256 }));
    await rm(join(folder, `${key.id}.2.json`));
    expect((await open()).find(secret)).toBeUndefined();
  });

  test('when the folder vanishes below a process that follows it', async () => {
    const store = (await open({ now: Date.now })).follow();
    const { secret } = await store.create(admin);
    await rm(folder, { recursive: true });
    await expect.poll(() => store.find(secret)).toBeUndefined();
    expect(store.isRequired).toBe(true);
  });
});

describe('two processes', () => {
  test('see what the other one changed within a second', async () => {
    const [mine, others] = [(await open({ now: Date.now })).follow(), await open({ now: Date.now })];
    const { key, secret } = await others.create(admin);
    await expect.poll(() => mine.find(secret)?.key).toEqual(key);
    const second = await others.rotate(key.id, 0);
    await expect.poll(() => mine.find(secret)).toBeUndefined();
    expect(mine.find(second.secret)?.key.id).toBe(key.id);
    expect(mine.isRequired).toBe(true);
  });

  test('lose none of their changes to one key', async () => {
    const stores = [await open(), await open(), await open()];
    const { key } = await (stores[0] as KeyStore).create({ ...admin, indexes: null } as NewKey);
    const add = (name: string) => (before: KeyRecord) => ({ ...before, name: `${before.name} ${name}` });
    const names = Array.from({ length: 18 }, (_, at) => `n${at}`);
    const changes = names.map((name, at) => (stores[at % 3] as KeyStore).update(key.id, add(name)));
    await Promise.all(changes);
    expect((await open()).list()[0]?.key.name.split(' ').toSorted()).toEqual(['boss', ...names].toSorted());
  });

  test('make a change once, however many come right after it', async () => {
    const stores = await Promise.all(Array.from({ length: 6 }, () => open()));
    const { key } = await (stores[0] as KeyStore).create(admin);
    for (let round = 0; round < 10; round += 1) {
      await Promise.all(
        stores.map((store) => store.update(key.id, (before) => ({ ...before, name: `${before.name}.` }))),
      );
    }
    expect((await open()).list()[0]?.key.name).toBe(`boss${'.'.repeat(60)}`);
  });

  test('cannot bring back a key that the other one revoked', async () => {
    const [one, two] = [await open(), await open()];
    await one.create(admin);
    for (let round = 0; round < 20; round += 1) {
      const { key, secret } = await one.create(reader);
      const outcomes = await Promise.all([
        refusal(one.revoke(key.id)),
        refusal(two.update(key.id, (before) => ({ ...before, name: 'still here' }))),
        refusal(two.rotate(key.id, 60)),
      ]);
      expect(outcomes[0]).toBe('done');
      for (const store of [one, two, await open()]) {
        await refusal(store.revoke('read again'));
        expect(store.find(secret), outcomes.join()).toBeUndefined();
      }
    }
  });
});

test('files that no process needs are swept away, and the record of a revocation last', async () => {
  const store = await open({ now: () => clock });
  const { key } = await store.create(admin);
  const gone = await store.create(reader);
  for (let more = 0; more < 3; more += 1) await store.rotate(key.id, 0);
  await store.revoke(gone.key.id);
  await writeFile(join(folder, 'draft-of-a-process-that-was-killed'), '');
  const replaced = join(folder, `${key.id}.1.json`);
  await writeFile(replaced, 'left by a process that was killed before it removed it');
  expect(await keyFiles()).toHaveLength(6);

  const age = async (ms: number) => {
    clock += ms;
    await ageFiles();
    await store.update(key.id, (before) => before);
  };
  await age(2 * MINUTE);
  expect(await readdir(folder)).not.toContainEqual(expect.stringMatching(/^draft/));
  await age(2 * MINUTE);
  // The name of the version that was replaced just now stays for a while.
  const own = [`${key.id}.5.json`, `${key.id}.6.json`];
  expect((await keyFiles()).toSorted()).toEqual([`${gone.key.id}.2.json`, ...own].toSorted());
  expect(await readFile(join(folder, `${key.id}.5.json`), 'utf8')).toBe('');
  await age(25 * 60 * MINUTE);
  expect(await keyFiles()).not.toContain(`${gone.key.id}.2.json`);
});
