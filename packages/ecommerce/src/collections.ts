import { join } from 'node:path';
import { invalidArgument, PelorusError } from '@pelorus/contract';
import { DamagedFileError, type Inventory } from '@pelorus/files';
import { JsonFile } from './json-file.js';

/** A collection's display name and metadata. */
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

/** Entry of the inventory. */
const LISTED = 'collections';
const COLLECTIONS_MAX = 10_000;
const TEXT_LENGTH_MAX = 256;
const METADATA_BYTES_MAX = 4096;

/** The data of collections besides their products: names for people, and metadata that the caller likes to keep. */
export class Collections {
  readonly #file: JsonFile<readonly Collection[]>;
  readonly #inventory: Inventory;
  /** The reason that they cannot be told; null where they can. */
  readonly fault: string | null;

  private constructor(file: JsonFile<readonly Collection[]>, inventory: Inventory, fault: string | null) {
    this.#file = file;
    this.#inventory = inventory;
    this.fault = fault;
  }

  /** @param inventory lists their file once there is one, so that one that is gone is missed */
  static async open(folder: string, inventory: Inventory): Promise<Collections> {
    const path = join(folder, 'collections.json');
    const place = { path, name: 'collections', isValue: areCollections, generations: inventory };
    try {
      const file = await JsonFile.open(place, []);
      if (file.isThere) await inventory.add(LISTED).catch(() => undefined);
      else if (inventory.has(LISTED)) throw new DamagedFileError(place.path, 'is missing');
      return new Collections(file, inventory, null);
    } catch (error) {
      return new Collections(JsonFile.create(place, []), inventory, (error as Error).message);
    }
  }

  /**
   * In order of their ids.
   * @throws PelorusError `backend_data_parsing_error` where they cannot be read
   */
  list(): readonly Collection[] {
    this.#check();
    return this.#file.value;
  }

  /** The name of a collection for people: its id where nothing is said of it, or that cannot be read. */
  titleOf(id: string): string {
    return this.#file.value.find((one) => one.id === id)?.displayName ?? id;
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
    this.#check();
    const collection = { id, displayName: displayName ?? id, metadata: { ...metadata } };
    await this.#file.change((known) => {
      const others = known.filter((one) => one.id !== id);
      if (others.length >= COLLECTIONS_MAX) {
        throw new PelorusError('quota_exceeded', `There are ${COLLECTIONS_MAX} collections, which is the limit`);
      }
      return [...others, collection].toSorted((a, b) => (a.id < b.id ? -1 : 1));
    });
    await this.#inventory.add(LISTED);
    return collection;
  }

  /** @throws PelorusError `collection_not_found` */
  async delete(id: string): Promise<void> {
    this.#check();
    await this.#file.change((known) => {
      if (!known.some((one) => one.id === id)) throw notFound(id);
      return known.filter((one) => one.id !== id);
    });
  }

  #check(): void {
    if (this.fault === null) return;
    const reason = { cause: new Error(this.fault) };
    throw new PelorusError('backend_data_parsing_error', 'The file of the collections cannot be read', reason);
  }
}

function areCollections(value: unknown): value is readonly Collection[] {
  const isText = (text: unknown) => typeof text === 'string';
  return Array.isArray(value) && value.every((one) => isText(one?.id) && isText(one?.displayName));
}

function checkText(text: string, member: string): void {
  if (text.trim() !== '' && text.length <= TEXT_LENGTH_MAX) return;
  throw invalidArgument(`${member} must be a text of 1 to ${TEXT_LENGTH_MAX} characters, but it has ${text.length}`);
}

function notFound(id: string): PelorusError {
  return new PelorusError('collection_not_found', `Nothing is known of a collection ${id.slice(0, TEXT_LENGTH_MAX)}`);
}
