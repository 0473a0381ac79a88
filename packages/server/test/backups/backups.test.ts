import { PelorusError } from '@pelorus/contract';
import { expect, test } from 'vitest';
import { destinationFailed } from '../../src/backups/destination.js';
import { Backups, type NewBackup } from '../../src/backups/index.js';
import { allOf, MemoryDestination, sourceOf } from './fixtures.js';

const whole = (open: NewBackup['open'], isScheduled = false): NewBackup => ({
  open,
  version: '1.2.3',
  isWhole: true,
  isScheduled,
});

/** A clock that is later each time it is asked, by a second if not told otherwise. */
function ticking(stepMs = 1000): () => Date {
  let steps = 0;
  return () => new Date(Date.UTC(2026, 0, 1) + stepMs * steps++);
}

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'it succeeded',
    (error) => (error instanceof PelorusError ? error.code : String(error)),
  );

async function madeOf(backups: Backups, ...texts: string[]): Promise<string> {
  const id = backups.newId();
  await backups.create(
    id,
    whole(async () => sourceOf(texts, { keys: 'k' })),
  );
  return id;
}

test('a backup is listed with what it has, and what it shares with an earlier one is not stored again', async () => {
  const place = new MemoryDestination();
  const backups = new Backups(place, ticking());
  const [first, second] = [await madeOf(backups, 'aaaa', 'bb'), await madeOf(backups, 'aaaa', 'ccc')];
  const listed = await new Backups(place).list();
  expect(listed.map(({ id }) => id)).toEqual([second, first]);
  expect(listed.map(({ manifest }) => manifest?.newBytes)).toEqual([3, 7]);
  expect(listed[0]).toMatchObject({
    bytes: 8,
    manifest: { version: '1.2.3', isWhole: true, indexes: [{ documents: 2 }] },
  });
  expect(place.namesOf('pieces/')).toHaveLength(4);
  expect(place.namesOf('locks/')).toEqual([]);
});

test('backups of one second are in the order of their moments', async () => {
  const backups = new Backups(new MemoryDestination(), ticking(1));
  const ids: string[] = [];
  for (let made = 0; made < 8; made += 1) ids.unshift(await madeOf(backups, String(made)));
  expect((await backups.list()).map(({ id }) => id)).toEqual(ids);
  expect((await backups.latest()).id).toBe(ids[0]);
});

test('each piece that is missing, changed or cut is found, and the index that it is of is named', async () => {
  const place = new MemoryDestination();
  const backups = new Backups(place);
  const id = await madeOf(backups, 'aaaa', 'bb');
  expect(await backups.verify(id)).toEqual({ pieces: 3, bytes: 7, problems: [] });
  for (const [name, bytes] of [...place.objects]) {
    if (!name.startsWith('pieces/')) continue;
    const changes = [null, bytes.subarray(1), Buffer.alloc(bytes.length), Buffer.concat([bytes, bytes])];
    for (const changed of changes) {
      if (changed === null) place.objects.delete(name);
      else place.objects.set(name, changed);
      const { problems } = await backups.verify(id);
      expect(problems).toHaveLength(1);
      expect(problems[0]).toMatch(/^Piece [0-9a-f]{64} is (missing|damaged).*; it is of (index notes|keys)$/);
      const { indexes, files } = await backups.get(id);
      const read = allOf(backups.read([...indexes, ...files].flatMap(({ pieces }) => pieces)));
      expect(await codeOf(read)).toBe('backup_damaged');
      place.objects.set(name, bytes);
    }
  }
  expect((await backups.verify(id)).problems).toEqual([]);
});

test('every changed byte of a manifest is noticed, and no piece is removed while nobody knows who needs it', async () => {
  const place = new MemoryDestination();
  const [damaged, other] = [await madeOf(new Backups(place), 'aaaa'), await madeOf(new Backups(place), 'bb')];
  const name = `backups/${damaged}.json`;
  const bytes = place.objects.get(name) as Buffer;
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] as number) ^ 1;
    place.objects.set(name, changed);
    expect(await codeOf(new Backups(place).get(damaged)), `byte ${at}`).toBe('backup_damaged');
  }
  const backups = new Backups(place);
  expect((await backups.list()).find(({ id }) => id === damaged)).toMatchObject({ manifest: null });
  await backups.remove(other);
  expect(place.namesOf('pieces/')).toHaveLength(3);
  place.objects.set(name, bytes);
  await backups.remove(await madeOf(backups, 'c'));
  expect(place.namesOf('pieces/')).toHaveLength(2);
  expect((await backups.verify(damaged)).problems).toEqual([]);
});

