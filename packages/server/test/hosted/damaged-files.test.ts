import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { Shops } from '@pelorus/ecommerce';
import { openEventStore } from '@pelorus/events';
import { Inventory, sealed } from '@pelorus/files';
import { defaultResources, type HostedIndex, IndexHosting } from '@pelorus/hosted';
import { createInference } from '@pelorus/inference';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Random } from '../../../cli/src/demo/random.js';
import { keysListedIn, openKeys } from '../../src/auth/open-keys.js';
import { readConfig } from '../../src/config.js';
import { createGateway } from '../../src/gateway.js';
import { damagedCopy, INVENTORIES, someDamagedSets } from '../files/data-directory.js';

const SEED = Number(process.env.PELORUS_FAULTS_SEED ?? 20_261_126);
const [BOOTS, HATS, PLAIN] = ['b'.repeat(16), 'a'.repeat(16), 'c'.repeat(16)] as const;
const ADMIN = 'svc-admin-of-the-environment-000';
const EVIL = 'https://evil.example';
const OWN = 'https://boots.example';

/** Whole, as a service leaves it that was stopped. */
const whole = mkdtempSync(join(tmpdir(), 'pelorus-damage-'));
/** The same at an earlier moment. */
const earlier = mkdtempSync(join(tmpdir(), 'pelorus-earlier-'));
const secrets = { reader: '', revoked: '', other: '' };
const ids = { reader: '', revoked: '', other: '' };

interface Service {
  readonly app: FastifyInstance;
  readonly log: readonly string[];
  readonly hosting: IndexHosting;
  readonly keys: Awaited<ReturnType<typeof openKeys>>;
  close(): Promise<void>;
}

/** The whole hosted form, but for the processes of its indexes, of which these have none. */
async function start(dataDir: string): Promise<Service> {
  const log: string[] = [];
  const tell = pino({ level: 'warn' }, { write: (line: string) => void log.push(line) });
  const config = readConfig({ PELORUS_DATA_DIR: dataDir, MARQO_LOG_LEVEL: 'silent' });
  const warn = (message: string) => tell.warn(message);
  const inventory = await Inventory.open(join(dataDir, 'inventory.json'), warn);
  const keys = (await openKeys(config, { PELORUS_ADMIN_KEY: ADMIN }, keysListedIn(inventory, warn))).follow();
  await inventory.begin();
  const inference = createInference({
    ...{ modelDir: join(dataDir, 'models'), modelFile: new Map(), hubUrl: null, mavenCommand: null, mediaNetworks: [] },
    threads: 1,
  });
  const hosting = await IndexHosting.open({
    folder: join(dataDir, 'hosted', 'indexes'),
    inventory,
    socketFolder: dataDir,
    command: { file: process.execPath, args: [], env: {} },
    indexesMax: 20,
    modelMemoryMax: 4,
    report: (level, fields, text) => tell[level](fields, text),
  });
  const opened = Promise.withResolvers<void>();
  const events = openEventStore({
    ...{ folder: join(dataDir, 'events'), wasThere: inventory.has('events') },
    ...{ onOpen: opened.resolve, onFault: warn },
  });
  await opened.promise;
  await inventory.add('events');
  const shops = await Shops.open({
    hosted: hosting,
    limits: { limitMax: 1000, offsetMax: 10_000, contextDocumentsMax: 10 },
    folder: join(dataDir, 'ecommerce'),
    inventory,
    tell: (fields, text) => tell.error(fields, text),
  });
  const app = createGateway({
    hosting,
    shops,
    inference,
    keys,
    events,
    config,
    log: tell,
    filesProblems: inventory.problems,
  });
  return {
    ...{ app, log, keys, hosting },
    close: async () => {
      await app.close();
      await shops.close();
      await events.close();
      await hosting.close();
      await inference.close();
      await keys.close();
    },
  };
}

