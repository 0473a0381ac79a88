import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeSealed } from '@pelorus/files';
import { afterAll, expect, test } from 'vitest';
import { isSetName, JudgementSets, SETS_MAX } from '../../src/judgements/judgement-sets.js';

const root = mkdtempSync(join(tmpdir(), 'pelorus-judgements-'));
afterAll(() => rmSync(root, { recursive: true }));

let count = 0;
function emptyFolder(): string {
  count += 1;
  const folder = join(root, String(count));
  mkdirSync(folder);
  return folder;
}

const queries = [
  { q: 'warm jacket', judgements: { g1: 3, g2: 1 } },
  { q: '<b>é', judgements: {} },
];

const configurations = [
  {
    name: 'title or all',
    limit: 20,
    first: { index: 'gear', search: { searchMethod: 'LEXICAL', searchableAttributes: ['title'], filter: 'a:(1)' } },
    second: { index: 'gear', search: {} },
  },
];
const sizes = (queryCount: number, judgementCount: number, configurationCount = 0) => ({
  ...{ queryCount, judgementCount, configurationCount },
});

test('a stored set is there after a start, with its version', async () => {
  const folder = emptyFolder();
  const now = () => new Date('2026-11-29T12:00:00Z');
  const sets = new JudgementSets(folder, now);
  expect(await sets.list()).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
  await sets.put('gear', { queries: [] }, null);
  const summary = { setName: 'gear', version: 2, updatedAt: now().toISOString(), ...sizes(2, 2) };
  expect(await sets.put('gear', { queries }, 1)).toEqual(summary);
  await sets.put('another', { queries }, 0);
  const again = new JudgementSets(folder);
  expect((await again.list()).map(({ setName }) => setName)).toEqual(['another', 'gear']);
  expect((await again.list())[1]).toEqual(summary);
  expect(await again.get('gear')).toEqual({ version: 2, updatedAt: summary.updatedAt, queries, configurations: [] });
  expect(await again.delete('another')).toBe(true);
  expect(await again.delete('another')).toBe(false);
  expect(await new JudgementSets(folder).list()).toEqual([summary]);
});

test('configurations are stored with a set, and stay where a change has none', async () => {
  const folder = emptyFolder();
  const sets = new JudgementSets(folder);
  expect(await sets.put('gear', { queries, configurations }, 0)).toMatchObject(sizes(2, 2, 1));
  expect(await sets.put('gear', { queries: [] }, 1)).toMatchObject(sizes(0, 0, 1));
  const again = new JudgementSets(folder);
  expect(await again.list()).toMatchObject([sizes(0, 0, 1)]);
  expect(await again.put('gear', { queries, configurations: null }, 2)).toMatchObject(sizes(2, 2, 1));
  expect(await again.get('gear')).toMatchObject({ version: 3, queries, configurations });
  expect(await again.put('gear', { queries, configurations: [] }, 3)).toMatchObject(sizes(2, 2, 0));
  expect(await new JudgementSets(folder).get('gear')).toMatchObject({ queries, configurations: [] });
});

/** Writes the file of a set as a version of this program did, or will. */
async function written(folder: string, value: object): Promise<void> {
  mkdirSync(join(folder, 'judgements'), { recursive: true });
  await writeSealed(join(folder, 'judgements', 'set-gear.json'), value, { name: 'judgements' } as never, 7);
}

test('a set that was written before there were configurations is read and changed', async () => {
  const folder = emptyFolder();
  const updatedAt = '2026-11-28T12:00:00.000Z';
  await written(folder, { updatedAt, queries });
  const sets = new JudgementSets(folder);
  expect(await sets.list()).toEqual([{ setName: 'gear', version: 7, updatedAt, ...sizes(2, 2) }]);
  expect(await sets.get('gear')).toEqual({ version: 7, updatedAt, queries, configurations: [] });
  expect(await sets.put('gear', { queries, configurations }, 7)).toMatchObject({ version: 8, ...sizes(2, 2, 1) });
});

test.each([
  ['of a later version', { format: 3, more: true }, 'is of a later version: its set is of form 3'],
  ['without configurations in the form that has some', { format: 2, updatedAt: '', queries }, 'does not hold'],
  [
    'with half a configuration',
    { format: 2, updatedAt: '', queries, configurations: [{ name: 'a' }] },
    'does not hold',
  ],
  ['of no form', { format: 'new', updatedAt: '', queries }, 'does not hold'],
])('a set %s is told, and not replaced', async (_, value, fault) => {
  const folder = emptyFolder();
  await written(folder, value);
  const sets = new JudgementSets(folder);
  expect(await sets.list()).toMatchObject([{ setName: 'gear', fault: expect.stringContaining(fault) }]);
  const refused = { code: 'backend_data_parsing_error', message: expect.stringContaining(fault) };
  await expect(sets.get('gear')).rejects.toMatchObject(refused);
  await expect(sets.put('gear', { queries }, null)).rejects.toMatchObject(refused);
});

test('one of several changes at once by the same version is made', async () => {
  const sets = new JudgementSets(emptyFolder());
  const outcomes = await Promise.allSettled([0, 0, 0].map((version) => sets.put('gear', { queries }, version)));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  expect((outcomes[1] as PromiseRejectedResult).reason).toMatchObject({ code: 'version_conflict', status: 412 });
  expect(await sets.list()).toMatchObject([{ version: 1 }]);
});

