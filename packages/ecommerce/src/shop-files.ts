import { join } from 'node:path';
import { PelorusError } from '@pelorus/contract';
import { DamagedFileError, type Generations } from '@pelorus/files';
import type { HostedIndexes } from '@pelorus/hosted';
import { JsonFile, namesIn, type Place } from './json-file.js';

/** The list of a shop's files, so that a file that is gone is told from one that never was. */
export interface KeptOfShop {
  /** The newest version of its settings; 0 before the first. */
  readonly settings: number;
  readonly hasContext: boolean;
  readonly hasHelpCentre: boolean;
}

/** A note elsewhere, that goes with other files: it says that a list was made, so that the list itself is missed. */
export interface ListNote {
  readonly isMade: boolean;
  /** Makes it. Durable when it resolves. */
  make(): Promise<void>;
}

/** Told of files that cannot be used, and of those that are not ours. */
export type Tell = (fields: Readonly<Record<string, unknown>>, text: string) => void;

/** A shop by its files. */
export interface PlaceOfShop {
  readonly id: string;
  /** Folder of its index. */
  readonly folder: string;
  readonly note: ListNote;
  /** Absent where nobody notes the generations of the files. */
  readonly generations?: Generations | undefined;
}

/** The files of a shop lie in the folder of its index, and the note of their list in the record of that. */
export function placeOfShop(id: string, hosted: HostedIndexes, generations?: Generations): PlaceOfShop {
  const note: ListNote = {
    get isMade() {
      return hosted.list().find((index) => index.id === id)?.shop?.hasFiles === true;
    },
    make: () => hosted.noteShopFiles(id),
  };
  return { id, folder: hosted.folderOf(id), note, generations };
}

const LIST = 'shop.json';
const nothing: KeptOfShop = { settings: 0, hasContext: false, hasHelpCentre: false };

/** Files in the folder of an index that others of its shop than {@link LIST} are. */
const OURS: ReadonlySet<string> = new Set(['settings', 'context.json', 'help-centre.json']);

/**
 * The files of one shop, in the folder of its index, which they go with: a list of what there is, and each in a file of its
 * own. The list is there before anything is, and names what it names once that is durable. The note of the list comes
 * after the list and before all else: whatever a crash cuts short, no note is ever without its list, which would close a
 * shop that lost nothing, and nothing that was acknowledged is without the note.
 */
export class ShopFiles {
  readonly folder: string;
  readonly #id: string;
  readonly #note: ListNote;
  readonly #generations: Generations | undefined;
  #list: JsonFile<KeptOfShop>;
  #fault: string | null;

  private constructor(
    { id, folder, note, generations }: PlaceOfShop,
    list: JsonFile<KeptOfShop>,
    fault: string | null,
  ) {
    this.#id = id;
    this.folder = folder;
    this.#note = note;
    this.#generations = generations;
    this.#list = list;
    this.#fault = fault;
  }

  /** Creates the files of a shop of which nothing was kept yet. */
  static create(shop: PlaceOfShop): ShopFiles {
    return new ShopFiles(shop, JsonFile.create(placeOfList(shop), nothing), null);
  }

  static async open(shop: PlaceOfShop): Promise<ShopFiles> {
    const place = placeOfList(shop);
    try {
      const list = await JsonFile.open(place, nothing);
      if (!list.isThere) {
        const others = (await namesIn(shop.folder)).filter((name) => OURS.has(name));
        if (others.length > 0) throw new DamagedFileError(place.path, `is missing beside ${others.join(' and ')}`);
        if (shop.note.isMade) throw new DamagedFileError(place.path, 'is missing: by its record the shop had one');
      }
      // The list is older than notes. A note that fails now is made before the next change.
      else if (!shop.note.isMade) await shop.note.make().catch(() => undefined);
      return new ShopFiles(shop, list, null);
    } catch (error) {
      return ShopFiles.closed(shop, (error as Error).message);
    }
  }

  /** Stands for the files of a shop of which it is not known what there is. */
  static closed(shop: PlaceOfShop, fault: string): ShopFiles {
    return new ShopFiles(shop, JsonFile.create(placeOfList(shop), nothing), fault);
  }

  /** The reason that the shop's files are not known; null where they are. */
  get fault(): string | null {
    return this.#fault;
  }

  get kept(): KeptOfShop {
    return this.#list.value;
  }

  /** @param name of the file, without its ending */
  place<Value>(name: string, isValue: Place<Value>['isValue']): Place<Value> {
    const path = join(this.folder, `${name}.json`);
    return { path, name: `${this.#id}/${name}`, isValue, generations: this.#generations };
  }

  /**
   * Makes a change of the files, each step of it durable: there is a list and its note before it, and the list tells of
   * it last.
   * @throws PelorusError `backend_data_parsing_error` while it is not known what there is
   */
  async keep(change: Partial<KeptOfShop>, write: () => Promise<unknown>): Promise<void> {
    if (this.#fault !== null) throw closedShop(this.#fault);
    if (!this.#list.isThere) await this.#list.change((kept) => kept);
    if (!this.#note.isMade) await this.#note.make();
    await write();
    const isNoted = Object.entries(change).every(([name, value]) => this.kept[name as keyof KeptOfShop] === value);
    if (!isNoted) await this.#list.change((kept) => ({ ...kept, ...change }));
  }

  /** Makes a list that cannot be used anew, from the files that are there. */
  async list(settings: number): Promise<void> {
    const names = await namesIn(this.folder);
    const there = { hasContext: names.includes('context.json'), hasHelpCentre: names.includes('help-centre.json') };
    await this.#list.change(() => ({ settings, ...there }));
    if (!this.#note.isMade) await this.#note.make();
    this.#fault = null;
  }
}

/** The refusal of a shop of which a file cannot be used. */
export function closedShop(reason: string): PelorusError {
  return new PelorusError('backend_data_parsing_error', 'Files of this shop cannot be read, so that it is closed', {
    cause: new Error(reason),
  });
}

/**
 * A value that belongs to a shop and is kept in one file.
 * @throws DamagedFileError where it cannot be used, or is gone
 */
export async function openKept<Value>(place: Place<Value>, initial: Value, isKept: boolean): Promise<JsonFile<Value>> {
  const file = await JsonFile.open(place, initial);
  if (isKept && !file.isThere) throw new DamagedFileError(place.path, 'is missing');
  return file;
}

function placeOfList({ id, folder, generations }: PlaceOfShop): Place<KeptOfShop> {
  return { path: join(folder, LIST), name: `${id}/shop`, isValue: isKeptOfShop, generations };
}

function isKeptOfShop(value: unknown): value is KeptOfShop {
  const { settings, hasContext, hasHelpCentre } = (value ?? {}) as Partial<KeptOfShop>;
  return Number.isSafeInteger(settings) && typeof hasContext === 'boolean' && typeof hasHelpCentre === 'boolean';
}