const record = (id: string, name: string, isShop: boolean): HostedIndex => ({
  ...{ id, name, state: 'READY', failure: null, createdAt: '2026-01-02T03:04:05.678Z' },
  ...{ changedAt: '2026-01-02T03:04:05.678Z', settings: { model: 'random/small' } },
  resources: { ...defaultResources, numberOfInferences: 0 },
  shop: isShop ? { indexId: `public-${name}`, modelType: 'custom', collectionField: 'productCollections' } : null,
});

async function call(
  app: FastifyInstance,
  request: string,
  body?: object,
  headers: Record<string, string> = { 'x-api-key': ADMIN },
) {
  const [method = '', url = ''] = request.split(' ');
  return await app.inject({ method: method as 'GET', url, headers, ...(body !== undefined && { payload: body }) });
}

const status = async (...of: Parameters<typeof call>) => (await call(...of)).statusCode;

/** A search by a page: 503 of one that is let in, as there is no process that could answer it. */
const search = (app: FastifyInstance, shop: string, headers: Record<string, string>) =>
  status(
    app,
    `POST /api/v1/indexes/${shop}/search`,
    { q: 'boots' },
    { 'x-svc-index-id': `public-${shop}`, ...headers },
  );

beforeAll(async () => {
  await (await Inventory.open(join(whole, 'inventory.json'), () => undefined)).create();
  for (const [id, name, isShop] of [
    [BOOTS, 'boots', true],
    [HATS, 'hats', true],
    [PLAIN, 'plain', false],
  ] as const) {
    const folder = join(whole, 'hosted', 'indexes', id);
    cpSync(mkdtempSync(join(whole, 'empty-')), join(folder, 'data'), { recursive: true });
    writeFileSync(join(folder, 'record.json'), sealed(record(id, name, isShop), { name: `${id}/record` }));
  }
  let service = await start(whole);
  const { keys } = service;
  const key = { kind: 'api', scope: 'read', indexes: null, origins: null, expiresAt: null } as const;
  for (const name of ['reader', 'revoked', 'other'] as const) {
    const issued = await keys.create({ ...key, name });
    secrets[name] = issued.secret;
    ids[name] = issued.key.id;
  }
  keys.noteUse(ids.reader);
  await prepare(service.app, 'as it was');
  const collection = { id: 'summer', displayName: 'Summer' };
  expect(await status(service.app, 'POST /api/v1/collections', collection)).toBeLessThan(300);
  await service.close();
  cpSync(whole, earlier, { recursive: true });
  service = await start(whole);
  await service.keys.revoke(ids.revoked);
  await prepare(service.app, 'We sell');
  expect(await status(service.app, 'POST /api/v1/collections', { ...collection, id: 'winter' })).toBeLessThan(300);
  await service.hosting.modify('boots', {
    ...defaultResources,
    numberOfInferences: 0,
    storageClass: 'svc.performance',
  });
  await vi.waitFor(() => expect(service.hosting.get('boots')?.state).toBe('READY'), 60_000);
  await service.close();
});
afterAll(() => {
  for (const folder of [whole, earlier]) rmSync(folder, { recursive: true, force: true });
});

/** Says and sets something of the shops, the second time what closes them. */
async function prepare(app: FastifyInstance, words: string): Promise<void> {
  for (const shop of ['boots', 'hats']) {
    const at = `/api/v1/indexes/${shop}`;
    const settings =
      words === 'We sell' ? { requireApiKey: shop === 'boots', allowedOrigins: [OWN] } : { customerId: shop };
    expect(await status(app, `PATCH ${at}/settings`, settings)).toBe(200);
    expect(await status(app, `PUT ${at}/agentic-context`, { text: `${words} ${shop}.` })).toBe(200);
    const articles = [{ id: 'a', title: 'Returns', text: `Within a month, ${words}.` }];
    expect(await status(app, `POST ${at}/help-center/reindex`, { articles })).toBe(202);
  }
}

