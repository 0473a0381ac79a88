import { indexNotFound, PelorusError, truncated } from '@pelorus/contract';
import type { IndexCopies, IndexCopy, StorageEngine } from '@pelorus/engine';
import type { Config } from '../config.js';
import { checkRoom } from '../indexes/creation.js';
import { JUDGEMENTS } from '../judgements/judgement-sets.js';
import type { IndexChangeLock } from '../services/index-change-lock.js';
import { filesOfOneMoment, type OpenedSource, openedIndex, type PieceWriting } from './index.js';

/** The files of the data directory that are not the engine's documents: those of keys, aliases and judgements. */
const FILES = ['keys.json', 'keys', 'aliases.json', JUDGEMENTS];

interface ServerData {
  readonly engine: StorageEngine;
  readonly config: Config;
  readonly indexChanges: IndexChangeLock;
}

/**
 * Opens the data of a server as they are at this moment, no index being made or deleted meanwhile: of some indexes, or
 * of all with the keys.
 * @throws PelorusError `bad_request` where the engine gives no copies
 * @throws EngineError where one of them cannot be read: a backup has all that it is to have, or there is none
 */
export async function openServerData(
  { engine, config, indexChanges }: ServerData,
  names: readonly string[] | null,
): Promise<OpenedSource> {
  const indexCopies = copiesOf(engine);
  return await indexChanges.run(async () => {
    const copies: [string, IndexCopy][] = [];
    const close = async () => {
      for (const [, copy] of copies) copy.close();
    };
    try {
      const files = names === null ? await filesOfOneMoment(config.dataDir, FILES) : [];
      const at = new Date();
      for (const name of new Set(names ?? (await engine.listIndexes()))) {
        copies.push([name, await indexCopies.begin(name)]);
      }
      return { at, indexes: copies.map(([name, copy]) => openedIndex(name, '', copy)), files, close };
    } catch (error) {
      await close();
      throw error;
    }
  });
}

/** @throws PelorusError `index_not_found` where one of them is not there */
export async function requireIndexes(engine: StorageEngine, names: readonly string[]): Promise<void> {
  const known = await engine.listIndexes();
  const missing = names.find((name) => !known.includes(name));
  if (missing !== undefined) throw indexNotFound(truncated(missing));
}

/** Begins to make an index of a backup, as the creation of one is begun. */
export async function beginRestore(data: ServerData, name: string): Promise<PieceWriting> {
  return await data.indexChanges.run(async () => {
    await checkRoom(data, [name]);
    return await copiesOf(data.engine).restore(name);
  });
}

function copiesOf({ copies }: StorageEngine): IndexCopies {
  if (copies !== undefined) return copies;
  throw new PelorusError('bad_request', 'The engine of this server makes no backups');
}
