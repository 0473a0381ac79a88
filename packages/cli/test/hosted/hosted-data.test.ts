import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '@pelorus/server';
import { expect, test } from 'vitest';
import { openHostedData } from '../../src/hosted/hosted-data.js';

type Data = Parameters<typeof openHostedData>[0];

/** The data of a server whose list of indexes is the next of these at each look. */
function dataOf(...lists: readonly (readonly string[])[]) {
  const config = readConfig({ PELORUS_DATA_DIR: mkdtempSync(join(tmpdir(), 'pelorus-hosted-data-')) });
  const open = new Set<string>();
  let looks = 0;
  const hosting = {
    damaged: () => [],
    list: () => (lists[Math.min(looks++, lists.length - 1)] ?? []).map((name) => ({ id: `id-${name}`, name })),
    copy: async ({ name }: { name: string }) => {
      const copy = `${name} of look ${looks}`;
      open.add(copy);
      return { documents: 0, nextPiece: async () => null, close: () => void open.delete(copy) };
    },
  };
  const events = { copyTo: async () => [] };
  return { data: { hosting, events, config } as unknown as Data, open };
}

test('an index that comes or goes while a backup begins is in it whole, or not at all', async () => {
  const changes = [
    [['a'], ['a', 'b']],
    [['a', 'b'], ['b']],
  ];
  for (const [before = [], after = []] of changes) {
    const { data, open } = dataOf(before, after);
    const source = await openHostedData(data);
    expect(source.indexes.map(({ name }) => name)).toEqual(after);
    expect(open.size).toBe(after.length);
    await source.close();
    expect(open.size).toBe(0);
  }
});

test('a list of indexes that never stands still fails a backup, which leaves nothing open', async () => {
  const { data, open } = dataOf(...Array.from({ length: 100 }, (_, at) => [String(at)]));
  await expect(openHostedData(data)).rejects.toThrow('created or deleted so often');
  expect(open.size).toBe(0);
});
