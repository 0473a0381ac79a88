import { join } from 'node:path';
import { PelorusError } from '@pelorus/contract';
import { JsonFile } from '../json-file.js';

/** What the language model is told of the catalogue of a shop. */
export interface CatalogueContext {
  readonly text: string;
  /** ISO 8601, UTC; null until something is said. */
  readonly updatedAt: string | null;
}

const TEXT_LENGTH_MAX = 16_384;
const initial: Readonly<Record<string, CatalogueContext>> = {};

/** The contexts of all shops, by id of the index. */
export class CatalogueContexts {
  readonly #file: JsonFile<Readonly<Record<string, CatalogueContext>>>;

  private constructor(file: JsonFile<Readonly<Record<string, CatalogueContext>>>) {
    this.#file = file;
  }

  static async open(folder: string): Promise<CatalogueContexts> {
    return new CatalogueContexts(await JsonFile.open(join(folder, 'contexts.json'), initial));
  }

  get(id: string): CatalogueContext {
    return this.#file.value[id] ?? { text: '', updatedAt: null };
  }

  /** @throws PelorusError `invalid_argument` for a text that is too long */
  async put(id: string, text: string): Promise<CatalogueContext> {
    if (text.length > TEXT_LENGTH_MAX) {
      const message = `text has ${text.length} characters, more than the limit of ${TEXT_LENGTH_MAX}`;
      throw new PelorusError('invalid_argument', message);
    }
    const context = { text, updatedAt: new Date().toISOString() };
    await this.#file.change((contexts) => ({ ...contexts, [id]: context }));
    return context;
  }

  /** Forgets the context of an index that was deleted. */
  async remove(id: string): Promise<void> {
    if (this.#file.value[id] === undefined) return;
    await this.#file.change(({ [id]: _, ...others }) => others);
  }
}
