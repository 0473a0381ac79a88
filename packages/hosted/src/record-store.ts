import { access, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { removeUnfinished, syncFolder, writeDurably } from '@pelorus/files';
import type { HostedIndex } from './hosted-indexes.js';

const RECORD = 'record.json';
const DATA = 'data';

/** A folder whose record cannot be read: nothing in it is touched. */
export interface DamagedRecord {
  readonly id: string;
  readonly reason: string;
}

/** The records of hosted indexes on disk: a folder each, with what is known of the index and with its data. */
export class RecordStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async load(): Promise<{ indexes: HostedIndex[]; damaged: DamagedRecord[] }> {
    await mkdir(this.#folder, { recursive: true });
    const indexes: HostedIndex[] = [];
    const damaged: DamagedRecord[] = [];
    for (const id of await readdir(this.#folder)) {
      try {
        indexes.push(await this.#read(id));
      } catch (error) {
        const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
        // A folder with nothing else in it was made for an index that was never acknowledged.
        if (isMissing && !(await exists(this.dataFolder(id)))) await this.remove(id);
        else damaged.push({ id, reason: (error as Error).message });
      }
    }
    for (const { id } of indexes) await removeUnfinished(join(this.#folder, id, RECORD));
    return { indexes, damaged };
  }

  /** Resolves once the record is durable. */
  async save(index: HostedIndex): Promise<void> {
    const folder = join(this.#folder, index.id);
    const created = await mkdir(folder, { recursive: true });
    await writeDurably(join(folder, RECORD), `${JSON.stringify(index, null, 1)}\n`);
    if (created !== undefined) await syncFolder(this.#folder);
  }

  /** Folder of the documents of an index, for its process alone. */
  dataFolder(id: string): string {
    return join(this.#folder, id, DATA);
  }

  /** Removes the documents of an index; its record stays. */
  async removeData(id: string): Promise<void> {
    await rm(this.dataFolder(id), { recursive: true, force: true });
  }

  /** Removes all there is of an index. */
  async remove(id: string): Promise<void> {
    await rm(join(this.#folder, id), { recursive: true, force: true });
  }

  async #read(id: string): Promise<HostedIndex> {
    const record = JSON.parse(await readFile(join(this.#folder, id, RECORD), 'utf8')) as HostedIndex;
    if (record.id !== id || typeof record.name !== 'string') throw new Error(`${RECORD} is of another index`);
    return record;
  }
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
