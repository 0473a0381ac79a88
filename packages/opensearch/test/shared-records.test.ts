import { expect, onTestFinished, test } from 'vitest';
import { SharedRecords } from '../src/index.js';
import { empty, freshPrefix, hasNoCluster, NODES } from './cluster.js';

/** The records of a prefix as two servers have them. */
async function twoServers() {
  const prefix = freshPrefix();
  const open = () => SharedRecords.openKeys({ nodes: NODES, prefix, replicas: 0 });
  const [one, other] = [await open(), await open()];
  onTestFinished(async () => {
    await Promise.all([one.close(), other.close()]);
    await empty(prefix);
  });
  return { one, other, prefix };
}

test.skipIf(hasNoCluster)('a version of a record is replaced once, by whichever server comes first', async () => {
  const { one, other } = await twoServers();
  const [mine, theirs] = [one.record('keys'), other.record('keys')];
  expect([await mine.version(), await mine.read()]).toEqual([undefined, undefined]);
  const made = await Promise.all([mine.replace({ by: 1 }, undefined), theirs.replace({ by: 2 }, undefined)]);
  expect(made.filter((version) => version === undefined)).toHaveLength(1);
  const found = await mine.read();
  expect(found).toEqual(await theirs.read());
  expect(await theirs.version()).toBe(found?.version);
  const next = await theirs.replace({ deep: { 'a.b': [1] } }, found?.version);
  expect(await mine.replace({ by: 1 }, found?.version)).toBeUndefined();
  // At once, since reads by id wait for no refresh.
  expect(await mine.read()).toEqual({ value: { deep: { 'a.b': [1] } }, version: next });
});

test.skipIf(hasNoCluster)(
  'a record of an index that was made anew is of another version, and ends by its age',
  async () => {
    const { one, prefix } = await twoServers();
    const record = one.record('keys');
    const first = await record.replace({ by: 1 }, undefined);
    await empty(prefix);
    expect(await record.version()).toBeUndefined();
    expect(await record.replace({ by: 2 }, first)).toBeUndefined();
    const second = await record.replace({ by: 1 }, undefined);
    expect([second === first, second]).toEqual([false, expect.any(String)]);
    await one.removeOlder(60_000);
    expect(await record.version()).toBe(second);
    await one.removeOlder(-60_000);
    expect(await record.version()).toBeUndefined();
  },
);

test('records of a cluster that is away are not opened', async () => {
  const opened = SharedRecords.openKeys({ nodes: ['http://127.0.0.1:1'] });
  await expect(opened).rejects.toMatchObject({ code: 'service_unavailable' });
});