/** The thing that is lost with a file that cannot be used. */
type Owner =
  | 'index'
  | 'shop'
  | 'words'
  | 'collections'
  | 'key'
  | 'unknown key'
  | 'all keys'
  | 'list'
  | 'events'
  | 'nothing';

/** Owners whose loss is told apart from indexes. */
const NOT_OF_AN_INDEX: ReadonlySet<Owner> = new Set(['collections', 'all keys', 'list']);

const health: Readonly<Record<Owner, 'red' | 'yellow' | 'green'>> = {
  ...{ index: 'red', shop: 'red', words: 'red', collections: 'red', 'all keys': 'red', list: 'red' },
  ...{ key: 'yellow', 'unknown key': 'yellow', events: 'yellow', nothing: 'green' },
};

interface Kept {
  /** Path in the data directory. */
  readonly path: () => string;
  /** Path of a file of the same kind, of another owner. */
  readonly neighbour: () => string;
  readonly owner: Owner;
  /** The thing that is lost with the file where it is gone; the same where absent. */
  readonly gone?: Owner;
  /** The thing that is lost where the file is an older one; the same where absent, null where such a file is the same. */
  readonly older?: Owner | null;
}

const of = (id: string, name: string) => () => join('hosted', 'indexes', id, name);
const ofKey = (name: keyof typeof ids, version: number) => () => join('keys', `${ids[name]}.${version}.json`);
const beside = (name: string, owner: Owner, older: Owner | null = owner): Kept => ({
  path: of(BOOTS, name),
  neighbour: of(HATS, name),
  owner,
  older,
});

const files: Readonly<Record<string, Kept>> = {
  'the record of an index': beside('record.json', 'index'),
  'the name of an index': beside('name.json', 'nothing', null),
  'the list of files of a shop': beside('shop.json', 'shop'),
  'the newest settings of a shop': beside('settings/2.json', 'shop', null),
  'earlier settings of a shop': beside('settings/1.json', 'nothing', null),
  'the context of a shop': beside('context.json', 'words'),
  'the help centre of a shop': beside('help-centre.json', 'words'),
  'the collections': {
    path: () => join('ecommerce', 'collections.json'),
    neighbour: of(HATS, 'context.json'),
    owner: 'collections',
  },
  'the list of what must be there': {
    path: () => 'inventory.json',
    neighbour: of(HATS, 'context.json'),
    owner: 'nothing',
  },
  'a copy of the list of what must be there': {
    path: () => 'inventory.copy-1.json',
    neighbour: of(HATS, 'context.json'),
    owner: 'nothing',
  },
  'a key': { path: ofKey('reader', 1), neighbour: ofKey('revoked', 2), owner: 'key', older: null },
  'a key that was revoked': {
    ...{ path: ofKey('revoked', 2), neighbour: ofKey('reader', 1), owner: 'nothing' },
    older: null,
  },
  'the list of the keys': {
    path: () => join('keys', 'list.json'),
    neighbour: ofKey('reader', 1),
    owner: 'nothing',
  },
  'the list of the keys beside their folder': {
    path: () => 'keys.json',
    neighbour: ofKey('reader', 1),
    owner: 'nothing',
  },
  'when keys were used last': {
    path: () => join('keys', 'last-used.json'),
    neighbour: ofKey('reader', 1),
    owner: 'nothing',
    older: null,
  },
};

const AN_OLDER_COPY = 'is an older copy';

const random = new Random(SEED);

