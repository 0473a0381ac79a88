import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type KeySnapshot, KeyStore, KeyView } from '../src/index.js';

const MINUTE_MS = 60_000;

const admin = {
  kind: 'api',
  name: 'admin',
  scope: 'admin',
  indexes: null,
  origins: null,
  expiresAt: null,
} as const;

/** A store, and the view that another thread has of it, whose snapshots are cloned as on their way there. */
async function storeAndView() {
  const folder = await mkdtemp(join(tmpdir(), 'pelorus-keys-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const clock = { ms: Date.parse('2026-01-01T00:00:00Z') };
  const adminSecret = 'a secret of the environment';
  const store = await KeyStore.open(join(folder, 'keys'), { countMax: 9, adminSecret, now: () => clock.ms });
  onTestFinished(() => store.close());
  let snapshot: KeySnapshot | undefined;
  store.tellChanges((keys) => {
    snapshot = structuredClone(keys);
  });
  const used: string[] = [];
  const view = new KeyView(
    () => snapshot as KeySnapshot,
    (id) => used.push(id),
    () => clock.ms,
  );
  return { store, view, used, clock, adminSecret };
}

test('a view finds what its store finds, as soon as a change is acknowledged', async () => {
  const { store, view, adminSecret } = await storeAndView();
  expect(view.find(adminSecret)?.key.id).toBe('environment');
  const { key, secret } = await store.create({ ...admin, name: 'first' });
  expect([view.isRequired, view.find(secret)?.key]).toEqual([true, key]);
  const rotated = await store.rotate(key.id, 0);
  expect([view.find(secret), view.find(rotated.secret)?.key.id]).toEqual([undefined, key.id]);
  expect(view.list().map((one) => one.key)).toEqual(store.list().map((one) => one.key));
  await store.revoke(key.id);
  expect([view.find(rotated.secret), view.list()]).toEqual([undefined, []]);
  expect(view.find('no secret at all')).toBeUndefined();
});

test('a view sees a key expire by its own clock', async () => {
  const { store, view, clock } = await storeAndView();
  const expiresAt = new Date(clock.ms + MINUTE_MS).toISOString();
  const { secret } = await store.create({ ...admin, expiresAt });
  expect(view.find(secret)?.hasExpired).toBe(false);
  clock.ms += MINUTE_MS;
  expect(view.find(secret)?.hasExpired).toBe(true);
});

test('the use of a key is told once a minute', async () => {
  const { view, used, clock } = await storeAndView();
  for (const _ of [1, 2, 3]) view.noteUse('a');
  view.noteUse('b');
  clock.ms += MINUTE_MS;
  view.noteUse('a');
  expect(used).toEqual(['a', 'b', 'a']);
});
