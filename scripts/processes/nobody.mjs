import { chownSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The user that programs run as which refuse to run as root. */
export const NOBODY = 65_534;

export const isRoot = () => process.getuid?.() === 0;

/** The user for such a program, as options of a start: nobody where root runs us, else whoever does. */
export const unprivileged = () => (isRoot() ? { uid: NOBODY, gid: NOBODY } : {});

/** Gives a folder, and all that is in it, to the user of {@link unprivileged}. */
export function giveToUnprivileged(folder) {
  if (!isRoot()) return;
  chownSync(folder, NOBODY, NOBODY);
  for (const name of readdirSync(folder, { recursive: true })) {
    const path = join(folder, String(name));
    if (!lstatSync(path).isSymbolicLink()) chownSync(path, NOBODY, NOBODY);
  }
}

/** The nearest folder on the way to a path that the user of {@link unprivileged} may not enter; null where all let it in. */
export function closedTo(path) {
  if (!isRoot()) return null;
  const above = dirname(path) === path ? null : closedTo(dirname(path));
  return above ?? ((statSync(path).mode & 0o005) === 0o005 ? null : path);
}
