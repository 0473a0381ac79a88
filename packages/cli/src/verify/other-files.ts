import { readdir, readFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { sealFault } from '@pelorus/files';

/** A file beside the indexes that is not as it was written. */
export interface FileFinding {
  readonly kind: 'truth' | 'derived';
  /** Its path in the data directory. */
  readonly part: string;
  readonly reason: string;
  readonly remedy: string;
}

/** Folders of which others know what is in them, or that a start empties. */
const NOT_OURS = new Set(['building', 'damaged', 'data', 'indexes', 'sockets', 'trash']);
/** The list of what must be there, and its copies. */
const INVENTORY = /^inventory(\.copy-[12])?\.json$/;

const RESTORE =
  'Put it back from a backup. A start leaves it as it is, closes what depends on it, and health says what';
const REWRITTEN = 'Nothing is to be done: the next start writes it anew from another copy';
const EVENTS = 'The next start keeps it aside, and makes a new one of all that can be read of it';

/** The files of keys, hosted records, shops and events that are damaged. */
export async function otherFiles(data: string): Promise<FileFinding[]> {
  const found: FileFinding[] = [];
  for await (const path of sealedFiles(data, true)) {
    const reason = await readFile(path).then(
      (bytes) => sealFault(bytes, path),
      ({ message }: Error) => message,
    );
    if (reason !== null) found.push({ kind: 'truth', part: relative(data, path), reason, remedy: RESTORE });
  }
  const { verifyEvents } = await import('@pelorus/events');
  const events = verifyEvents(join(data, 'events')).map(
    ({ file, reason, isDerived }): FileFinding => ({
      ...{ kind: isDerived ? 'derived' : 'truth', part: join('events', file), reason, remedy: EVENTS },
    }),
  );
  return [...(await withoutCopies(data, found)), ...events];
}

/** Nothing is lost of a list with a sound copy. */
async function withoutCopies(data: string, found: readonly FileFinding[]): Promise<FileFinding[]> {
  const copies = (await readdir(data)).filter((name) => INVENTORY.test(name));
  const damaged = found.filter(({ part }) => INVENTORY.test(part));
  if (damaged.length === copies.length) return [...found];
  return found.map((one) => (damaged.includes(one) ? { ...one, kind: 'derived', remedy: REWRITTEN } : one));
}

/** Files of JSON, in every folder whose files have seals. */
async function* sealedFiles(folder: string, isRoot = false): AsyncGenerator<string> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const isHosted = !isRoot && basename(folder) === 'hosted' && entry.name === 'indexes';
    if (entry.isDirectory() && (isHosted || !NOT_OURS.has(entry.name))) yield* sealedFiles(path);
    else if (entry.isFile() && entry.name.endsWith('.json')) yield path;
  }
}