/** The ways in which files are damaged; each makes a file at `path` of the data directory what it should not be. */
const damages: Readonly<Record<string, (path: string, neighbour: string, older: string) => void>> = {
  'has a flipped bit': (path) => {
    const bytes = readFileSync(path);
    const at = random.int(0, bytes.length - 1);
    bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << random.int(0, 7)), at);
    writeFileSync(path, bytes);
  },
  'is cut': (path) => writeFileSync(path, readFileSync(path).subarray(0, random.int(1, statSync(path).size - 1))),
  'is empty': (path) => writeFileSync(path, ''),
  'is noise': (path) => writeFileSync(path, Buffer.from(Array.from({ length: 300 }, () => random.int(0, 255)))),
  'is gone': (path) => rmSync(path),
  'is that of a neighbour': (path, neighbour) => copyFileSync(neighbour, path),
  [AN_OLDER_COPY]: (path, _neighbour, older) => copyFileSync(older, path),
  'has grown': (path) => writeFileSync(path, Buffer.concat([readFileSync(path), Buffer.from('{}')])),
  'is a folder': (path) => {
    rmSync(path);
    mkdirSync(path);
  },
  'is of a later form': (path) => writeFileSync(path, readFileSync(path, 'utf8').replace('"format":2', '"format":3')),
};

describe.each(Object.keys(files))('%s', (file) => {
  const { older } = files[file] as Kept;
  const known = Object.keys(damages).filter((damage) => damage !== AN_OLDER_COPY || older !== null);
  test.each(known)('%s: what it belongs to is closed and told, all else is served', async (damage) => {
    const { path, neighbour, owner, gone = owner } = files[file] as Kept;
    const folder = mkdtempSync(join(tmpdir(), 'pelorus-damaged-'));
    cpSync(whole, folder, { recursive: true });
    const damaged = join(folder, path());
    damages[damage]?.(damaged, join(folder, neighbour()), join(earlier, path()));
    const service = await start(folder);
    try {
      const isOlder = damage === AN_OLDER_COPY;
      await expectClosed(service, damage === 'is gone' ? gone : isOlder ? (older ?? owner) : owner, damage);
      expectTold(service, damaged, file, damage);
    } finally {
      await service.close();
      rmSync(folder, { recursive: true });
    }
  });
});

async function expectClosed({ app, log }: Service, owner: Owner, damage: string): Promise<void> {
  const at = '/api/v1/indexes';
  // Nothing is opened, whoever asks.
  expect([401, 403, 500]).toContain(await search(app, 'boots', { origin: EVIL }));
  expect([401, 403, 500]).toContain(await search(app, 'boots', { origin: OWN }));
  expect(await status(app, `GET ${at}`, undefined, { 'x-api-key': secrets.revoked })).toBe(401);
  expect(await status(app, `POST ${at}/boots/search`, {}, {})).toBe(401);
  const preflight = { origin: EVIL, 'access-control-request-method': 'POST' };
  const { headers } = await call(app, `OPTIONS ${at}/boots/search`, undefined, preflight);
  expect(headers['access-control-allow-origin']).toBeUndefined();

  // Others are served as before.
  expect(await search(app, 'hats', { origin: EVIL })).toBe(403);
  expect(await search(app, 'hats', { origin: OWN })).toBe(503);
  expect((await call(app, `GET ${at}/hats/agentic-context`)).json()).toMatchObject({ text: 'We sell hats.' });
  expect((await call(app, 'GET /api/v2/indexes/plain/status')).json()).toEqual({ indexStatus: 'READY' });
  expect(await status(app, `GET /e/${PLAIN}/indexes/plain/stats`)).toBe(503);
  expect(await status(app, `GET ${at}`)).toBe(200);
  expect(await status(app, 'GET /api/v2/indexes')).toBe(200);

  // The owner is closed, and nothing but that.
  const isOpen = owner !== 'index' && owner !== 'shop';
  expect(await status(app, 'GET /api/v2/indexes/boots/status')).toBe(owner === 'index' ? 500 : 200);
  expect(await status(app, `GET /e/${BOOTS}/indexes/boots/stats`)).toBe(owner === 'index' ? 500 : 503);
  expect(await status(app, `POST ${at}/boots/search`, { q: 'x' })).toBe(isOpen ? 503 : 500);
  expect(await status(app, `POST ${at}/boots/get-documents`, { documentIds: ['a'] })).toBe(isOpen ? 503 : 500);
  expect(await search(app, 'boots', { origin: OWN })).toBe(isOpen ? 401 : 500);
  const words = await status(app, `POST ${at}/boots/agentic-search`, { q: 'returns' });
  expect(words).toBe(isOpen && owner !== 'words' ? 503 : 500);
  expect(await status(app, 'GET /api/v1/collections')).toBe(owner === 'collections' ? 500 : 200);
  const read = await status(app, `GET ${at}`, undefined, { 'x-api-key': secrets.reader });
  expect(read).toBe(owner === 'key' || owner === 'all keys' ? 401 : 200);
  // Its name is nobody else's.
  expect(await status(app, 'POST /api/v2/indexes/boots', { model: 'random/small' })).toBe(409);

  const { status: found, backend, collections, keys, events, files: list } = (await call(app, 'GET /health')).json();
  expect(collections?.status).toBe(owner === 'collections' ? 'red' : undefined);
  const ofKeys = owner === 'key' || owner === 'unknown key' ? 'yellow' : undefined;
  expect(keys?.status).toBe(owner === 'all keys' ? 'red' : ofKeys);
  expect(list?.status).toBe(owner === 'list' ? 'red' : undefined);
  expect(events?.status).toBe(owner === 'events' ? 'yellow' : undefined);
  const isRed = health[owner] === 'red';
  expect(found, JSON.stringify(backend)).toBe(health[owner]);
  if (owner !== 'nothing')
    expect(log.join(''), damage).toMatch(/cannot be read|is refused|are refused|are lost|may be lost|begun anew/);
  if (isRed && !NOT_OF_AN_INDEX.has(owner)) {
    expect(backend.indexes).toContainEqual(expect.objectContaining({ indexName: 'boots', status: 'red' }));
    expect(backend.indexes.map(({ indexName }: { indexName: string }) => indexName)).not.toContain('hats');
  }
}

