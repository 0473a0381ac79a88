import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { removeUnfinished, syncFolder, writeDurably } from '@pelorus/files';

/** A value in a file of its own, written whole. Changes wait for each other, and each is durable before it is told. */
export class JsonFile<Value> {
  readonly #path: string;
  #value: Value;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(path: string, value: Value) {
    this.#path = path;
    this.#value = value;
  }

  /** A file that is not there yet. It comes to be with the first change. */
  static create<Value>(path: string, initial: Value): JsonFile<Value> {
    return new JsonFile(path, initial);
  }

  /**
   * Reads what the file holds, or begins with `initial` where there is none. Nothing may be writing it.
   * @throws Error where the file cannot be read: it is left as it is
   */
  static async open<Value>(path: string, initial: Value): Promise<JsonFile<Value>> {
    await removeUnfinished(path);
    try {
      return new JsonFile(path, JSON.parse(await readFile(path, 'utf8')) as Value);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new JsonFile(path, initial);
      throw new Error(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
    }
  }

  get value(): Value {
    return this.#value;
  }

  /** @param next makes the new value from the one that is there then; where it throws, nothing is changed */
  change(next: (value: Value) => Value): Promise<Value> {
    const change = this.#last.then(async () => {
      const value = next(this.#value);
      const created = await mkdir(dirname(this.#path), { recursive: true });
      await writeDurably(this.#path, `${JSON.stringify(value)}\n`);
      if (created !== undefined) await syncParents(dirname(this.#path), created);
      this.#value = value;
      return value;
    });
    this.#last = change.catch(() => undefined);
    return change;
  }
}

/** Makes the names of `folder` and of the folders above it durable, up to `first`. */
async function syncParents(folder: string, first: string): Promise<void> {
  const last = dirname(resolve(first));
  for (let parent = resolve(folder); parent !== last; ) {
    parent = dirname(parent);
    await syncFolder(parent);
  }
}

/**
 * The ids of indexes that have a file in `folder`, `<id>.json`, or a folder, `<id>`. What is of indexes that are not there,
 * which were deleted, is removed.
 */
export async function idsIn(folder: string, isThere: (id: string) => boolean): Promise<Set<string>> {
  const ids = new Set<string>();
  for (const name of await namesIn(folder)) {
    const id = name.replace(/\.json$/, '');
    if (isThere(id)) ids.add(id);
    else await rm(join(folder, name), { recursive: true, force: true });
  }
  return ids;
}

/** Names in a folder; none where there is no such folder. */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
