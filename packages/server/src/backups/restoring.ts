import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PelorusError } from '@pelorus/contract';
import { Inventory, syncFolder, writeDurably } from '@pelorus/files';
import type { Backups, WorkProgress } from './backups.js';
import { bytesOf, type IndexEntry, type Manifest } from './manifest.js';

/** An index that is made of pieces, as the engine makes it. */
export interface PieceWriting {
  add(piece: Uint8Array): Promise<void>;
  /** Makes it one that is served, durably. */
  finish(): Promise<void>;
  /** Leaves nothing of it, unless it is finished; resolves when its files are gone. */
  close(): Promise<void>;
}

/** The engine of a folder, as far as a restore needs it. */
export interface RestoringEngine {
  restore(name: string): Promise<PieceWriting>;
  close(): Promise<void>;
}

/** The file that a data directory has while it is restored: no service starts on it. */
export const RESTORING = 'restoring.json';

/**
 * Makes an index of its pieces. Nobody sees it before it is whole.
 * @param begin begins it, under the name that it is to have
 */
export async function restoreIndex(
  backups: Backups,
  entry: IndexEntry,
  begin: () => Promise<PieceWriting>,
  tell: (stored: { readonly bytes: number }) => void = () => undefined,
): Promise<void> {
  const index = await begin();
  try {
    for await (const piece of backups.read(entry.pieces)) {
      await index.add(piece);
      tell({ bytes: piece.length });
    }
    await index.finish();
  } finally {
    await index.close();
  }
}

/**
 * Makes a data directory of a backup of a whole server, in a folder that is empty, or has what an earlier restore left that
 * did not come to its end. A service starts on it only when all of it is there.
 *
 * @param openEngine opens the engine of a folder
 * @throws PelorusError `bad_request` for another folder, and for a backup of some indexes
 */
export async function restoreWhole(
  backups: Backups,
  manifest: Manifest,
  dataDir: string,
  openEngine: (folder: string) => Promise<RestoringEngine>,
  tell: (progress: WorkProgress, what: string) => void = () => undefined,
): Promise<void> {
  if (!manifest.isWhole) {
    throw new PelorusError(
      'bad_request',
      `Backup ${manifest.id} has some indexes and no whole server: restore an index of it over HTTP`,
    );
  }
  await begin(dataDir, manifest);
  const bytesOfAll = bytesOf(manifest);
  let bytes = 0;
  const counting = (what: string) => (stored: { readonly bytes: number }) => {
    bytes += stored.bytes;
    tell({ bytes, bytesOfAll }, what);
  };
  for (const [folder, entries] of byFolder(manifest.indexes)) {
    const path = join(dataDir, folder);
    await mkdir(path, { recursive: true, mode: 0o700 });
    const engine = await openEngine(path);
    try {
      for (const entry of entries) {
        await restoreIndex(backups, entry, () => engine.restore(entry.name), counting(`index ${entry.name}`));
      }
    } finally {
      await engine.close();
    }
  }
  for (const { path, pieces } of manifest.files) {
    await writeFileOf(backups.read(pieces), join(dataDir, path), counting(path));
  }
  await syncFolders(dataDir);
  await rm(join(dataDir, RESTORING));
  await syncFolder(dataDir);
}

async function begin(dataDir: string, { id }: Manifest): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  // File systems have it in their roots.
  const names = (await readdir(dataDir)).filter((name) => name !== 'lost+found');
  if (names.length > 0 && !names.includes(RESTORING)) {
    throw new PelorusError(
      'bad_request',
      `${dataDir} is not empty: a restore takes an empty folder, so that nothing is lost that is there`,
    );
  }
  for (const name of names) if (name !== RESTORING) await rm(join(dataDir, name), { recursive: true });
  await writeDurably(join(dataDir, RESTORING), `${JSON.stringify({ backup: id })}\n`);
  // A directory without the list counts as one that lost it. The first start finds the entries.
  const inventory = await Inventory.open(join(dataDir, 'inventory.json'), () => undefined);
  await inventory.create();
  await inventory.close();
}

/** A whole server without any index has a data directory all the same. */
function byFolder(indexes: readonly IndexEntry[]): Map<string, readonly IndexEntry[]> {
  return Map.groupBy(indexes, ({ folder }) => folder);
}

async function writeFileOf(
  pieces: AsyncIterable<Buffer>,
  path: string,
  tell: (stored: { readonly bytes: number }) => void,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(path, 'wx', 0o600);
  try {
    for await (const piece of pieces) {
      await file.writeFile(piece);
      tell({ bytes: piece.length });
    }
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolders(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await syncFolders(join(folder, entry.name));
  }
  await syncFolder(folder);
}
