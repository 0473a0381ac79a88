import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';

/** Address space of a program, in bytes: decoders reserve more than they use. */
const MEMORY_BYTES = 4 * 1024 * 1024 * 1024;
const FILES_MAX = 64;
const PROBE_MS = 5_000;

/**
 * Returns a command prefix that starts a program without a network and with limits on memory, processor time and files,
 * as far as the system has means for it: on Linux `unshare` and `prlimit`, elsewhere none. Given back is the command
 * before the program's own.
 */
export type Confine = (cpuSeconds: number) => readonly string[];

/** Looks for the means once; what the system has but forbids, as containers forbid namespaces, counts as missing. */
export async function findConfinement(): Promise<Confine> {
  if (process.platform !== 'linux') return () => [];
  const [unshare, prlimit] = await Promise.all([findProgram('unshare'), findProgram('prlimit')]);
  const noNetwork = await workingOrNone(unshare, ['--user', '--net', '--']);
  const canLimit = (await workingOrNone(prlimit, ['--nofile=64', '--'])).length > 0;
  return (cpuSeconds) => [...noNetwork, ...(canLimit && prlimit !== null ? limited(prlimit, cpuSeconds) : [])];
}

const limited = (prlimit: string, cpuSeconds: number) => [
  prlimit,
  `--as=${MEMORY_BYTES}`,
  `--cpu=${Math.ceil(cpuSeconds)}`,
  // It writes to a pipe and to no file.
  '--fsize=0',
  `--nofile=${FILES_MAX}`,
  '--core=0',
  '--',
];

/** The command, if a program that does nothing can be started by it. */
async function workingOrNone(file: string | null, args: readonly string[]): Promise<string[]> {
  const nothing = await findProgram('true');
  if (file === null || nothing === null) return [];
  try {
    await promisify(execFile)(file, [...args, nothing], { timeout: PROBE_MS });
    return [file, ...args];
  } catch {
    return [];
  }
}

/**
 * The file of a program: of a name, the first on the path that may be run; of a path, that file if it may be. Programs are
 * started without an environment, so nobody else could look for them.
 */
export async function findProgram(name: string, env: NodeJS.ProcessEnv = process.env): Promise<string | null> {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const files = isPath(name) ? [resolve(name)] : folders.map((folder) => resolve(join(folder, name)));
  const candidates = process.platform === 'win32' ? files.flatMap((file) => [file, `${file}.exe`]) : files;
  for (const file of candidates) {
    const isRunnable = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isRunnable) return file;
  }
  return null;
}

/** Tells whether a program is named by its file, and not by a name to look for on the path. */
export const isPath = (name: string) => name.includes('/') || (process.platform === 'win32' && name.includes('\\'));
