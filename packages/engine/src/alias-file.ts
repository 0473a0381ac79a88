import { join } from 'node:path';
import {
  DamagedFileError,
  type Generations,
  isDiskFull,
  readGenerated,
  removeUnfinished,
  type SealedForm,
  writeNext,
} from '@pelorus/files';
import type { AliasTable } from './aliases.js';

const FILE = 'aliases.json';

type Content = Readonly<Record<string, string>>;

const form: SealedForm<Content> = {
  name: 'aliases',
  isValue: (value): value is Content =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((one) => typeof one === 'string'),
  // `{}` alone, by which a person says that there are none.
  fromOlder: (parsed) => (JSON.stringify(parsed) === '{}' ? {} : null),
};

const notNoted: Generations = { least: () => 0, raise: async () => undefined };

/**
 * The aliases of a data directory, in a sealed file that is replaced whole. Its generation is noted in the inventory, so
 * that a file that is gone or older than what was stored is told from one that says what it should.
 */
export class AliasFile {
  readonly #path: string;
  readonly #generations: Generations;
  #generation: number;
  #table: AliasTable;
  /** Tells that a change failed on its way to the disk, where it may yet have arrived. */
  #isUndecided = false;

  private constructor(path: string, generations: Generations, generation: number, table: AliasTable) {
    this.#path = path;
    this.#generations = generations;
    this.#generation = generation;
    this.#table = table;
  }

  /** Reads the file; one that cannot be used is left as it is, and its fault stands in the table. */
  static async open(directory: string, generations: Generations | null): Promise<AliasFile> {
    const path = join(directory, FILE);
    const known = generations ?? notNoted;
    // The lock of the directory is had: nobody writes them any more.
    await removeUnfinished(path).catch(() => undefined);
    try {
      const found = await readGenerated(path, form);
      const least = known.least(form.name);
      if (found === undefined && least > 0) throw new DamagedFileError(path, 'is gone');
      const { value, generation } = found ?? { value: {}, generation: 0 };
      // One that a person wrote counts none.
      if (generation > 0 && generation < least) {
        throw new DamagedFileError(path, `is an older copy: of generation ${generation}, and ${least} was stored`);
      }
      // A change that is done was not to fail by its note.
      if (generation > 0) await known.raise(form.name, generation).catch(() => undefined);
      const indexes = new Map(Object.entries(value));
      return new AliasFile(path, known, generation, { indexes, fault: null });
    } catch (error) {
      if (!(error instanceof DamagedFileError)) throw error;
      const fault = `${error.message}, so that nobody knows the aliases of indexes: put it back from a backup, or write {} into it to begin without any, and start again`;
      return new AliasFile(path, known, 0, { indexes: new Map(), fault });
    }
  }

  /** The same object until {@link write}. */
  get table(): AliasTable {
    return this.#table;
  }

  /** Leaves out aliases whose names indexes have taken, as a version that knew no aliases let them. */
  leaveTo(indexNames: ReadonlySet<string>): void {
    const left = [...this.#table.indexes].filter(([alias]) => !indexNames.has(alias));
    if (left.length < this.#table.indexes.size) this.#table = { ...this.#table, indexes: new Map(left) };
  }

  /**
   * Stores the aliases, durably. After an error either the old ones or these are found at the next start.
   * @throws EngineError `insufficient_storage` on a full disk
   */
  async write(indexes: ReadonlyMap<string, string>): Promise<void> {
    const sorted = [...indexes].sort(([a], [b]) => (a < b ? -1 : 1));
    this.#isUndecided = true;
    const replaced = { value: Object.fromEntries(sorted), generation: this.#generation };
    this.#generation = await writeNext(this.#path, replaced, form, this.#generations).catch((error) => {
      if (!isDiskFull(error)) throw error;
      const message = 'The disk has no room for this change of an alias';
      throw Object.assign(new Error(message, { cause: error }), { code: 'insufficient_storage' });
    });
    this.#isUndecided = false;
    this.#table = { indexes: new Map(sorted), fault: null };
  }

  /** Makes the file what the table is, where a change that failed may have arrived. */
  async decide(): Promise<void> {
    if (this.#isUndecided) await this.write(this.#table.indexes);
  }
}
