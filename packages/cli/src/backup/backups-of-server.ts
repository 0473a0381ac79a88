import { setTimeout as delay } from 'node:timers/promises';
import type { schemas } from '@pelorus/contract';
import { ask } from '../api.js';
import { jsonObject, type Server } from '../server-call.js';
import { ExitCode, StartFailure } from '../start-failure.js';
import { printJson } from '../terminal/json.js';
import { print, say } from '../terminal/lines.js';
import { bytesText, counted } from '../terminal/units.js';
import { showList } from './backup-lines.js';

/** Between two looks at work that is under way, and between two lines about it. */
const LOOK_MS = 200;
const LINE_MS = 5_000;

interface Shown {
  readonly json: boolean;
  /** Tells whether to wait for the end of the work. */
  readonly wait: boolean;
}

export async function listBackups(server: Server, json: boolean): Promise<void> {
  const answer = await ask(server, 'GET', '/backups');
  const { place, backups } = jsonObject<schemas.BackupList>(answer, server.url);
  showList(place, backups, json);
}

/** Begins a backup and waits for its end, with a line about it now and then. */
export async function createBackup(server: Server, indexes: readonly string[], { json, wait }: Shown): Promise<void> {
  const answer = await ask(server, 'POST', '/backups', indexes.length === 0 ? {} : { indexes });
  let backup = jsonObject<schemas.Backup>(answer, server.url);
  if (wait) {
    backup = await ended(server, backup, ({ state, bytes }) =>
      state === 'creating' ? `${bytesText(bytes)} so far` : null,
    );
  }
  if (json) printJson(backup);
  if (backup.state === 'failed') throw failed(`The backup failed: ${backup.reason}`);
  if (json) return;
  if (backup.state === 'creating') return print(`Backup ${backup.id} has begun`);
  const sizes = `${bytesText(backup.bytes)}, of which ${bytesText(backup.newBytes)} are new`;
  print(`Backup ${backup.id}: ${counted(backup.indexes.length, 'index', 'indexes')}, ${sizes}`);
}

/** Lets the server read all of a backup, and waits for the outcome. */
export async function verifyBackup(server: Server, id: string, { json }: Shown): Promise<void> {
  const begun = jsonObject<schemas.Backup>(await ask(server, 'POST', `${pathOf(id)}/verify`), server.url);
  const { verification } = await ended(server, begun, ({ verification: reading }) =>
    reading?.state === 'running' ? progressOf(reading.bytes, reading.bytesOfAll) : null,
  );
  if (json) printJson({ id, verification });
  if (verification?.state === 'failed') throw failed(`Backup ${id} cannot be read: ${verification.reason}`);
  showProblems(id, verification?.problems ?? []);
  if (!json) print(`Backup ${id} is sound: ${bytesText(verification?.bytes ?? 0)} are what was stored`);
}

/** @throws StartFailure where there are any, each of which is printed */
export function showProblems(id: string, problems: readonly string[]): void {
  for (const problem of problems) say(problem);
  if (problems.length > 0) throw failed(`Backup ${id} is damaged, in ${counted(problems.length, 'piece')}`);
}

export async function restoreIndex(
  server: Server,
  { id, indexName, as }: { readonly id: string; readonly indexName: string; readonly as: string | undefined },
  { json, wait }: Shown,
): Promise<void> {
  const name = as ?? indexName;
  const answer = await ask(server, 'POST', `${pathOf(id)}/restore`, { indexName, as: name });
  let backup = jsonObject<schemas.Backup>(answer, server.url);
  const own = ({ restores }: schemas.Backup) => restores.findLast((one) => one.indexName === name);
  if (wait) {
    backup = await ended(server, backup, (now) => {
      const one = own(now);
      return one?.state === 'running' ? progressOf(one.bytes, one.bytesOfAll) : null;
    });
  }
  const restore = own(backup);
  if (json) printJson({ id, restore });
  if (restore === undefined || restore.state === 'failed') {
    throw failed(`The index ${name} was not restored: ${restore?.reason ?? 'the server was started again meanwhile'}`);
  }
  if (!json) print(`The index ${name} is ${restore.state === 'done' ? 'restored' : 'being restored'}`);
}

export async function deleteBackup(server: Server, id: string, json: boolean): Promise<void> {
  await ask(server, 'DELETE', pathOf(id));
  if (json) printJson({ acknowledged: true });
  else print(`Backup ${id} is deleted`);
}

/** The backup once `stateOf` tells of nothing under way any more; what it tells is printed now and then. */
async function ended(
  server: Server,
  begun: schemas.Backup,
  stateOf: (backup: schemas.Backup) => string | null,
): Promise<schemas.Backup> {
  let backup = begun;
  let toldMs = performance.now();
  for (let state = stateOf(backup); state !== null; state = stateOf(backup)) {
    if (performance.now() - toldMs >= LINE_MS) {
      say(`Backup ${begun.id}: ${state}`);
      toldMs = performance.now();
    }
    await delay(LOOK_MS);
    backup = jsonObject<schemas.Backup>(await ask(server, 'GET', pathOf(begun.id)), server.url);
  }
  return backup;
}

export function progressOf(bytes: number, bytesOfAll: number | null): string {
  return bytesOfAll === null ? bytesText(bytes) : `${bytesText(bytes)} of ${bytesText(bytesOfAll)}`;
}

/** @throws StartFailure for a text that would lead to another path */
function pathOf(id: string): string {
  if (/^[\w-]+$/.test(id)) return `/backups/${id}`;
  throw new StartFailure(
    ExitCode.BAD_CONFIGURATION,
    `${JSON.stringify(id)} is no id of a backup: see pelorus backup list`,
  );
}

function failed(message: string): StartFailure {
  return new StartFailure(ExitCode.FAILED, message);
}