test('a deleted backup takes with it what no other needs', async () => {
  const place = new MemoryDestination();
  const backups = new Backups(place, ticking());
  const [first, second] = [await madeOf(backups, 'aaaa', 'bb'), await madeOf(backups, 'aaaa', 'ccc')];
  await backups.remove(first);
  expect((await backups.verify(second)).problems).toEqual([]);
  expect(place.namesOf('pieces/')).toHaveLength(3);
  await backups.remove(second);
  expect([...place.objects.keys()]).toEqual([]);
  for (const id of [first, '../keys', '']) expect(await codeOf(backups.remove(id))).toBe('backup_not_found');
});

test('retention keeps the latest of the schedule, and all that somebody made', async () => {
  const place = new MemoryDestination();
  const backups = new Backups(place, ticking());
  const own = await madeOf(backups, 'own');
  const scheduled: string[] = [];
  for (let at = 0; at < 5; at += 1) {
    const id = backups.newId();
    await backups.create(
      id,
      whole(async () => sourceOf([`piece ${at}`]), true),
    );
    scheduled.unshift(id);
  }
  expect(await backups.retain(2)).toEqual(scheduled.slice(2));
  expect((await backups.list()).map(({ id }) => id)).toEqual([...scheduled.slice(0, 2), own]);
  expect(place.namesOf('pieces/')).toHaveLength(4);
  for (const { id } of await backups.list()) expect((await backups.verify(id)).problems).toEqual([]);
});

test('a backup that fails at any change of its place is none, and the next one goes on with its pieces', async () => {
  for (let failing = 0; ; failing += 1) {
    const place = new MemoryDestination();
    const backups = new Backups(place);
    const kept = await madeOf(backups, 'aaaa');
    let changes = 0;
    place.before = () => {
      if (changes++ === failing) throw new Error('the disk is full');
    };
    const failed = backups.newId();
    const outcome = await codeOf(
      backups.create(
        failed,
        whole(async () => sourceOf(['aaaa', 'bb', 'ccc'])),
      ),
    );
    place.before = () => undefined;
    if (outcome === 'it succeeded') {
      // All changes were gone through, the last of which removes the lock.
      expect(failing).toBeGreaterThan(3);
      return;
    }
    expect(outcome).toContain('the disk is full');
    expect((await backups.list()).map(({ id }) => id)).toEqual([kept]);
    const next = await madeOf(backups, 'aaaa', 'bb', 'ccc');
    expect((await backups.verify(next)).problems).toEqual([]);
  }
});

test('nothing is removed while a backup is made, and none is made meanwhile', async () => {
  const place = new MemoryDestination();
  const backups = new Backups(place);
  const kept = await madeOf(backups, 'aaaa');
  const outcomes: string[] = [];
  const meanwhile = async () => {
    const others = new Backups(place);
    outcomes.push(await codeOf(others.remove(kept)), await codeOf(others.retain(1)), await codeOf(madeOf(others, 'b')));
    return sourceOf(['aaaa']);
  };
  await backups.create(backups.newId(), whole(meanwhile));
  expect(outcomes).toEqual(['backup_conflict', 'backup_conflict', 'backup_conflict']);
  await backups.remove(kept);
});

