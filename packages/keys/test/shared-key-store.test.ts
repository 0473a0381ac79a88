import { expect, onTestFinished, test, vi } from 'vitest';
import { type KeyRecords, type KeySnapshot, KeyView, SharedKeyStore, type SharedRecord } from '../src/index.js';

const admin = { kind: 'api', name: 'boss', scope: 'admin', indexes: null, origins: null, expiresAt: null } as const;
const reader = { ...admin, name: 'reader', scope: 'read' } as const;

/** A record in memory that several stores share, as a cluster would hold it. */
class MemoryRecord implements SharedRecord {
  value: object | undefined;
  count = 0;
  isAway = false;

  async version(): Promise<string | undefined> {
    if (this.isAway) throw new Error('nobody answers');
    return this.value === undefined ? undefined : String(this.count);
  }

  async read() {
    const version = await this.version();
    return version === undefined ? undefined : { value: structuredClone(this.value), version };
  }

  async replace(value: object, over: string | undefined): Promise<string | undefined> {
    const found = await this.version();
    // Nothing comes in between.
    if (found !== over || (found !== undefined && found !== String(this.count))) return undefined;
    this.value = structuredClone(value);
    this.count += 1;
    return String(this.count);
  }
}

class Cluster {
  readonly keys = new MemoryRecord();
  readonly lastUsed = new MemoryRecord();
  readonly aside = new Map<string, object>();

  records(): KeyRecords {
    const setAside = async (name: string, value: object) => {
      this.aside.set(name, value);
      return name;
    };
    return { keys: this.keys, lastUsed: this.lastUsed, setAside, close: async () => undefined };
  }

  async open(options: Partial<Parameters<typeof SharedKeyStore.open>[1]> = {}): Promise<SharedKeyStore> {
    const store = await SharedKeyStore.open(this.records(), { countMax: 9, ...options });
    onTestFinished(() => store.close());
    return store;
  }
}

/** A list of generations that only grow, as an inventory has them. */
function generations() {
  const noted = new Map<string, number>();
  return {
    least: (name: string) => noted.get(name) ?? 0,
    raise: async (name: string, generation: number) => void noted.set(name, generation),
  };
}

const code = (code: string) => expect.objectContaining({ code });

test('a key that one server makes, changes and ends is so for the others', async () => {
  const cluster = new Cluster();
  const [one, other] = [(await cluster.open()).follow(), (await cluster.open()).follow()];
  expect([one.isRequired, other.isRequired]).toEqual([false, false]);
  const { key, secret } = await one.create(admin);
  expect(one.find(secret)?.key).toEqual(key);
  await expect.poll(() => other.find(secret)?.key).toEqual(key);
  expect(other.isRequired).toBe(true);
  const read = await other.create(reader);
  const rotated = await other.rotate(read.key.id, 0);
  await expect.poll(() => one.find(rotated.secret)?.key.id).toBe(read.key.id);
  expect(one.find(read.secret)).toBeUndefined();
  await one.revoke(read.key.id);
  await expect.poll(() => other.find(rotated.secret)).toBeUndefined();
  await expect(other.revoke(read.key.id)).rejects.toEqual(code('key_not_found'));
});

test('changes at once lose none of them, and break no rule about all keys', async () => {
  const cluster = new Cluster();
  const [one, other] = [await cluster.open(), await cluster.open()];
  await expect(one.create(reader)).rejects.toEqual(code('last_admin_key'));
  const first = await one.create(admin);
  const second = await other.create(admin);
  const made = await Promise.all([one, other, one, other].map((store) => store.create(reader)));
  expect(new Set((await cluster.open()).list().map(({ key }) => key.id)).size).toBe(2 + made.length);
  const ended = await Promise.allSettled([one.revoke(first.key.id), other.revoke(second.key.id)]);
  expect(ended.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  await Promise.all([one.create(reader), other.create(reader), one.create(reader)]);
  const full = await Promise.allSettled([one.create(reader), other.create(reader)]);
  expect(full.filter(({ status }) => status === 'rejected')).toHaveLength(1);
});

test('nobody is let in while the keys cannot be read', async () => {
  const cluster = new Cluster();
  const warned: string[] = [];
  const store = (
    await cluster.open({ adminSecret: 'a key of the environment', warn: (text) => warned.push(text) })
  ).follow();
  let snapshot: KeySnapshot | undefined;
  store.tellChanges((keys) => {
    snapshot = keys;
  });
  const view = new KeyView(
    () => snapshot as KeySnapshot,
    () => undefined,
  );
  const { secret } = await store.create(admin);
  expect([view.fresh(), view.find(secret)?.key.name]).toEqual([undefined, 'boss']);
  cluster.keys.isAway = true;
  await vi.waitFor(() => expect(() => store.find(secret)).toThrow(code('service_unavailable')), 100_000);
  expect(() => store.find('a key of the environment')).toThrow(code('service_unavailable'));
  expect(() => view.find(secret)).toThrow(code('service_unavailable'));
  await expect(store.fresh()).rejects.toEqual(code('service_unavailable'));
  expect(store.problems).toMatchObject([{ status: 'red', reason: expect.stringContaining('nobody answers') }]);
  // The next look for changes tells it.
  await vi.waitFor(() => expect(warned).toHaveLength(1), 100_000);
  cluster.keys.isAway = false;
  await vi.waitFor(() => view.fresh(), 100_000);
  expect([store.find(secret)?.key.name, view.find(secret)?.key.name]).toEqual(['boss', 'boss']);
  expect(store.problems).toEqual([]);
});

test('keys that are gone, or older than a server has seen, let nobody in until they are begun anew', async () => {
  const [cluster, noted] = [new Cluster(), generations()];
  const store = await cluster.open({ generations: noted });
  const { secret } = await store.create(admin);
  const older = cluster.keys.value as object;
  const { key } = await store.create(reader);
  await store.revoke(key.id);
  for (const value of [older, undefined, { generation: 'no number' }]) {
    cluster.keys.value = value;
    cluster.keys.count += 1;
    const again = await cluster.open({ generations: noted }).catch((error) => error);
    // A start ends by what no version has stored.
    if (again instanceof Error) expect(again).toEqual(code('backend_data_parsing_error'));
    else {
      expect(again.isRequired).toBe(true);
      expect(() => again.find(secret)).toThrow(code('service_unavailable'));
      expect(again.problems).toMatchObject([{ status: 'red', reason: expect.stringContaining('pelorus keys reset') }]);
    }
    await expect(store.create(reader)).rejects.toEqual(code('backend_data_parsing_error'));
  }
  const reset = await SharedKeyStore.reset(cluster.records(), 'boss', { countMax: 9 });
  expect(cluster.aside.get(reset.aside)).toEqual({ found: { generation: 'no number' } });
  store.follow();
  await expect.poll(() => store.find(reset.secret)?.key.id).toBe(reset.key.id);
  expect(store.find(secret)).toBeUndefined();
});

test('calls need a key where a folder had some before, and there is none on the cluster', async () => {
  const store = await new Cluster().open({ wasThere: true });
  expect(store.isRequired).toBe(true);
  expect(store.problems).toMatchObject([{ status: 'red' }]);
});

test('the last use of a key is told to other servers', async () => {
  const cluster = new Cluster();
  const one = await cluster.open();
  const { key } = await one.create(admin);
  one.noteUse(key.id);
  await one.close();
  expect((await cluster.open()).list()[0]?.lastUsedAt).toMatch(/^\d{4}-/);
});
