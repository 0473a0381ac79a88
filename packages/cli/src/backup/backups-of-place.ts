import { Backups, bytesOf, type ListedBackup, openDestination } from '@pelorus/server/backups';
import type { Config } from '@pelorus/server/config';
import { printJson } from '../terminal/json.js';
import { print, say } from '../terminal/lines.js';
import { bytesText, counted } from '../terminal/units.js';
import { type ListedFacts, showList } from './backup-lines.js';
import { progressOf, showProblems } from './backups-of-server.js';

/** Between two lines about work that is under way. */
const LINE_MS = 5_000;

/** The backups of a place, which no server need have. */
export async function backupsOf(
  place: string,
  { backupS3Endpoint: endpoint, backupS3Region: region }: Pick<Config, 'backupS3Endpoint' | 'backupS3Region'>,
): Promise<Backups> {
  return new Backups(await openDestination(place, { endpoint, region }));
}

export async function listPlace(place: string, config: Config, json: boolean): Promise<void> {
  const backups = await backupsOf(place, config);
  showList(place, (await backups.list()).map(factsOf), json);
}

export async function verifyPlace(place: string, config: Config, id: string, json: boolean): Promise<void> {
  const backups = await backupsOf(place, config);
  const found = await backups.verify(
    id,
    everyWhile(({ bytes, bytesOfAll }) => progressOf(bytes, bytesOfAll)),
  );
  if (json) printJson({ id, ...found });
  showProblems(id, found.problems);
  if (!json) print(`Backup ${id} is sound: ${counted(found.pieces, 'piece')} with ${bytesText(found.bytes)}`);
}

/** Prints what there is to tell of progress, every few seconds. */
export function everyWhile<Progress extends readonly unknown[]>(
  textOf: (...progress: Progress) => string,
): (...progress: Progress) => void {
  let toldMs = performance.now();
  return (...progress) => {
    if (performance.now() - toldMs < LINE_MS) return;
    toldMs = performance.now();
    say(textOf(...progress));
  };
}

function factsOf(listed: ListedBackup): ListedFacts {
  const { id, manifest } = listed;
  if (manifest === null) {
    const unknown = { createdAt: null, isWhole: false, indexes: [], bytes: 0, newBytes: 0 };
    return { id, state: 'damaged', reason: listed.reason, ...unknown };
  }
  const { createdAt, isWhole, newBytes, indexes } = manifest;
  const shown = indexes.map(({ name, documents, pieces }) => ({
    indexName: name,
    documents,
    bytes: pieces.reduce((sum, [, bytes]) => sum + bytes, 0),
  }));
  return { id, state: 'ready', reason: null, createdAt, isWhole, indexes: shown, bytes: bytesOf(manifest), newBytes };
}
