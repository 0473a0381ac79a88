import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { run } from './command.ts';
import { BENCH } from './paths.ts';

const PEERS = join(BENCH, 'peers');
const require = createRequire(join(PEERS, 'package.json'));

/** A driver of the vector bench: one library, set up in one way. */
export interface Peer {
  /** Its name in definitions and rows. */
  readonly name: string;
  /** With its version, for a reader. */
  readonly title: string;
  readonly command: string;
  readonly args: (directory: string, dim: number) => string[];
}

/** Every driver, those that could not be installed included; `peerVersion` tells them apart. */
export function peers(): readonly Peer[] {
  return ['hnswlib-node', 'usearch'].map((name) => {
    const script = join(import.meta.dirname, 'vector', 'engines', `${name.replace('-node', '')}.ts`);
    return {
      name,
      title: `${name} ${peerVersion(name)}`,
      command: process.execPath,
      args: (directory, dim) => [script, directory, String(dim)],
    };
  });
}

/** Installs the peers unless they are there. They are no part of set-up: only the bench needs them. */
export async function installPeers(say: (line: string) => void): Promise<void> {
  if (existsSync(join(PEERS, 'node_modules', 'autocannon'))) return;
  say('installing the peers (one of them is compiled: about half a minute)');
  await run('npm', ['install', '--no-audit', '--no-fund'], PEERS, installEnvironment());
}

/** npm runs on the Node that runs us, and what is compiled is compiled for this very machine. */
function installEnvironment() {
  const { PATH = '', CXXFLAGS = '-O3 -march=native' } = process.env;
  return { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${PATH}`, CXXFLAGS };
}

/** The version of a peer, or null when it could not be installed here. */
export function peerVersion(name: string): string | null {
  const manifest = join(PEERS, 'node_modules', name, 'package.json');
  if (!existsSync(manifest)) return null;
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}

/** What to say about a peer that is not there. */
export function missingPeer(name: string): string {
  return (
    `${name} IS MISSING: its install failed, so nothing was compared with it. ` +
    'It is compiled from source and needs a C++ compiler, Python and the headers of Node ' +
    '(npm_config_nodedir names their folder where they cannot be downloaded)'
  );
}

/** Loads a peer. */
export function loadPeer<T>(name: string): T {
  return require(name) as T;
}
