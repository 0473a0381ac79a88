import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folderBytes } from './disk.ts';

it.skipIf(process.platform === 'win32')('counts what all files of a folder take, holes left out', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pelorus-bench-'));
  try {
    expect(await folderBytes(folder)).toBe(0);
    await mkdir(join(folder, 'inner'));
    await writeFile(join(folder, 'inner', 'full'), Buffer.alloc(1 << 20, 1), { flush: true });
    await writeFile(join(folder, 'hole'), '');
    await truncate(join(folder, 'hole'), 1 << 30);
    const bytes = await folderBytes(folder);
    expect(bytes).toBeGreaterThanOrEqual(1 << 20);
    expect(bytes).toBeLessThan(1 << 22);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
