import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ExitCode } from '../start-failure.js';
import { TransferFailure } from './transfer-failure.js';

interface Saved {
  readonly url: string;
  readonly index: string;
  readonly bytes: number;
  readonly modifiedMs: number;
  /** Items from the start of the file that are done with: stored, or reported as failed. */
  readonly items: number;
  /** The fields to embed that were chosen for the whole import. */
  readonly tensorFields?: readonly string[];
}

type Target = Omit<Saved, 'items' | 'tensorFields'>;

/** Between two savings: documents acknowledged in between are sent again after a crash, which changes nothing. */
const SAVE_EVERY_MS = 200;

/** The progress of an import, kept beside its file until it is done. */
export class ImportState {
  readonly #path: string;
  readonly #target: Target;
  #tensorFields: readonly string[] | undefined;
  #items: number;
  #savedItems: number;
  #savedAt = performance.now();
  #saving = Promise.resolve();

  private constructor(path: string, target: Target, items: number, tensorFields?: readonly string[]) {
    this.#path = path;
    this.#target = target;
    this.#items = items;
    this.#savedItems = items;
    this.#tensorFields = tensorFields;
  }

  /**
   * The place where the import of `file` stopped, or its beginning.
   * @throws TransferFailure when it stopped with another file, index or server
   */
  static async open(file: string, url: string, index: string, restart: boolean): Promise<ImportState> {
    const path = `${file}.import-state.json`;
    const { size: bytes, mtimeMs: modifiedMs } = await stat(resolve(file));
    const target = { url, index, bytes, modifiedMs };
    if (restart) await rm(path, { force: true });
    const saved = await readSaved(path);
    if (saved === undefined) return new ImportState(path, target, 0);
    const { items, tensorFields, ...earlier } = saved;
    if (JSON.stringify(earlier) === JSON.stringify(target)) return new ImportState(path, target, items, tensorFields);
    const changed = earlier.bytes !== bytes || earlier.modifiedMs !== modifiedMs;
    throw new TransferFailure(
      `${path} is of an import ${changed ? 'of an earlier version of this file' : `into index ${earlier.index} of ${earlier.url}`} that stopped after ${items} documents: --restart begins anew`,
      ExitCode.BAD_CONFIGURATION,
    );
  }

  get items(): number {
    return this.#items;
  }

  /** The fields to embed that an earlier part of the import chose. */
  get tensorFields(): readonly string[] | undefined {
    return this.#tensorFields;
  }

  choose(tensorFields: readonly string[] | undefined): void {
    this.#tensorFields = tensorFields;
  }

  /** Remembers that everything up to item `items` is done with. */
  async reach(items: number): Promise<void> {
    this.#items = items;
    if (performance.now() - this.#savedAt > SAVE_EVERY_MS) await this.save();
  }

  /** One saving follows the other: those who acknowledge do so at once. */
  save(): Promise<void> {
    this.#saving = this.#saving.then(() => this.#write());
    return this.#saving;
  }

  async #write(): Promise<void> {
    if (this.#items === this.#savedItems) return;
    const [items, chosen, draft] = [this.#items, this.#tensorFields, `${this.#path}.tmp`];
    await writeFile(
      draft,
      JSON.stringify({ ...this.#target, items, ...(chosen !== undefined && { tensorFields: chosen }) } satisfies Saved),
    );
    await rename(draft, this.#path);
    this.#savedItems = items;
    this.#savedAt = performance.now();
  }

  /** The import is done. */
  end(): Promise<void> {
    return rm(this.#path, { force: true });
  }
}

async function readSaved(path: string): Promise<Saved | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return JSON.parse(text) as Saved;
  } catch {
    throw new TransferFailure(`${path} cannot be read: --restart begins anew`, ExitCode.BAD_CONFIGURATION);
  }
}