/**
 * A line names the file, or the key that was in it. Nothing hangs on when keys were used last, nor on the file of a key
 * that is listed as revoked.
 */
function expectTold({ log }: Service, path: string, file: string, damage: string): void {
  if (file === 'when keys were used last') return;
  if (file.startsWith('the list of the keys') && damage === AN_OLDER_COPY) {
    expect(log.join('')).toContain('do not say the same');
    return;
  }
  if (file === 'a key that was revoked' && damage === 'is gone') return;
  expect(log.join('')).toContain(basename(path).replace(/\.\d+\.json$/, ''));
}

/** Files and folders that are gone together, with all that tells of them beside them. */
const losses: Readonly<Record<string, { readonly paths: readonly (() => string)[]; readonly owner: Owner }>> = {
  'all files of a shop': {
    paths: ['shop.json', 'settings', 'context.json', 'help-centre.json'].map((name) => of(BOOTS, name)),
    owner: 'shop',
  },
  'the settings of a shop, and the list of them': {
    paths: ['shop.json', 'settings'].map((name) => of(BOOTS, name)),
    owner: 'shop',
  },
  'the folder of the settings of a shop': { paths: [of(BOOTS, 'settings')], owner: 'shop' },
  'the record of an index, and its name': {
    paths: ['record.json', 'name.json'].map((name) => of(BOOTS, name)),
    owner: 'index',
  },
  'all that is in the folder of an index': {
    paths: ['record.json', 'name.json', 'shop.json', 'settings', 'context.json', 'help-centre.json', 'data'].map(
      (name) => of(BOOTS, name),
    ),
    owner: 'index',
  },
  'the folder of an index': { paths: [of(BOOTS, '')], owner: 'index' },
  'the folder of what shops keep together': { paths: [() => 'ecommerce'], owner: 'collections' },
  'the folder of events': { paths: [() => 'events'], owner: 'events' },
  'the folder of the keys': { paths: [() => 'keys'], owner: 'all keys' },
  'all that is in the folder of the keys': {
    paths: [ofKey('reader', 1), ofKey('revoked', 2), ofKey('other', 1), () => join('keys', 'list.json')],
    owner: 'all keys',
  },
  'the list of what must be there, and its copies': {
    paths: INVENTORIES.map((name) => () => name),
    owner: 'list',
  },
  'both lists of the keys': { paths: [() => join('keys', 'list.json'), () => 'keys.json'], owner: 'all keys' },
  'the keys, both of their lists and one of what must be there': {
    paths: [() => 'keys', () => 'keys.json', () => 'inventory.json'],
    owner: 'all keys',
  },
  'a key, and the list in its folder': {
    paths: [ofKey('reader', 1), () => join('keys', 'list.json')],
    owner: 'key',
  },
};

