import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';

/** The files of a data directory by their paths, and the answers that it gave when it was written. */
export interface DataFixture {
  readonly answers: unknown;
  /** In base64. */
  readonly files: Readonly<Record<string, string>>;
}

export async function readFixture(path: string): Promise<DataFixture> {
  return JSON.parse(gunzipSync(await readFile(path)).toString()) as DataFixture;
}

/** Keeps a data directory that nobody uses. The lock is not part of it. */
export async function writeFixture(path: string, folder: string, answers: unknown): Promise<void> {
  const files: Record<string, string> = {};
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile() && entry.name !== 'lock') {
      files[file.slice(folder.length + 1)] = (await readFile(file)).toString('base64');
    }
  }
  await writeFile(path, gzipSync(JSON.stringify({ answers, files }), { level: 9 }));
}

/** Makes the data directory of a fixture in a folder. */
export async function unpack({ files }: DataFixture, folder: string): Promise<void> {
  for (const [file, bytes] of Object.entries(files)) {
    const path = join(folder, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, Buffer.from(bytes, 'base64'));
  }
}
