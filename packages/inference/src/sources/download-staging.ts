import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { tryWithFileLock, withFileLock } from '@pelorus/files';
import { isPartFile } from './download.js';
import { SourceFailure } from './source-failure.js';

/** Time for which the part of a cut download may be gone on with. */
const AGE_MAX_MS = 7 * 24 * 60 * 60 * 1000;

const LOCK = '.lock';

/** An entry in the folder of one model. */
interface Leftover {
  readonly name: string;
  readonly bytes: number;
  /** The time of the last write to something of it. */
  readonly modifiedMs: number;
}

/**
 * The folder in which files are downloaded and unpacked before they are a model: one folder inside for each, with a
 * lock beside it. Whoever may name a model can fill it, so it is bounded in bytes, and parts that nobody goes on with
 * are removed.
 */
export class DownloadStaging {
  readonly #root: string;
  readonly #bytesMax: number;

  constructor(root: string, bytesMax: number) {
    this.#root = root;
    this.#bytesMax = bytesMax;
  }

  folder(name: string): string {
    return join(this.#root, name);
  }

  /** Runs `work` while no other process works in the folder of that name. */
  async withLock<T>(name: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await mkdir(this.#root, { recursive: true });
    return withFileLock(this.#lock(name), work, signal);
  }

  /** Removes the rest of a download, but for the parts of files where `keepsParts`. */
  async clear(name: string, keepsParts: boolean): Promise<void> {
    const folder = this.folder(name);
    const kept = keepsParts ? (await entriesOf(folder)).filter(isPartFile) : [];
    if (kept.length === 0) return rm(folder, { recursive: true, force: true });
    const others = (await entriesOf(folder)).filter((entry) => !kept.includes(entry));
    await Promise.all(others.map((entry) => rm(join(folder, entry), { recursive: true, force: true })));
  }

  /**
   * Removes files that are no parts, or too old, then the oldest until the rest is within the bound. Work under way is
   * left alone.
   */
  async sweep(): Promise<void> {
    const oldest = Date.now() - AGE_MAX_MS;
    for (const { name, modifiedMs } of await this.#leftovers()) {
      await tryWithFileLock(this.#lock(name), () => this.clear(name, modifiedMs >= oldest));
    }
    await this.#shrink(0);
  }

  /**
   * Makes sure that `bytes` more fit, if need be by removing files that nobody works on.
   * @throws SourceFailure when they do not.
   */
  async makeRoom(bytes: number): Promise<void> {
    const used = await this.#shrink(bytes);
    if (used + bytes <= this.#bytesMax) return;
    throw new SourceFailure(
      `there is no room for ${bytes} bytes more: downloads under way take ${used} of ${this.#bytesMax} bytes`,
    );
  }

  /** The bytes in use, after the oldest were removed until `bytes` more fit, or nothing was left to remove. */
  async #shrink(bytes: number): Promise<number> {
    const leftovers = await this.#leftovers();
    let used = leftovers.reduce((sum, leftover) => sum + leftover.bytes, 0);
    for (const leftover of leftovers.sort((a, b) => a.modifiedMs - b.modifiedMs)) {
      if (used + bytes <= this.#bytesMax) break;
      if (leftover.bytes > 0 && (await this.#remove(leftover.name))) used -= leftover.bytes;
    }
    return used;
  }

  /** Removes one folder, unless a process works in it. */
  #remove(name: string): Promise<boolean> {
    return tryWithFileLock(this.#lock(name), () => rm(this.folder(name), { recursive: true, force: true }));
  }

  async #leftovers(): Promise<Leftover[]> {
    const entries = await entriesOf(this.#root);
    const names = new Set(entries.map((entry) => (entry.endsWith(LOCK) ? entry.slice(0, -LOCK.length) : entry)));
    return Promise.all([...names].map((name) => this.#leftover(name)));
  }

  async #leftover(name: string): Promise<Leftover> {
    const folder = this.folder(name);
    const inside = await readdir(folder, { recursive: true }).catch(() => []);
    const states = await Promise.all(['', ...inside].map((path) => stat(join(folder, path)).catch(() => null)));
    const files = states.filter((state) => state !== null);
    return {
      name,
      bytes: files.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0),
      modifiedMs: files.reduce((latest, file) => Math.max(latest, file.mtimeMs), 0),
    };
  }

  #lock(name: string): string {
    return join(this.#root, `${name}${LOCK}`);
  }
}

async function entriesOf(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}