/** Files that are put back together as they were earlier, and those that are gone then. */
const restored: Readonly<
  Record<
    string,
    { readonly paths: readonly (() => string)[]; readonly gone?: readonly (() => string)[]; readonly owner: Owner }
  >
> = {
  'the list of files of a shop, where its newest settings are gone': {
    ...{ paths: [of(BOOTS, 'shop.json')], gone: [of(BOOTS, 'settings/2.json')], owner: 'shop' },
  },
  'all settings of a shop': {
    ...{ paths: [of(BOOTS, 'shop.json'), of(BOOTS, 'settings')], gone: [of(BOOTS, 'settings')], owner: 'shop' },
  },
  'the folder of an index': { paths: [of(BOOTS, '')], gone: [of(BOOTS, '')], owner: 'index' },
  'a key that was revoked since': {
    ...{ paths: [ofKey('revoked', 1)], gone: [ofKey('revoked', 1), ofKey('revoked', 2)], owner: 'unknown key' },
  },
  'the folder of the keys': { paths: [() => 'keys'], gone: [() => 'keys'], owner: 'unknown key' },
  'the folder of the keys, where the list beside it is gone': {
    ...{ paths: [() => 'keys'], gone: [() => 'keys', () => 'keys.json'], owner: 'all keys' },
  },
  'the folder of the keys, and the list beside it': {
    ...{ paths: [() => 'keys', () => 'keys.json'], gone: [() => 'keys'], owner: 'all keys' },
  },
  'the folder of what shops keep together': { paths: [() => 'ecommerce'], owner: 'collections' },
};

describe.each(Object.keys(restored))('%s', (which) => {
  test('put back as it was earlier: what it belongs to is closed and told, all else is served', async () => {
    const { paths, gone = [], owner } = restored[which] as (typeof restored)[string];
    const folder = mkdtempSync(join(tmpdir(), 'pelorus-restored-'));
    cpSync(whole, folder, { recursive: true });
    for (const path of gone) rmSync(join(folder, path()), { recursive: true, force: true });
    for (const path of paths) cpSync(join(earlier, path()), join(folder, path()), { recursive: true });
    const service = await start(folder);
    try {
      await expectClosed(service, owner, which);
    } finally {
      await service.close();
      rmSync(folder, { recursive: true });
    }
  });
});

test('all files of an earlier moment, put back together, are as they were then', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pelorus-restored-all-'));
  cpSync(earlier, folder, { recursive: true });
  const { app, log, close } = await start(folder);
  expect((await call(app, 'GET /health')).json().status).toBe('green');
  expect(await search(app, 'boots', { origin: EVIL })).toBe(503);
  expect(await status(app, 'GET /api/v1/indexes', undefined, { 'x-api-key': secrets.revoked })).toBe(200);
  expect((await call(app, 'GET /api/v1/indexes/hats/agentic-context')).json()).toMatchObject({
    text: 'as it was hats.',
  });
  expect(log.join('')).not.toMatch(/damaged|older|gone|missing/);
  await close();
  rmSync(folder, { recursive: true });
});

const ROOT = ['hosted', 'ecommerce', 'events', 'keys', 'keys.json', ...INVENTORIES];