test('a backup for which there is no room leaves what was there, and a full place lets backups be deleted', async () => {
  const place = new MemoryDestination();
  const backups = new Backups(place, ticking());
  const kept = await madeOf(backups, 'aaaa');
  const pieces = place.namesOf('pieces/');
  const taken = [...place.objects.values()].reduce((sum, { length }) => sum + length + 1, 0);
  // Room for a lock and some pieces.
  place.bytesMax = taken + 400;
  const open = async () => sourceOf(Array.from({ length: 300 }, (_, at) => `piece ${at}`));
  expect(await codeOf(backups.create(backups.newId(), whole(open)))).toBe('insufficient_storage');
  expect(place.namesOf('pieces/')).toEqual(pieces);
  place.bytesMax = taken;
  expect(await codeOf(madeOf(backups, 'b'))).toBe('insufficient_storage');
  await backups.remove(kept);
  expect([...place.objects.keys()]).toEqual([]);
});

test('the latest backup passes over later ones that cannot be used, and tells of them', async () => {
  const place = new MemoryDestination();
  const backups = new Backups(place, ticking());
  const [usable, damaged] = [await madeOf(backups, 'aaaa'), await madeOf(backups, 'bb')];
  place.objects.set(`backups/${damaged}.json`, Buffer.from('{'));
  const told: string[] = [];
  expect((await new Backups(place).latest((reason) => told.push(reason))).id).toBe(usable);
  expect(told).toEqual([expect.stringContaining(`The manifest of backup ${damaged} cannot be used`)]);
});

test('a damaged piece is stored anew by the next backup that has it', async () => {
  const place = new MemoryDestination();
  const backups = new Backups(place, ticking());
  const first = await madeOf(backups, 'aaaa');
  const [name = ''] = place.namesOf('pieces/').filter((one) => place.objects.get(one)?.toString() === 'aaaa');
  place.objects.set(name, Buffer.from('aaab'));
  expect((await backups.verify(first)).problems).toHaveLength(1);
  await madeOf(backups, 'aaaa');
  expect((await backups.verify(first)).problems).toEqual([]);
});

test('a piece and a manifest that cannot be read are told to be damaged, and the others are read', async () => {
  const place = new MemoryDestination();
  const backups = new Backups(place, ticking());
  const [one, other] = [await madeOf(backups, 'aaaa', 'bb'), await madeOf(backups, 'ccc')];
  const read = place.read.bind(place);
  const unreadable = [`backups/${one}.json`, ...place.namesOf('pieces/').slice(0, 1)];
  place.read = async (name) => {
    if (!unreadable.includes(name)) return await read(name);
    throw destinationFailed('memory', `reading ${name}`, Object.assign(new Error('EIO: i/o error'), { code: 'EIO' }));
  };
  const listed = await new Backups(place).list();
  expect(listed.map(({ id, manifest }) => [id, manifest !== null])).toEqual([
    [other, true],
    [one, false],
  ]);
  expect(listed[1]).toMatchObject({ reason: expect.stringContaining('EIO: i/o error') });
  unreadable.shift();
  const problems = [...(await backups.verify(one)).problems, ...(await backups.verify(other)).problems];
  expect(problems.length).toBeGreaterThan(0);
  for (const problem of problems) expect(problem).toMatch(/^Piece [0-9a-f]{64} is damaged: it cannot be read: EIO/);
});

test('a backup that another process removed is there no more', async () => {
  const place = new MemoryDestination();
  const backups = new Backups(place);
  const id = await madeOf(backups, 'aaaa');
  await backups.get(id);
  await new Backups(place).remove(id);
  expect(await codeOf(backups.get(id))).toBe('backup_not_found');
});

test('a source that cannot be closed leaves no lock', async () => {
  const place = new MemoryDestination();
  const backups = new Backups(place);
  const open = async () => ({ ...sourceOf(['a']), close: () => Promise.reject(new Error('it stays open')) });
  expect(await codeOf(backups.create(backups.newId(), whole(open)))).toContain('it stays open');
  expect(place.namesOf('locks/')).toEqual([]);
});

test('a backup whose lock was taken for nobody’s fails rather than lack a piece', async () => {
  const place = new MemoryDestination();
  const backups = new Backups(place);
  const stolen = async () => {
    for (const name of place.namesOf('locks/')) place.objects.delete(name);
    return sourceOf(['aaaa']);
  };
  expect(await codeOf(backups.create(backups.newId(), whole(stolen)))).toBe('backup_conflict');
  expect(await backups.list()).toEqual([]);
});
