import { join } from 'node:path';
import { invalidArgument, PelorusError } from '@pelorus/contract';
import { JsonFile } from './json-file.js';

/** What was said of a collection. */
export interface Collection {
  /** As products name it. */
  readonly id: string;
  readonly displayName: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface NewCollection {
  readonly id: string;
  readonly displayName?: string | null;
  readonly metadata?: object | null;
}

const COLLECTIONS_MAX = 10_000;
const TEXT_LENGTH_MAX = 256;
const METADATA_BYTES_MAX = 4096;

/** What is known of collections besides their products: names for people, and what the caller likes to keep. */
export class Collections {
  readonly #file: JsonFile<readonly Collection[]>;

  private constructor(file: JsonFile<readonly Collection[]>) {
    this.#file = file;
  }

  static async open(folder: string): Promise<Collections> {
    return new Collections(await JsonFile.open(join(folder, 'collections.json'), []));
  }

  /** In order of their ids. */
  list(): readonly Collection[] {
    return this.#file.value;
  }

  /** @throws PelorusError `collection_not_found` */
  get(id: string): Collection {
    const found = this.list().find((one) => one.id === id);
    if (found === undefined) throw notFound(id);
    return found;
  }

  /** @throws PelorusError `invalid_argument`; `quota_exceeded` */
  async put({ id, displayName, metadata }: NewCollection): Promise<Collection> {
    checkText(id, 'id');
    if (displayName != null) checkText(displayName, 'displayName');
    const bytes = Buffer.byteLength(JSON.stringify(metadata ?? {}));
    if (bytes > METADATA_BYTES_MAX) {
      throw invalidArgument(`metadata has ${bytes} bytes, more than the limit of ${METADATA_BYTES_MAX}`);
    }
    const collection = { id, displayName: displayName ?? id, metadata: { ...metadata } };
    await this.#file.change((known) => {
      const others = known.filter((one) => one.id !== id);
      if (others.length >= COLLECTIONS_MAX) {
        throw new PelorusError('quota_exceeded', `There are ${COLLECTIONS_MAX} collections, which is the limit`);
      }
      return [...others, collection].toSorted((a, b) => (a.id < b.id ? -1 : 1));
    });
    return collection;
  }

  /** @throws PelorusError `collection_not_found` */
  async delete(id: string): Promise<void> {
    await this.#file.change((known) => {
      if (!known.some((one) => one.id === id)) throw notFound(id);
      return known.filter((one) => one.id !== id);
    });
  }
}

function checkText(text: string, member: string): void {
  if (text.trim() !== '' && text.length <= TEXT_LENGTH_MAX) return;
  throw invalidArgument(`${member} must be a text of 1 to ${TEXT_LENGTH_MAX} characters, but it has ${text.length}`);
}

function notFound(id: string): PelorusError {
  return new PelorusError('collection_not_found', `Nothing is known of a collection ${id.slice(0, TEXT_LENGTH_MAX)}`);
}
