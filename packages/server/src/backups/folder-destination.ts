import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder } from '@pelorus/files';
import { type Destination, destinationFailed, type StoredObject } from './destination.js';

/** Begins the name of a file that is being written. */
const DRAFT = '.draft-';
/** The age at which such a file is nobody's: locks are written beside those of other processes. */
const DRAFT_MS = 60_000;

/** A folder of this machine, which may be of another disk or another machine's. */
export class FolderDestination implements Destination {
  readonly text: string;
  readonly #root: string;
  /** Folders that are there durably once their promises resolve, each without drafts of a crash. */
  readonly #made = new Map<string, Promise<void>>();

  constructor(root: string) {
    this.text = root;
    this.#root = root;
  }

  async *list(prefix: string): AsyncGenerator<StoredObject> {
    const folder = join(this.#root, prefix);
    const entries = await this.#doing('reading a folder', () => absentAs([], readdir(folder, { withFileTypes: true })));
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = `${prefix}${entry.name}`;
      if (entry.isDirectory()) yield* this.list(`${name}/`);
      else if (!entry.name.startsWith(DRAFT)) {
        const found = await this.#doing(`reading ${name}`, () => absentAs(null, stat(join(this.#root, name))));
        if (found !== null) yield { name, bytes: found.size };
      }
    }
  }

  read(name: string): Promise<Buffer | null> {
    return this.#doing(`reading ${name}`, () => absentAs(null, readFile(join(this.#root, name))));
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    const path = join(this.#root, name);
    const folder = dirname(path);
    const draft = join(folder, `${DRAFT}${randomUUID()}`);
    await this.#doing(`writing ${name}`, async () => {
      await this.#make(folder);
      try {
        const file = await open(draft, 'wx', 0o600);
        try {
          await file.writeFile(bytes);
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(draft, path);
      } catch (error) {
        await rm(draft, { force: true });
        throw error;
      }
      await syncFolder(folder);
    });
  }

  async remove(names: readonly string[]): Promise<void> {
    const folders = new Set<string>();
    for (const name of names) {
      const path = join(this.#root, name);
      await this.#doing(`removing ${name}`, () => rm(path, { force: true }));
      folders.add(dirname(path));
    }
    for (const folder of folders) await this.#doing('removing objects', () => absentAs(undefined, syncFolder(folder)));
  }

  /** Once for all writes. */
  #make(folder: string): Promise<void> {
    const known = this.#made.get(folder);
    if (known !== undefined) return known;
    const made = this.#makeDurably(folder);
    this.#made.set(folder, made);
    made.catch(() => this.#made.delete(folder));
    return made;
  }

  async #makeDurably(folder: string): Promise<void> {
    const first = await mkdir(folder, { recursive: true, mode: 0o700 });
    for (let made = folder; first !== undefined && made.length >= first.length; made = dirname(made)) {
      await syncFolder(dirname(made));
    }
    await this.#removeDrafts(folder);
  }

  /** Removes what a crash left in a folder. */
  async #removeDrafts(folder: string): Promise<void> {
    for (const name of await readdir(folder)) {
      if (!name.startsWith(DRAFT)) continue;
      const path = join(folder, name);
      const found = await absentAs(null, stat(path));
      if (found !== null && Date.now() - found.mtimeMs > DRAFT_MS) await rm(path, { force: true });
    }
  }

  async #doing<T>(action: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw destinationFailed(this.text, action, error);
    }
  }
}

/** Another value in place of what is not there. */
async function absentAs<T, U>(other: U, found: Promise<T>): Promise<T | U> {
  try {
    return await found;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return other;
    throw error;
  }
}
