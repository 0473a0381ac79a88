import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './command.ts';
import { BENCH } from './paths.ts';

const PEERS = join(BENCH, 'peers');
const ENVIRONMENT = join(PEERS, 'venv');
const WINDOWS = process.platform === 'win32';
/** The Python that has the peers of PyPI. */
export const PYTHON = join(ENVIRONMENT, ...(WINDOWS ? ['Scripts', 'python.exe'] : ['bin', 'python']));

export interface Requirement {
  name: string;
  version: string;
  /** Compiled here, for this very machine. */
  compiled: boolean;
}

/** A file of `peers/` that names packages and their versions. All are installed into one environment. */
export type PypiList = 'requirements.txt' | 'databases.txt' | 'pictures.txt' | 'encoders.txt' | 'services.txt';
/** As `PypiList`, for a folder apart. */
export type ApartList = 'postgres.txt' | 'chroma.txt';

/**
 * Installs what a list names and is not there yet, each by itself. Answers why for each that could not be installed; it
 * is tried again by the next run.
 */
export async function installFromPypi(
  list: PypiList,
  environment: Record<string, string | undefined>,
  say: (line: string) => void,
): Promise<Map<string, string>> {
  const failed = new Map<string, string>();
  if (missing(list).length === 0) return failed;
  const problem = await makeEnvironment(environment, say);
  // Asked again: an environment made anew has nothing.
  for (const { name, version, compiled } of missing(list)) {
    if (problem !== null) {
      failed.set(name, problem);
      continue;
    }
    for (const folder of metadataOf(name)) if (!isWhole(folder)) rmSync(folder, { recursive: true });
    say(`installing ${name} ${version}${compiled ? ' (compiled)' : ''}`);
    const source = compiled ? ['--no-binary', name, '--no-cache-dir'] : ['--only-binary', name];
    // Packages that a peer needs are in the list as well, before it.
    const args = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', ...source];
    await run(PYTHON, [...args, `${name}==${version}`], PEERS, environment).catch((error: Error) => {
      failed.set(name, error.message);
    });
  }
  return failed;
}

/**
 * Installs what a list names into a folder of its own, once, by the pip of the environment: packages whose files have the
 * names of others there. Fails where one of them cannot be installed.
 */
export async function installApart(list: ApartList, folder: string, say: (line: string) => void): Promise<void> {
  if (existsSync(folder)) return;
  const problem = await makeEnvironment(process.env, say);
  if (problem !== null) throw new Error(problem);
  const incoming = `${folder}.incoming`;
  rmSync(incoming, { recursive: true, force: true });
  for (const { name, version } of requirements(list)) {
    say(`installing ${name} ${version}`);
    const options = [
      '--quiet',
      '--disable-pip-version-check',
      '--no-deps',
      '--only-binary',
      name,
      '--target',
      incoming,
    ];
    await run(PYTHON, ['-m', 'pip', 'install', ...options, `${name}==${version}`], PEERS);
  }
  renameSync(incoming, folder); // last: its presence means a whole one
}

/** An environment without pip is one that was left half made, or one whose Python has gone. */
async function makeEnvironment(
  environment: Record<string, string | undefined>,
  say: (line: string) => void,
): Promise<string | null> {
  try {
    if (existsSync(PYTHON)) {
      await run(PYTHON, ['-c', 'import pip'], PEERS, environment);
      return null;
    }
  } catch {
    say('the Python environment of the peers is broken');
  }
  say('making a Python environment for the peers');
  try {
    await run(WINDOWS ? 'python' : 'python3', ['-m', 'venv', '--clear', ENVIRONMENT], PEERS, environment);
    return null;
  } catch (error) {
    return `no Python environment: ${(error as Error).message}`;
  }
}

const missing = (list: PypiList) => requirements(list).filter(({ name, version }) => pypiVersion(name) !== version);

/** The packages of a list, in its order. */
export function requirements(list: PypiList | ApartList): Requirement[] {
  const lines = readFileSync(join(PEERS, list), 'utf8').split('\n');
  const compiled = lines.flatMap((line) => /^--no-binary (\S+)/.exec(line)?.[1] ?? []);
  return lines.flatMap((line) => {
    const [, name, version] = /^([\w.-]+)==(\S+)$/.exec(line.trim()) ?? [];
    return name && version ? [{ name, version, compiled: compiled.includes(name) }] : [];
  });
}

/** The version of a package, or null when it is not installed. */
export function pypiVersion(name: string): string | null {
  const folder = metadataOf(name).find(isWhole);
  return folder === undefined ? null : (/-([^-]+)\.dist-info$/.exec(folder)?.[1] ?? null);
}

/** The place of a file or folder that a package brings; null where it is not there. */
export function packageFile(path: string): string | null {
  return (
    packageFolders()
      .map((folder) => join(folder, path))
      .find((file) => existsSync(file)) ?? null
  );
}

/** Written last: without it an install was cut off, and pip would refuse to replace it. */
const isWhole = (metadata: string) => existsSync(join(metadata, 'RECORD'));

function metadataOf(name: string): string[] {
  const pattern = new RegExp(`^${name.replaceAll(/[-_.]+/g, '[-_.]+')}-[^-]+\\.dist-info$`, 'i');
  return packageFolders().flatMap((folder) =>
    readdirSync(folder).flatMap((entry) => (pattern.test(entry) ? [join(folder, entry)] : [])),
  );
}

function packageFolders(): string[] {
  const libraries = join(ENVIRONMENT, WINDOWS ? 'Lib' : 'lib');
  if (!existsSync(libraries)) return [];
  const pythons = WINDOWS ? [''] : readdirSync(libraries).filter((entry) => entry.startsWith('python'));
  return pythons.map((python) => join(libraries, python, 'site-packages')).filter((folder) => existsSync(folder));
}
