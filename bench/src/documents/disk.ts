import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const BLOCK = 512;

/** Bytes that the files of a folder take on the disk: files may have holes. Windows tells their lengths alone. */
export async function folderBytes(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const { blocks, size } = await stat(join(entry.parentPath, entry.name));
    bytes += process.platform === 'win32' ? size : blocks * BLOCK;
  }
  return bytes;
}

/** A file that grows by a page with each write, the least that a durable acknowledgement takes. */
export class SyncedFile {
  readonly #page = Buffer.alloc(4096, 1);
  readonly #path: string;
  readonly #file;

  private constructor(path: string, file: Awaited<ReturnType<typeof open>>) {
    this.#path = path;
    this.#file = file;
  }

  static async create(folder: string): Promise<SyncedFile> {
    await mkdir(folder, { recursive: true });
    const path = join(folder, 'synced');
    return new SyncedFile(path, await open(path, 'w'));
  }

  /** Writes a page and syncs it; milliseconds. */
  async write(): Promise<number> {
    const started = performance.now();
    await this.#file.write(this.#page);
    await this.#file.datasync();
    return performance.now() - started;
  }

  async close(): Promise<void> {
    await this.#file.close();
    await rm(this.#path);
  }
}
