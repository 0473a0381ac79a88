import { resolve } from 'node:path';
import { EmbeddedEngine } from '@pelorus/engine';
import { type Config, engineOptions } from '@pelorus/server';
import { type Manifest, type RestoringEngine, restoreWhole } from '@pelorus/server/backups';
import { print, say } from '../terminal/lines.js';
import { bytesText, counted } from '../terminal/units.js';
import { backupsOf, everyWhile } from './backups-of-place.js';
import { progressOf } from './backups-of-server.js';

/**
 * Makes a data directory of a backup of a whole server.
 * @param id of the backup; the latest when undefined
 */
export async function restoreServer(place: string, config: Config, id: string | undefined): Promise<void> {
  const backups = await backupsOf(place, config);
  const skipped = (reason: string): void => say(`${reason}. An earlier backup is restored in its place`);
  const manifest = await (id === undefined ? backups.latest(skipped) : backups.get(id));
  const { dataDir } = config;
  say(`Restoring backup ${manifest.id}, of ${manifest.createdAt}, to ${resolve(dataDir)}`);
  const tell = everyWhile(
    ({ bytes, bytesOfAll }: { bytes: number; bytesOfAll: number | null }, what: string) =>
      `${progressOf(bytes, bytesOfAll)}: ${what}`,
  );
  await restoreWhole(backups, manifest, dataDir, (folder) => openEngine(folder, config), tell);
  print(`Restored ${contentsOf(manifest)}: start with pelorus serve --data ${dataDir}`);
}

async function openEngine(folder: string, config: Config): Promise<RestoringEngine> {
  const engine = await EmbeddedEngine.open(folder, engineOptions(config));
  return { restore: (name) => engine.copies.restore(name), close: () => engine.close() };
}

function contentsOf({ indexes, files }: Manifest): string {
  const documents = indexes.reduce((sum, index) => sum + index.documents, 0);
  const bytes = indexes.flatMap(({ pieces }) => pieces).reduce((sum, [, length]) => sum + length, 0);
  const parts = [
    counted(indexes.length, 'index', 'indexes'),
    counted(documents, 'document'),
    counted(files.length, 'file'),
  ];
  return `${parts.join(', ')} (${bytesText(bytes)})`;
}
