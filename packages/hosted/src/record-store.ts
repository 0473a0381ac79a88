import { access, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  DamagedFileError,
  type Generations,
  readNewest,
  readSealed,
  removeUnfinished,
  type SealedForm,
  sealOlder,
  syncFolder,
  writeNext,
  writeSealed,
} from '@pelorus/files';
import type { DamagedIndex, HostedIndex } from './hosted-indexes.js';

const RECORD = 'record.json';
/** Holds the name apart from the record, which may be damaged: nobody else is to have it meanwhile. */
const NAME = 'name.json';
const DATA = 'data';
/** Folder beside the indexes for those that were deleted although their records could not be read. */
const ASIDE = 'damaged';

/** As {@link newId} makes them. */
const ID = /^[0-9a-f]{16}$/;
const STATES: ReadonlySet<unknown> = new Set(['CREATING', 'READY', 'MODIFYING', 'DELETING', 'DELETED', 'FAILED']);

interface Loaded {
  readonly indexes: HostedIndex[];
  readonly damaged: DamagedIndex[];
  /** Other remarks to be told, on files that close nothing. */
  readonly remarks: string[];
}

/** The records of hosted indexes on disk: a folder each, with what is known of the index and with its data. */
export class RecordStore {
  readonly #folder: string;
  readonly #generations: Generations;
  /** The records as they were read or written last, by id. */
  readonly #last = new Map<string, { readonly generation: number; readonly guarded: string }>();

  /** @param generations notes those of the records, so that one that was put back is told */
  constructor(folder: string, generations: Generations = noGenerations) {
    this.#folder = folder;
    this.#generations = generations;
  }

