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
  /** The address of the collection of another service. */
  readonly from?: string;
  /** The fields to embed that were chosen for the whole import. */
  readonly tensorFields?: readonly string[];
  /** The source's own mark of the place. */
  readonly mark?: string;
}

/** The part of the progress that changes. */
interface Kept {
  readonly items: number;
  readonly tensorFields?: readonly string[] | undefined;
  readonly mark?: string | undefined;
}

type Target = Omit<Saved, 'items' | 'tensorFields' | 'mark'>;

/** Between two savings: documents acknowledged in between are sent again after a crash, which changes nothing. */
const SAVE_EVERY_MS = 200;

/** The progress of an import, kept beside its file until it is done. */
export class ImportState {
  readonly #path: string;
  readonly #target: Target;
  #tensorFields: readonly string[] | undefined;
  readonly mark: string | undefined;
  #markOf: ((items: number) => string | undefined) | undefined;
  #items: number;
  #savedItems: number;
  #savedAt = performance.now();
  #saving = Promise.resolve();

  private constructor(path: string, target: Target, { items, tensorFields, mark }: Kept) {
    this.#path = path;
    this.#target = target;
    this.#items = items;
    this.#savedItems = items;
    this.#tensorFields = tensorFields;
    this.mark = mark;
  }

  /**
   * The place where the import of `file` stopped, or its beginning.
   * @throws TransferFailure when it stopped with another file, index or server
   */
  static async open(file: string, url: string, index: string, restart: boolean): Promise<ImportState> {
    const { size: bytes, mtimeMs: modifiedMs } = await stat(resolve(file));
    return ImportState.#open(`${file}.import-state.json`, { url, index, bytes, modifiedMs }, restart);
  }

  /** As `open`, for a collection of another service: the progress is kept in the working folder. */
  static ofRemote(from: string, url: string, index: string, restart: boolean): Promise<ImportState> {
    return ImportState.#open(`${index}.import-state.json`, { url, index, bytes: 0, modifiedMs: 0, from }, restart);
  }

  static async #open(path: string, target: Target, restart: boolean): Promise<ImportState> {
    if (restart) await rm(path, { force: true });
    const saved = await readSaved(path);
    if (saved === undefined) return new ImportState(path, target, { items: 0 });
    const { items, tensorFields, mark, ...earlier } = saved;
    if (JSON.stringify(earlier) === JSON.stringify(target))
      return new ImportState(path, target, { items, tensorFields, mark });
    const changed = earlier.bytes !== target.bytes || earlier.modifiedMs !== target.modifiedMs;
    const into = changed ? 'of an earlier version of this file' : `into index ${earlier.index} of ${earlier.url}`;
    const which = earlier.from === target.from ? into : `of ${earlier.from ?? 'a file'}`;
    throw new TransferFailure(
      `${path} is of an import ${which} that stopped after ${items} documents: --restart begins anew`,
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

  /** Keeps the marks of a source beside the number of its items. */
  follow(markOf: (items: number) => string | undefined): void {
    this.#markOf = markOf;
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
    const [items, tensorFields, draft] = [this.#items, this.#tensorFields, `${this.#path}.tmp`];
    const mark = this.#markOf?.(items);
    const known = { ...(tensorFields !== undefined && { tensorFields }), ...(mark !== undefined && { mark }) };
    await writeFile(draft, JSON.stringify({ ...this.#target, items, ...known } satisfies Saved));
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