test('there are only so many sets, and those that are there can still change', async () => {
  const sets = new JudgementSets(emptyFolder());
  for (let at = 0; at < SETS_MAX; at += 1) await sets.put(`s${at}`, { queries: [] }, null);
  await expect(sets.put('one-more', { queries: [] }, null)).rejects.toMatchObject({ code: 'bad_request', status: 400 });
  expect(await sets.put('s7', { queries }, null)).toMatchObject({ version: 2 });
  await sets.delete('s8');
  expect(await sets.put('one-more', { queries: [] }, null)).toMatchObject({ version: 1 });
});

test('a set that is damaged is told, neither read nor replaced, and can be deleted', async () => {
  const folder = emptyFolder();
  await new JudgementSets(folder).put('gear', { queries }, null);
  const path = join(folder, 'judgements', 'set-gear.json');
  const whole = readFileSync(path);
  const flipped = Buffer.from(whole);
  flipped.writeUInt8(flipped.readUInt8(whole.length - 5) ^ 1, whole.length - 5);
  for (const bytes of [flipped, whole.subarray(0, 40), Buffer.alloc(0), Buffer.from('{"queries":[]}')]) {
    writeFileSync(path, bytes);
    const sets = new JudgementSets(folder);
    const fault = expect.stringContaining('set-gear.json is damaged');
    const none = { version: 0, updatedAt: null, ...sizes(0, 0) };
    expect(await sets.list()).toEqual([{ setName: 'gear', fault, ...none }]);
    const refused = { code: 'backend_data_parsing_error', message: fault };
    await expect(sets.get('gear')).rejects.toMatchObject(refused);
    await expect(sets.put('gear', { queries: [] }, null)).rejects.toMatchObject(refused);
    expect(readFileSync(path)).toEqual(bytes);
  }
  const sets = new JudgementSets(folder);
  expect(await sets.delete('gear')).toBe(true);
  expect(await sets.list()).toEqual([]);
  expect(await sets.get('gear')).toBeUndefined();
});

test('files that a crash left unfinished go, and those of others stay', async () => {
  const folder = emptyFolder();
  await new JudgementSets(folder).put('gear', { queries }, null);
  const id = '01234567-89ab-cdef-0123-456789abcdef';
  const others = ['note.txt', 'set-Gear.json', `other.json.${id}.tmp`];
  for (const name of [...others, `set-new.json.${id}.tmp`, `set-gear.json.${id}.tmp`]) {
    writeFileSync(join(folder, 'judgements', name), 'half');
  }
  expect((await new JudgementSets(folder).list()).map(({ setName }) => setName)).toEqual(['gear']);
  expect(readdirSync(join(folder, 'judgements')).sort()).toEqual([...others, 'set-gear.json'].sort());
});

test('a change that fails leaves the set as the disk has it', async () => {
  const folder = emptyFolder();
  const sets = new JudgementSets(folder);
  await sets.put('gear', { queries }, null);
  // A folder that is not empty is in the way.
  mkdirSync(join(folder, 'judgements', 'set-blocked.json', 'full'), { recursive: true });
  await expect(sets.put('blocked', { queries }, null)).rejects.toThrow();
  expect(await sets.list()).toMatchObject([
    { setName: 'blocked', fault: expect.stringContaining('set-blocked.json') },
    { setName: 'gear', version: 1 },
  ]);
  expect(await sets.put('gear', { queries: [] }, 1)).toMatchObject({ version: 2 });
});

test.each(['ENOSPC', 'EDQUOT'])('a full disk (%s) refuses a change, and the set stays as it was', async (code) => {
  const folder = emptyFolder();
  await new JudgementSets(folder).put('gear', { queries, configurations }, null);
  const path = join(folder, 'judgements', 'set-gear.json');
  const whole = readFileSync(path);
  let isFull = true;
  const sets = new JudgementSets(folder, undefined, async (...file) => {
    if (isFull) throw Object.assign(new Error('no space left on device'), { code });
    await writeSealed(...file);
  });
  for (const name of ['gear', 'new']) {
    await expect(sets.put(name, { queries: [] }, null)).rejects.toMatchObject({
      ...{ code: 'insufficient_storage', status: 507, headers: { 'retry-after': '30' } },
    });
  }
  expect(readFileSync(path)).toEqual(whole);
  expect(await sets.list()).toMatchObject([{ setName: 'gear', version: 1, ...sizes(2, 2, 1) }]);
  // A set can be deleted to make room, and changes go on from the version that is there.
  isFull = false;
  expect(await sets.put('gear', { queries: [] }, 1)).toMatchObject({ version: 2, ...sizes(0, 0, 1) });
  isFull = true;
  expect(await sets.delete('gear')).toBe(true);
  expect(readdirSync(join(folder, 'judgements'))).toEqual([]);
});

test.each([
  ['gear', true],
  ['0-a_b', true],
  ['a'.repeat(64), true],
  ['a'.repeat(65), false],
  ['', false],
  ['-a', false],
  ['A', false],
  ['../a', false],
  ['a.json', false],
  ['a\n', false],
])('the name %j can be that of a set: %s', (name, can) => {
  expect(isSetName(name)).toBe(can);
});
