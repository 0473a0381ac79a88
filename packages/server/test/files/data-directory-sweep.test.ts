import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Inventory } from '@pelorus/files';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keysListedIn, openKeys } from '../../src/auth/open-keys.js';
import { readConfig } from '../../src/config.js';
import { damagedCopy, INVENTORIES, someDamagedSets } from './data-directory.js';

const SEED = Number(process.env.PELORUS_FAULTS_SEED ?? 20_261_126);

const root = mkdtempSync(join(tmpdir(), 'pelorus-sweep-'));
const [whole, earlier, tried] = ['whole', 'earlier', 'tried'].map((name) => join(root, name)) as [
  string,
  string,
  string,
];
const secrets = { boss: '', revoked: '', rotated: '' };

/** The entries at the root that keys hang on. */
const ENTRIES = ['keys', 'keys.json', ...INVENTORIES];

/** The door of a service, as either form opens it. */
async function open(dataDir: string) {
  const told: string[] = [];
  const warn = (message: string) => void told.push(message);
  const inventory = await Inventory.open(join(dataDir, 'inventory.json'), warn);
  const config = readConfig({ PELORUS_DATA_DIR: dataDir });
  const keys = await openKeys(config, {}, keysListedIn(inventory, warn));
  await inventory.begin();
  return { inventory, keys, told };
}

beforeAll(async () => {
  let { inventory, keys } = await open(whole);
  const key = { kind: 'api', indexes: null, origins: null, expiresAt: null } as const;
  const boss = await keys.create({ ...key, name: 'boss', scope: 'admin' });
  const [revoked, rotated] = [
    await keys.create({ ...key, name: 'revoked', scope: 'read' }),
    await keys.create({ ...key, name: 'rotated', scope: 'read' }),
  ];
  for (const [name, { secret }] of Object.entries({ boss, revoked, rotated })) secrets[name as 'boss'] = secret;
  await inventory.add('index/boots');
  await keys.close();
  cpSync(whole, earlier, { recursive: true });
  ({ inventory, keys } = await open(whole));
  await keys.revoke(revoked.key.id);
  await keys.rotate(rotated.key.id, 0);
  await inventory.add('index/hats');
  await keys.close();
});
afterAll(() => rmSync(root, { recursive: true }));

test.each(someDamagedSets(ENTRIES, 100, SEED))(
  'no key that ended is good, and nothing is silent: %s',
  async (_name, set, seed) => {
    damagedCopy(whole, earlier, tried, set, seed);
    for (const start of ['first', 'second']) {
      const { keys, inventory, told } = await open(tried);
      const found = [keys.isRequired, keys.find(secrets.revoked), keys.find(secrets.rotated)];
      expect([start, ...found]).toEqual([start, true, undefined, undefined]);
      const problems = [...keys.problems, ...inventory.problems];
      // Lists that are as good as their copies are written anew with the first start.
      const isMended = start === 'second' && problems.length === 0;
      expect([start, told.length > 0 || set.length === 0 || isMended]).toEqual([start, true]);
      expect(keys.find(secrets.boss) !== undefined || problems.length > 0).toBe(true);
      await keys.follow().close();
    }
  },
);
