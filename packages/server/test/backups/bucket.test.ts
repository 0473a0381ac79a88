import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { Backups, type Destination, openDestination } from '../../src/backups/index.js';
import { sourceOf } from './fixtures.js';
import { LoopbackBucket } from './loopback-bucket.js';

/** A service like that of Amazon, with credentials in the environment, such as `moto_server`; a test of it is skipped. */
const SERVICE = process.env.PELORUS_TEST_S3;

const bucket = new LoopbackBucket('backups');
const endpoint = await bucket.listen();
afterAll(() => bucket.close());

const service = { endpoint, region: 'eu-west-1' };

beforeEach(() => {
  bucket.objects.clear();
  bucket.requests.length = 0;
});

async function withCredentials<T>(work: () => Promise<T>): Promise<T> {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test-id');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test-secret');
  vi.stubEnv('AWS_SESSION_TOKEN', '');
  try {
    return await work();
  } finally {
    vi.unstubAllEnvs();
  }
}

/** All that backups do with a place, which is empty before and after it. */
async function expectBackupsIn(place: Destination): Promise<void> {
  const backups = new Backups(place);
  const made: string[] = [];
  for (const texts of [['one', 'two', 'three'], ['one', 'two', 'four'], []]) {
    const id = backups.newId();
    const open = async () => sourceOf(texts, { 'keys/a.json': 'k' });
    await backups.create(id, { open, version: '1', isWhole: true, isScheduled: true });
    made.push(id);
  }
  expect((await backups.list()).map(({ manifest }) => manifest?.newBytes).toSorted()).toEqual([0, 12, 4].toSorted());
  for (const id of made) expect((await backups.verify(id)).problems).toEqual([]);
  expect(await place.read('pieces/00/nothing')).toBeNull();
  expect(await backups.retain(1)).toHaveLength(2);
  const [{ id = '' } = {}] = await backups.list();
  expect((await backups.verify(id)).problems).toEqual([]);
  await backups.remove(id);
  for (const prefix of ['backups/', 'pieces/', 'locks/']) {
    for await (const { name } of place.list(prefix)) expect(name).toBe('nothing');
  }
}

test('a bucket holds backups below its prefix, however many objects one answer lists', async () => {
  await withCredentials(async () => {
    const place = await openDestination('s3://backups/of/pelorus', service);
    await place.write('pieces/ab/one', Buffer.from('x'));
    expect([...bucket.objects.keys()]).toEqual(['of/pelorus/pieces/ab/one']);
    await place.remove(['pieces/ab/one']);
    await expectBackupsIn(place);
    expect(bucket.requests.every((request) => / \/backups(\/of\/pelorus\/|$)/.test(request))).toBe(true);
  });
});

test('a request that the service has no time for is sent again, and its refusal is told', async () => {
  await withCredentials(async () => {
    const place = await openDestination('s3://backups', service);
    bucket.failures.push({ status: 503, body: '<Error><Code>SlowDown</Code></Error>' });
    await place.write('pieces/ab/one', Buffer.from('x'));
    expect(bucket.requests).toHaveLength(2);
    const refusal = { status: 403, body: '<Error><Message>It is &lt;locked&gt;</Message></Error>' };
    for (const work of [
      () => place.write('a/b', Buffer.alloc(1)),
      () => place.read('a/b'),
      () => place.remove(['a/b']),
      async () => {
        for await (const { name } of place.list('a/')) expect(name).toBe('nothing');
      },
    ]) {
      bucket.failures.push(refusal);
      const told = { code: 'backup_storage_unavailable', message: expect.stringContaining('403: It is <locked>') };
      await expect(work()).rejects.toMatchObject(told);
    }
    const other = await openDestination('s3://another', service);
    await expect(other.read('a/b')).rejects.toMatchObject({ code: 'backup_storage_unavailable' });
  });
});

test('a name that is none of a bucket is refused', async () => {
  for (const text of ['s3://', 's3://A', 's3://a b/c', 's3://user:secret@bucket', 'ftp://a', 's3://backups/a?b']) {
    await expect(openDestination(text, service), text).rejects.toMatchObject({ code: 'server_configuration_error' });
  }
});

/** Does work for each of many, a few at once. */
async function eachOf(names: readonly string[], work: (name: string) => Promise<void>): Promise<void> {
  for (let at = 0; at < names.length; at += 20) await Promise.all(names.slice(at, at + 20).map(work));
}

test.skipIf(SERVICE === undefined)(
  'a service of its own holds backups',
  async () => {
    const name = `pelorus-${Date.now()}`;
    const { AwsClient } = await import('aws4fetch');
    const { AWS_ACCESS_KEY_ID: accessKeyId = '', AWS_SECRET_ACCESS_KEY: secretAccessKey = '' } = process.env;
    const signer = new AwsClient({ accessKeyId, secretAccessKey, service: 's3', region: 'us-east-1' });
    expect((await signer.fetch(`${SERVICE}/${name}`, { method: 'PUT' })).status).toBe(200);
    const place = await openDestination(`s3://${name}/pelorus`, { endpoint: SERVICE ?? '', region: 'us-east-1' });
    // More than one answer lists.
    const names = Array.from({ length: 1_003 }, (_, at) => `pieces/00/${at}`);
    await eachOf(names, (one) => place.write(one, Buffer.from(one)));
    const listed: string[] = [];
    for await (const { name: one } of place.list('pieces/')) listed.push(one);
    expect(listed.toSorted()).toEqual(names.toSorted());
    await eachOf(names, (one) => place.remove([one]));
    await expectBackupsIn(place);
  },
  600_000,
);

if (SERVICE === undefined) {
  console.warn('SKIPPED: backups to a real S3 service. PELORUS_TEST_S3 names its address, such as that of moto_server');
}