test.each(someDamagedSets(ROOT, 24, SEED))(
  'nothing opens, and nothing is lost in silence: %s',
  async (_name, set, seed) => {
    const folder = mkdtempSync(join(tmpdir(), 'pelorus-sweep-'));
    damagedCopy(whole, earlier, folder, set, seed);
    const { app, log, close } = await start(folder);
    try {
      const doors = [
        await search(app, 'boots', { origin: EVIL }),
        await search(app, 'boots', { origin: OWN }),
        await search(app, 'hats', { origin: EVIL }),
      ];
      expect(doors.filter((one) => ![401, 403, 500].includes(one))).toEqual([]);
      expect(await status(app, 'GET /api/v1/indexes', undefined, {})).toBe(401);
      expect(await status(app, 'GET /api/v1/indexes', undefined, { 'x-api-key': secrets.revoked })).toBe(401);
      const isWhole =
        (await search(app, 'hats', { origin: OWN })) === 503 &&
        (await status(app, 'GET /api/v2/indexes/plain/status')) === 200 &&
        (await status(app, 'GET /api/v1/collections')) === 200 &&
        (await status(app, 'GET /api/v1/indexes', undefined, { 'x-api-key': secrets.reader })) === 200;
      expect(isWhole || (await call(app, 'GET /health')).json().status !== 'green').toBe(true);
      expect(log.length > 0 || set.length === 0).toBe(true);
    } finally {
      await close();
      rmSync(folder, { recursive: true });
    }
  },
);

/** Removes a file, or a folder with all or but for the folder itself. */
function remove(path: string, isEmptied: boolean): void {
  const isKept = isEmptied && statSync(path).isDirectory();
  const all = isKept ? readdirSync(path).map((name) => join(path, name)) : [path];
  for (const one of all) rmSync(one, { recursive: true });
}

describe.each(Object.keys(losses))('%s', (loss) => {
  test.each([
    ['gone with all copies', false],
    ['gone, and folders emptied', true],
  ])('%s: what it belongs to is closed and told, all else is served', async (_how, isEmptied) => {
    const { paths, owner } = losses[loss] as (typeof losses)[string];
    const folder = mkdtempSync(join(tmpdir(), 'pelorus-lost-'));
    cpSync(whole, folder, { recursive: true });
    for (const path of paths) remove(join(folder, path()), isEmptied);
    const service = await start(folder);
    try {
      await expectClosed(service, owner, loss);
    } finally {
      await service.close();
      rmSync(folder, { recursive: true });
    }
  });
});

describe('a stray file', () => {
  test.each<[string, () => string, string]>([
    ['a copy beside a record', of(BOOTS, 'record.json.bak'), 'record.json.bak'],
    ['a folder among the indexes', () => join('hosted', 'indexes', 'backup', 'record.json'), 'backup'],
    ['a version that was never told of', of(BOOTS, 'settings/9.json'), '9.json'],
    ['a copy beside a version', of(BOOTS, 'settings/2.json.orig'), '2.json.orig'],
    ['settings of no index', () => join('ecommerce', 'settings', `${'f'.repeat(16)}.json`), 'f'.repeat(16)],
    ['a key of nobody', () => join('keys', '00000000-0000-4000-8000-000000000000.1.json'), '00000000-0000-4000'],
  ])('%s is told and left alone, and closes nothing', async (what, path, told) => {
    const folder = mkdtempSync(join(tmpdir(), 'pelorus-stray-'));
    cpSync(whole, folder, { recursive: true });
    const stray = join(folder, path());
    cpSync(join(whole, of(BOOTS, 'settings/1.json')()), stray);
    const service = await start(folder);
    try {
      await expectClosed(service, what === 'a key of nobody' ? 'unknown key' : 'nothing', 'stray');
      expect(service.log.join('')).toContain(told);
      expect(readdirSync(dirname(stray))).toContain(stray.slice(dirname(stray).length + 1));
    } finally {
      await service.close();
      rmSync(folder, { recursive: true });
    }
  });
});

