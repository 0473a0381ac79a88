import { createReadStream, existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { invalidArgument } from '@pelorus/contract';
import { EmbeddedEngine, isEngineError } from '@pelorus/engine';
import type { EventStore } from '@pelorus/events';
import type { IndexHosting, IndexPieces } from '@pelorus/hosted';
import { type Config, engineOptions } from '@pelorus/server';
import { filesOfOneMoment, type OpenedFile, type OpenedSource, openedIndex } from '@pelorus/server/backups';

/** The small files of the data directory: of keys, of judgements, of collections, and of each hosted index. */
const FILES = ['keys.json', 'keys', 'judgements', 'ecommerce', 'hosted/indexes'];
const INDEXES = 'hosted/indexes';
const EVENTS = 'events';
/** The folder in the data directory that events are copied to. */
const COPIES = 'backing-up';
/** Attempts to open everything between two changes of the list of indexes. */
const ATTEMPTS_MAX = 10;
/** Bytes of a large file that are one piece: what did not change in it is stored once. */
const PART_BYTES = 1 << 20;

interface HostedData {
  readonly hosting: IndexHosting;
  readonly events: EventStore;
  readonly config: Config;
}

/** @throws PelorusError always: an index would have to be restored among the records of others */
export async function refuseIndexes(): Promise<void> {
  throw invalidArgument(
    'The hosted form backs up everything at once: leave `indexes` out. `pelorus export` copies one index to a file',
  );
}

/**
 * Opens the data of the hosted form as they are now: each index, its record and its shop, keys, collections and events.
 * @throws Error where a part of it cannot be read: a backup has all that it is to have, or there is none
 */
export async function openHostedData(data: HostedData): Promise<OpenedSource> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const before = idsOf(data.hosting);
    const source = await openOnce(data);
    if (idsOf(data.hosting) === before) return source;
    // An index that came or went meanwhile may have a record and no copy, or the other way round.
    await source.close();
  }
  throw new Error('Indexes are created or deleted so often that there is no moment to back all of them up');
}

const idsOf = (hosting: IndexHosting): string =>
  hosting
    .list()
    .map(({ id }) => id)
    .toSorted()
    .join();

async function openOnce({ hosting, events, config }: HostedData): Promise<OpenedSource> {
  const { dataDir } = config;
  const closed = hosting.damaged();
  if (closed.length > 0) {
    const names = closed.map(({ id, name }) => name ?? id).join(', ');
    throw new Error(`The records of ${names} cannot be read: restore or delete these indexes first`);
  }
  const copies: { readonly name: string; readonly folder: string; readonly pieces: IndexPieces }[] = [];
  const close = async () => {
    for (const { pieces } of copies) pieces.close();
    await rm(join(dataDir, COPIES), { recursive: true, force: true });
  };
  try {
    const isData = (place: string) => /^hosted\/indexes\/[^/]+\/data$/.test(place);
    const small = await filesOfOneMoment(dataDir, FILES, isData);
    const at = new Date();
    for (const index of hosting.list()) {
      const pieces = await hosting.copy(index, (folder, name) => openFolder(folder, name, config));
      if (pieces !== null) copies.push({ name: index.name, folder: `${INDEXES}/${index.id}/data`, pieces });
    }
    const files = [...small, ...(await copiedEvents(events, dataDir))];
    const indexes = copies.map(({ name, folder, pieces }) => openedIndex(name, folder, pieces));
    return { at, indexes, files, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function copiedEvents(events: EventStore, dataDir: string): Promise<readonly OpenedFile[]> {
  const folder = join(dataDir, COPIES);
  // One that a crash left.
  await rm(folder, { recursive: true, force: true });
  const names = await events.copyTo(folder);
  return names.map((name) => ({ path: `${EVENTS}/${name}`, read: () => partsOf(join(folder, name)) }));
}

async function* partsOf(path: string): AsyncGenerator<Buffer> {
  yield* createReadStream(path, { highWaterMark: PART_BYTES }) as AsyncIterable<Buffer>;
}

/** An index without a process, which nobody writes to. */
async function openFolder(folder: string, name: string, config: Config): Promise<IndexPieces | null> {
  if (!existsSync(folder)) return null;
  const engine = await EmbeddedEngine.open(folder, engineOptions(config));
  try {
    const copy = await engine.copies.begin(name);
    return {
      documents: copy.documents,
      nextPiece: () => copy.nextPiece(),
      close: () => {
        copy.close();
        void engine.close();
      },
    };
  } catch (error) {
    await engine.close();
    if (isEngineError(error) && error.code === 'index_not_found') return null;
    throw error;
  }
}
