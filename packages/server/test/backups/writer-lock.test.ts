import { PelorusError } from '@pelorus/contract';
import { expect, test } from 'vitest';
import { WriterLock } from '../../src/backups/writer-lock.js';
import { MemoryDestination } from './fixtures.js';

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'it succeeded',
    (error) => (error instanceof PelorusError ? error.code : String(error)),
  );

/** Takes the lock of a place and gives it back at once. */
async function takeIn(place: MemoryDestination): Promise<void> {
  const lock = await WriterLock.acquire(place);
  await lock.release();
}

/** The content of a lock of this process, with changes. */
async function holder(changes: object = {}, agoMs = 0): Promise<Buffer> {
  const place = new MemoryDestination();
  const lock = await WriterLock.acquire(place);
  const [bytes] = [...place.objects.values()];
  await lock.release();
  const renewedAt = new Date(Date.now() - agoMs).toISOString();
  return Buffer.from(JSON.stringify({ ...JSON.parse(String(bytes)), renewedAt, ...changes }));
}

const GONE = 2 ** 22 + 1;
const OTHER = 'locks/other.json';

test('the lock of a process that is gone holds up nobody, and that of another machine for a minute', async () => {
  const place = new MemoryDestination();
  const free = [
    ['gone', await holder({ pid: GONE })],
    ['this process holds no such lock', await holder()],
    ['stale', await holder({ host: 'another' }, 3_600_000)],
    ['torn', Buffer.from('{')],
    ['stale, of an earlier version', Buffer.from(JSON.stringify({ host: 'a', pid: 1, renewedAt: '2026-01-01' }))],
  ] as const;
  for (const [name, bytes] of free) {
    place.objects.set(OTHER, bytes);
    await takeIn(place);
    expect(place.namesOf('locks/'), name).toEqual([]);
  }
  place.objects.set(OTHER, await holder({ host: 'another' }));
  expect(await codeOf(takeIn(place))).toBe('backup_conflict');
  expect(place.namesOf('locks/')).toEqual([OTHER]);
});

test('a process of the same number on another system of the same name is not taken for this one', async () => {
  const place = new MemoryDestination();
  for (const pid of [process.pid, GONE]) {
    place.objects.set(OTHER, await holder({ pid, system: 'another boot, or container' }));
    expect(await codeOf(takeIn(place)), String(pid)).toBe('backup_conflict');
  }
});

test('a lock that was taken for nobody’s is not put back by its renewal', async () => {
  const place = new MemoryDestination();
  const lock = await WriterLock.acquire(place);
  await lock.renew();
  await lock.check();
  place.objects.clear();
  await lock.renew();
  expect(place.namesOf('locks/')).toEqual([]);
  expect(await codeOf(lock.check())).toBe('backup_conflict');
  await lock.release();
});

test('a renewal under way leaves nothing behind a release', async () => {
  const place = new MemoryDestination();
  const lock = await WriterLock.acquire(place);
  let goOn: () => void = () => undefined;
  const waits = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const write = place.write.bind(place);
  place.write = async (name, bytes) => {
    await waits;
    await write(name, bytes);
  };
  const renewed = lock.renew();
  const released = lock.release();
  goOn();
  await Promise.all([renewed, released]);
  expect(place.namesOf('locks/')).toEqual([]);
});

test('a writer that took the lock of one that lives on after all gives way to it', async () => {
  const place = new MemoryDestination();
  place.objects.set(OTHER, await holder({ host: 'another' }, 3_600_000));
  const lock = await WriterLock.acquire(place);
  await lock.check();
  // A renewal that had begun before the lock was removed.
  place.objects.set(OTHER, await holder({ host: 'another' }));
  expect(await codeOf(lock.check())).toBe('backup_conflict');
  await lock.release();
});