test('indexes whose folder is gone with all others keep their names, until each is deleted at a word', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pelorus-lost-all-'));
  cpSync(whole, folder, { recursive: true });
  rmSync(join(folder, 'hosted'), { recursive: true });
  const service = await start(folder);
  const names = ['boots', 'hats', 'plain'];
  const { status: found, backend } = (await call(service.app, 'GET /health')).json();
  expect([found, backend.indexes.map(({ indexName }: { indexName: string }) => indexName).sort()]).toEqual([
    'red',
    names,
  ]);
  for (const name of names) {
    expect(service.log.join('')).toContain(name);
    expect(await status(service.app, `GET /api/v2/indexes/${name}/status`)).toBe(500);
    expect(await status(service.app, `POST /api/v2/indexes/${name}`, { model: 'random/small' })).toBe(409);
    expect(await status(service.app, `DELETE /api/v2/indexes/${name}`)).toBe(200);
  }
  await service.close();
  const again = await start(folder);
  expect((await call(again.app, 'GET /health')).json().status).toBe('green');
  await again.close();
  rmSync(folder, { recursive: true });
});

test('where the list of what must be there cannot be read and all of it is gone, nobody is let in', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pelorus-lost-list-'));
  cpSync(whole, folder, { recursive: true });
  for (const path of ['hosted', 'keys', 'keys.json']) rmSync(join(folder, path), { recursive: true });
  for (const name of INVENTORIES) damages['has a flipped bit']?.(join(folder, name), '', '');
  for (let times = 0; times < 2; times += 1) {
    const { app, keys, close } = await start(folder);
    expect([keys.isRequired, keys.problems.map((problem) => problem.status)]).toEqual([true, ['red']]);
    expect((await call(app, 'GET /health')).json()).toMatchObject({ status: 'red', files: { status: 'red' } });
    await close();
  }
  rmSync(folder, { recursive: true });
});

test('a shop that is closed is managed all the same, and opened by going back to settings that can be read', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pelorus-roll-back-'));
  cpSync(whole, folder, { recursive: true });
  for (const id of [BOOTS, HATS]) writeFileSync(join(folder, of(id, 'settings/2.json')()), 'noise');
  const service = await start(folder);
  const { app } = service;
  const boots = '/api/v1/indexes/boots';
  expect(await status(app, `GET ${boots}/status`)).toBe(200);
  expect(await status(app, `GET ${boots}`)).toBe(200);
  expect(await status(app, `GET ${boots}/settings`)).toBe(500);
  expect(await status(app, `PATCH ${boots}/settings`, { requireApiKey: true })).toBe(500);
  const { versions } = (await call(app, `GET ${boots}/settings/versions`)).json();
  expect(versions.map(({ version }: { version: number }) => version)).toEqual([1, 0]);
  expect(await status(app, `POST ${boots}/settings/roll-back`, { version: 2 })).toBe(400);
  expect((await call(app, `POST ${boots}/settings/roll-back`, { version: 1 })).json()).toMatchObject({ version: 3 });
  expect(await status(app, `PATCH ${boots}/settings`, { requireApiKey: true })).toBe(200);
  expect(await search(app, 'boots', { origin: OWN })).toBe(401);
  expect(await status(app, `POST ${boots}/search`, { q: 'x' })).toBe(503);
  expect(await status(app, 'DELETE /api/v1/indexes/hats')).toBe(200);
  await service.close();
  rmSync(folder, { recursive: true });
});

test('an index that is closed is deleted at a word, its folder set aside, and its name given free', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pelorus-aside-'));
  cpSync(whole, folder, { recursive: true });
  writeFileSync(join(folder, of(BOOTS, 'record.json')()), 'noise');
  const service = await start(folder);
  expect(await status(service.app, 'DELETE /api/v2/indexes/boots')).toBe(200);
  expect(await status(service.app, 'GET /api/v2/indexes/boots/status')).toBe(404);
  expect((await call(service.app, 'GET /health')).json().status).toBe('green');
  await service.close();
  expect(readdirSync(join(folder, 'hosted', 'damaged', BOOTS))).toContain('settings');
  rmSync(folder, { recursive: true });
});
