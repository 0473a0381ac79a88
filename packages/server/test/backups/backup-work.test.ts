import { PelorusError } from '@pelorus/contract';
import { expect, test } from 'vitest';
import { BackupWork } from '../../src/backups/backup-work.js';
import { Backups, type OpenedSource } from '../../src/backups/index.js';
import { MemoryDestination, sourceOf } from './fixtures.js';

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'it succeeded',
    (error) => (error instanceof PelorusError ? error.code : String(error)),
  );

/** Work whose backups stand still until a test lets them go on. */
function openWork() {
  const place = new MemoryDestination();
  const warnings: string[] = [];
  const waiting: (() => void)[] = [];
  const restored: string[] = [];
  const open = () =>
    new Promise<OpenedSource>((resolve) => {
      waiting.push(() => resolve(sourceOf(['aaaa'])));
    });
  const work = new BackupWork({
    ...{ backups: new Backups(place), version: '1', open },
    requireIndexes: async () => undefined,
    restore: async (indexName) => {
      restored.push(`begin ${indexName}`);
      return {
        add: async () => undefined,
        finish: async () => undefined,
        close: async () => void restored.push(`close ${indexName}`),
      };
    },
    warn: (text) => void warnings.push(text),
  });
  /** Lets the backup that stands still, or will, go on to its end. */
  const goOn = async (id?: string): Promise<void> => {
    await expect.poll(() => waiting.length).toBeGreaterThan(0);
    waiting.shift()?.();
    if (id !== undefined) await expect.poll(async () => (await work.get(id)).state).toBe('ready');
  };
  return { work, place, warnings, waiting, restored, goOn };
}

test('a backup that is being made can neither be deleted nor read nor restored, and is no unknown one', async () => {
  const { work, goOn } = openWork();
  expect(work.underWay()).toEqual([]);
  const { id } = await work.create(null);
  expect(work.underWay()).toEqual([{ work: 'creation', backupId: id, indexName: null, bytes: 0, bytesOfAll: null }]);
  for (const call of [() => work.remove(id), () => work.verify(id), () => work.restore(id, 'notes', 'notes')]) {
    expect(await codeOf(call())).toBe('backup_conflict');
  }
  await goOn(id);
  const { verification } = await work.verify(id);
  // The state is that of now, be the reading over by then.
  const isRead = verification?.state === 'running';
  expect(work.underWay().map((one) => one.work)).toEqual(isRead ? ['verification'] : []);
});

test('one of two restores that begin at once is refused', async () => {
  const { work, goOn, restored } = openWork();
  const { id } = await work.create(null);
  await goOn(id);
  const codes = await Promise.all(['a', 'b'].map((name) => codeOf(work.restore(id, 'notes', name))));
  expect(codes.toSorted()).toEqual(['backup_conflict', 'it succeeded']);
  expect(restored.filter((one) => one.startsWith('begin'))).toHaveLength(1);
});

test('a restore that begins while the server stops leaves nothing open', async () => {
  const { work, goOn, restored } = openWork();
  const { id } = await work.create(null);
  await goOn(id);
  const begun = codeOf(work.restore(id, 'notes', 'a'));
  await work.close();
  expect(await begun).toBe('service_unavailable');
  expect(restored).toEqual(restored.length === 0 ? [] : ['begin a', 'close a']);
});

test('a scheduled backup waits for the one that somebody makes', async () => {
  const { work, waiting, goOn } = openWork();
  const { id } = await work.create(null);
  const scheduled = work.createScheduled();
  await goOn(id);
  await goOn();
  expect(await scheduled).toMatchObject({ isScheduled: true });
  expect(waiting).toEqual([]);
  expect((await work.lastScheduled())?.toISOString()).toBe((await scheduled).createdAt);
});

test('faults of the schedule are told with their first moment until a turn goes well', async () => {
  const { work, warnings } = openWork();
  expect(work.problems).toEqual([]);
  work.tellOfSchedule(new Error('no room'));
  const [since] = /\d{4}-\S+Z/.exec(work.problems[0]?.reason ?? '') ?? [];
  expect(work.problems).toEqual([
    { status: 'yellow', reason: `Backups are not made or removed as scheduled since ${since}: no room` },
  ]);
  work.tellOfSchedule(new Error('it is away'));
  expect(work.problems).toMatchObject([{ reason: expect.stringContaining(`${since}: it is away`) }]);
  expect(warnings).toHaveLength(2);
  work.tellOfSchedule(null);
  expect([work.problems, warnings.length]).toEqual([[], 2]);
});

test('a manifest that cannot be used is a fault of the schedule, since no pieces are removed', async () => {
  const { work, place } = openWork();
  await work.retain(1);
  const id = '20260203T040506789Z-0a1b2c';
  place.objects.set(`backups/${id}.json`, Buffer.from('{'));
  const fault = await work.retain(1).then(() => 'none', String);
  expect(fault).toContain(`The manifest of backup ${id} cannot be used`);
  expect(fault).toContain('delete the backup');
});