  /** @param listed names of the indexes that must be there, by their ids: those that are gone are damaged */
  async load(listed: ReadonlyMap<string, string> = new Map()): Promise<Loaded> {
    await mkdir(this.#folder, { recursive: true });
    const loaded: Loaded = { indexes: [], damaged: [], remarks: [] };
    for (const name of await readdir(this.#folder)) {
      if (ID.test(name) && (await isFolder(this.folder(name)))) await this.#loadOne(name, listed, loaded);
      else loaded.remarks.push(`${join(this.#folder, name)} is no index, and is left alone`);
    }
    const { indexes, damaged } = loaded;
    const found = new Set([...indexes, ...damaged].map(({ id }) => id));
    for (const [id, name] of listed) {
      if (!found.has(id)) damaged.push({ id, name: name || null, reason: `${this.folder(id)} is missing` });
    }
    return { ...loaded, ...this.#withoutDoubles(loaded, listed) };
  }

  /** Resolves once the record is durable. */
  async save(index: HostedIndex): Promise<void> {
    const folder = this.folder(index.id);
    const created = await mkdir(folder, { recursive: true });
    await this.#write(join(folder, RECORD), index);
    if (created === undefined) return;
    await this.#keepName(index);
    await syncFolder(this.#folder);
  }

  /** A record is of the next generation where an earlier one would give rights, or resources, that it does not. */
  async #write(path: string, index: HostedIndex): Promise<void> {
    const { id } = index;
    const form = recordForm(id);
    const [last, guarded] = [this.#last.get(id), guardedOf(index)];
    let generation = last?.generation ?? 0;
    if (last?.guarded === guarded) await writeSealed(path, index, form, generation);
    else generation = await writeNext(path, { value: index, generation }, form, this.#generations);
    this.#last.set(id, { generation, guarded });
  }

  /** All there is of an index. Others may keep files there that are to go with it. */
  folder(id: string): string {
    return join(this.#folder, id);
  }

  /** Folder of the documents of an index, for its process alone. */
  dataFolder(id: string): string {
    return join(this.#folder, id, DATA);
  }

  /** Removes the documents of an index, and the files that others kept beside them; its record stays. */
  async removeData(id: string): Promise<void> {
    for (const name of await readdir(this.folder(id))) {
      if (name !== RECORD) await rm(join(this.folder(id), name), { recursive: true, force: true });
    }
  }

  /** Removes all there is of an index, its record last: files without one count as damaged. */
  async remove(id: string): Promise<void> {
    if (await exists(this.folder(id))) await this.removeData(id);
    await rm(this.folder(id), { recursive: true, force: true });
  }

  /** Takes an index out of the way as it is, for whoever may want to repair it; of one that is gone there is nothing to take. */
  async setAside(id: string): Promise<void> {
    if (!(await exists(this.folder(id)))) return;
    const aside = join(dirname(this.#folder), ASIDE);
    await mkdir(aside, { recursive: true });
    await rename(this.folder(id), join(aside, id));
    await syncFolder(aside);
    await syncFolder(this.#folder);
  }

  /**
   * Closes all but one of several indexes with one name, which a folder makes that was put back late: those that are listed
   * have it before others, and of these the one that was made first.
   */
  #withoutDoubles(
    { indexes, damaged }: Loaded,
    listed: ReadonlyMap<string, string>,
  ): Pick<Loaded, 'indexes' | 'damaged'> {
    const order = ({ id, createdAt }: HostedIndex) => `${listed.has(id) ? 0 : 1} ${createdAt} ${id}`;
    const alive = indexes.filter(({ state }) => state !== 'DELETED');
    const owners = new Map<string, HostedIndex>();
    for (const index of alive.toSorted((a, b) => (order(a) < order(b) ? -1 : 1))) {
      if (!owners.has(index.name)) owners.set(index.name, index);
    }
    const doubles = alive.filter((index) => owners.get(index.name) !== index);
    const closed = doubles.map(({ id, name }): DamagedIndex => {
      const owner = this.folder(owners.get(name)?.id ?? '');
      return { id, name, reason: `${this.folder(id)} has the name of another index, ${name}, which ${owner} keeps` };
    });
    return { indexes: indexes.filter((index) => !doubles.includes(index)), damaged: [...damaged, ...closed] };
  }

  async #loadOne(
    id: string,
    listed: ReadonlyMap<string, string>,
    { indexes, damaged, remarks }: Loaded,
  ): Promise<void> {
    const folder = this.folder(id);
    try {
      const found = await readNewest(join(folder, RECORD), recordForm(id), this.#generations);
      if (found === undefined) throw new DamagedFileError(join(folder, RECORD), 'is missing');
      const { value: index, generation } = found;
      this.#last.set(id, { generation, guarded: guardedOf(index) });
      indexes.push(index);
      await this.#tidy(index, remarks).catch((error: Error) => remarks.push(error.message));
    } catch (error) {
      // A folder that holds nothing was made for an index that was never acknowledged.
      if (!listed.has(id) && (await this.#isUnbegun(id))) {
        await this.remove(id).catch(({ message }: Error) => remarks.push(message));
        return;
      }
      damaged.push({
        id,
        // Another index's folder in its place must not give its name away.
        name: listed.get(id) || (await this.#nameOf(id)),
        reason: (error as Error).message,
      });
    }
  }

  /** Cleans up, which can be done at any other start as well: a full disk is no reason not to. */
  async #tidy(index: HostedIndex, remarks: string[]): Promise<void> {
    const folder = this.folder(index.id);
    await removeUnfinished(join(folder, RECORD));
    const isOlder = await sealOlder(join(folder, RECORD), recordForm(index.id));
    // A copy that somebody made, say.
    const copies = (await readdir(folder)).filter((name) => name.startsWith(`${RECORD}.`));
    remarks.push(...copies.map((name) => `${join(folder, name)} is no record, and is left alone`));
    if (index.state === 'DELETED') return;
    let isTold = isOlder;
    const kept = await readSealed(join(folder, NAME), nameForm(index.id)).catch((error: Error) => {
      isTold = true;
      remarks.push(`${error.message}; it is written anew`);
      return undefined;
    });
    if (kept?.name === index.name) return;
    if (kept === undefined && !isTold) remarks.push(`${join(folder, NAME)} is missing; it is written anew`);
    await this.#keepName(index);
  }

  /** Tells whether nothing but the beginnings of a record is there. */
  async #isUnbegun(id: string): Promise<boolean> {
    const names = await readdir(this.folder(id)).catch(() => [RECORD]);
    return !names.includes(RECORD) && names.every((name) => name.startsWith(`${RECORD}.`) && name.endsWith('.tmp'));
  }

  async #keepName({ id, name }: HostedIndex): Promise<void> {
    await removeUnfinished(join(this.folder(id), NAME));
    await writeSealed(join(this.folder(id), NAME), { name }, nameForm(id));
  }

  /** The name of an index whose record does not tell it; null where nothing does. */
  async #nameOf(id: string): Promise<string | null> {
    const kept = await readSealed(join(this.folder(id), NAME), nameForm(id)).catch(() => undefined);
    if (kept !== undefined) return kept.name;
    // The rest of a damaged record; only its name is read, to keep others from taking it.
    const text = await readFile(join(this.folder(id), RECORD), 'utf8').catch(() => '');
    return /"name": ?"([A-Za-z0-9_-]{1,64})"/.exec(text.replace(/^\{"format".*\n/, ''))?.[1] ?? null;
  }
}

const noGenerations: Generations = { least: () => 0, raise: async () => undefined };

function guardedOf({ name, settings, resources, shop }: HostedIndex): string {
  return JSON.stringify([name, settings, resources, shop]);
}

function recordForm(id: string): SealedForm<HostedIndex> {
  const isValue = (value: unknown): value is HostedIndex => {
    const { id: own, name, state, settings, resources } = (value ?? {}) as Partial<HostedIndex>;
    const isWhole = typeof settings === 'object' && typeof resources === 'object';
    return own === id && typeof name === 'string' && STATES.has(state) && isWhole;
  };
  return { name: `${id}/record`, isValue };
}

function nameForm(id: string): SealedForm<{ readonly name: string }> {
  const isValue = (value: unknown): value is { name: string } =>
    typeof (value as { name?: unknown } | null)?.name === 'string';
  return { name: `${id}/name`, isValue };
}

/** A link to a folder, on another disk say, is as good as one. */
async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
