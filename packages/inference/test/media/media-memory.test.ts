import { expect, test } from 'vitest';
import { MediaMemory } from '../../src/media/media-memory.js';

const MIB = 1024 * 1024;
const document = { priority: 'document' } as const;
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A body whose chunks come when they are asked for, and which notes how often it waited for room. */
function body(chunkBytes: number[], length: number | null = null) {
  const read: number[] = [];
  let waits = 0;
  async function* chunks() {
    for (const [i, bytes] of chunkBytes.entries()) {
      read.push(bytes);
      yield new Uint8Array(bytes).fill(i + 1);
    }
  }
  const untimed = <T>(wait: () => Promise<T>) => {
    waits++;
    return wait();
  };
  return { length, chunks: chunks(), untimed, read, waits: () => waits };
}

test.each([7, null])('bytes are put together in memory of their own, of a body of length %s', async (length) => {
  const { bytes } = await new MediaMemory(MIB).collect(body([3, 4], length), 0, document);
  expect([...bytes]).toEqual([1, 1, 1, 2, 2, 2, 2]);
  expect(bytes.buffer).toBeInstanceOf(ArrayBuffer);
  expect(bytes.byteLength).toBe(bytes.buffer.byteLength);
});

test('a body that ends before its announced length is as long as it is', async () => {
  const { bytes } = await new MediaMemory(MIB).collect(body([3], 10), 0, document);
  expect([...bytes]).toEqual([1, 1, 1]);
});

test('a body that finds no room is not received until there is some', async () => {
  const memory = new MediaMemory(10 * MIB);
  const first = await memory.collect(body([6 * MIB], 6 * MIB), MIB, document);
  const second = body([5 * MIB], 5 * MIB);
  const collecting = memory.collect(second, 0, document);
  await settle();
  expect(second.read).toEqual([]);
  first.release();
  expect((await collecting).bytes).toHaveLength(5 * MIB);
  expect(second.waits()).toBe(1);
});

test('bodies of unknown length that turn out large all end, however many there are', async () => {
  const memory = new MediaMemory(8 * MIB);
  const bodies = Array.from({ length: 20 }, () => body(new Array(8).fill(MIB)));
  const sizes = bodies.map(async (one) => {
    const { bytes, release } = await memory.collect(one, 0, document);
    await settle();
    release();
    return bytes.byteLength;
  });
  expect(await Promise.all(sizes)).toEqual(new Array(20).fill(8 * MIB));
});

test('a body that breaks off gives its room back', async () => {
  const memory = new MediaMemory(MIB);
  async function* broken() {
    yield new Uint8Array(10);
    throw new Error('it broke off');
  }
  const cut = { ...body([], MIB), chunks: broken() };
  await expect(memory.collect(cut, 0, document)).rejects.toThrow('it broke off');
  await expect(memory.collect(body([5], MIB), 0, document)).resolves.toMatchObject({ bytes: expect.any(Uint8Array) });
});
