import { readdir } from 'node:fs/promises';
import {
  type Generations,
  readNewest,
  readSealed,
  removeUnfinished,
  type SealedForm,
  writeNext,
  writeSealed,
} from '@pelorus/files';

/** The path of a value, and the form by which it is recognised. */
export interface Place<Value> extends SealedForm<Value> {
  readonly path: string;
  /** The generations of such files, so that one that was put back is told; absent where nobody notes them. */
  readonly generations?: Generations | undefined;
}

/**
 * A value in a file of its own, written whole. Its folder is there. Changes wait for each other, and each is
 * durable before it is told.
 */
export class JsonFile<Value> {
  readonly #place: Place<Value>;
  #value: Value;
  #isThere: boolean;
  #generation = 0;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(place: Place<Value>, value: Value, isThere: boolean) {
    this.#place = place;
    this.#value = value;
    this.#isThere = isThere;
  }

  /** A file that is not there yet, or that is to be replaced. It comes to be with the first change. */
  static create<Value>(place: Place<Value>, initial: Value): JsonFile<Value> {
    return new JsonFile(place, initial, false);
  }

  /**
   * Reads the file, or begins with `initial` where there is none. Nothing may be writing it.
   * @throws DamagedFileError where the file cannot be used, or is older than what was stored: it is left as it is
   */
  static async open<Value>(place: Place<Value>, initial: Value): Promise<JsonFile<Value>> {
    const { path, generations } = place;
    const found =
      generations === undefined
        ? { value: await readSealed(path, place), generation: 0 }
        : await readNewest(path, place, generations);
    await removeUnfinished(path).catch(() => undefined);
    const file = new JsonFile(place, found?.value ?? initial, found?.value !== undefined);
    file.#generation = found?.generation ?? 0;
    return file;
  }

  get value(): Value {
    return this.#value;
  }

  /** Tells whether it was written, before or since it was opened. */
  get isThere(): boolean {
    return this.#isThere;
  }

  /** @param next makes the new value from the one that is there then; where it throws, nothing is changed */
  change(next: (value: Value) => Value): Promise<Value> {
    const change = this.#last.then(async () => {
      const value = next(this.#value);
      const { path, generations } = this.#place;
      if (generations === undefined) await writeSealed(path, value, this.#place);
      else {
        const next = { value, generation: this.#generation };
        this.#generation = await writeNext(path, next, this.#place, generations);
      }
      this.#value = value;
      this.#isThere = true;
      return value;
    });
    this.#last = change.catch(() => undefined);
    return change;
  }
}

/** Names in a folder; none where there is no such folder, or something else in its place. */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}
