import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** Longest path of a socket's folder: the whole path of a socket may have about 100 bytes on any system. */
const PATH_BYTES_MAX = 70;

export interface SocketFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/**
 * A folder for sockets that nobody else may enter: `wanted`, or, where its path is longer than that of a socket may be,
 * one with a short path. Files that a crash left in it are removed.
 */
export async function openSocketFolder(wanted: string): Promise<SocketFolder> {
  const path = resolve(wanted);
  if (Buffer.byteLength(path) > PATH_BYTES_MAX) return folderAt(await mkdtemp(join(tmpdir(), 'pelorus-')));
  await rm(path, { recursive: true, force: true });
  await mkdir(path, { recursive: true, mode: 0o700 });
  return folderAt(path);
}

function folderAt(path: string): SocketFolder {
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
