import { PelorusError } from '@pelorus/contract';
import { JsonFile, type Place } from '../json-file.js';
import { closedShop, openKept, type ShopFiles } from '../shop-files.js';

/** The text by which the language model knows the catalogue of a shop. */
export interface CatalogueContext {
  readonly text: string;
  /** ISO 8601, UTC; null until something is said. */
  readonly updatedAt: string | null;
}

const TEXT_LENGTH_MAX = 16_384;
const initial: CatalogueContext = { text: '', updatedAt: null };

/** The context of one shop. */
export class KeptContext {
  readonly #files: ShopFiles;
  #file: JsonFile<CatalogueContext>;
  #fault: string | null;

  private constructor(files: ShopFiles, file: JsonFile<CatalogueContext>, fault: string | null) {
    this.#files = files;
    this.#file = file;
    this.#fault = fault;
  }

  static create(files: ShopFiles): KeptContext {
    return new KeptContext(files, JsonFile.create(placeOf(files), initial), files.fault);
  }

  /** @param lost why a context that was said in an older place may be lost; null where none is */
  static async open(files: ShopFiles, lost: string | null): Promise<KeptContext> {
    try {
      const file = await openKept(placeOf(files), initial, files.kept.hasContext);
      return new KeptContext(files, file, files.fault ?? (file.isThere ? null : lost));
    } catch (error) {
      return new KeptContext(files, JsonFile.create(placeOf(files), initial), (error as Error).message);
    }
  }

  /** The reason that it cannot be told; null where it can. */
  get fault(): string | null {
    return this.#fault;
  }

  /** @throws PelorusError `backend_data_parsing_error` where it cannot be read */
  get value(): CatalogueContext {
    if (this.#fault !== null) throw closedShop(this.#fault);
    return this.#file.value;
  }

  /**
   * Says another text, be it that what was said before cannot be read.
   * @throws PelorusError `invalid_argument` for a text that is too long
   */
  async put(text: string): Promise<CatalogueContext> {
    checkContext(text);
    const context = { text, updatedAt: new Date().toISOString() };
    await this.#files.keep({ hasContext: true }, () => this.#file.change(() => context));
    this.#fault = null;
    return context;
  }
}

function checkContext(text: string): void {
  if (text.length <= TEXT_LENGTH_MAX) return;
  const message = `text has ${text.length} characters, more than the limit of ${TEXT_LENGTH_MAX}`;
  throw new PelorusError('invalid_argument', message);
}

export function placeOf(files: ShopFiles): Place<CatalogueContext> {
  return files.place('context', isContext);
}

export function isContext(value: unknown): value is CatalogueContext {
  const { text, updatedAt } = (value ?? {}) as Partial<CatalogueContext>;
  return typeof text === 'string' && (updatedAt === null || typeof updatedAt === 'string');
}
