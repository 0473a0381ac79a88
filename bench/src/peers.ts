import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { run } from './command.ts';
import { BENCH } from './paths.ts';
import { installFromPypi, PYTHON, pypiVersion } from './pypi.ts';

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
  /** Tells whether it can search among some of the ids. */
  readonly filters: boolean;
}

interface Definition {
  title: string;
  /** The package that is installed. */
  npm?: string;
  pypi?: string;
  /** For npm: its file in `vector/engines`, and the configuration it is started with. */
  script?: string;
  configuration?: string;
  filters?: true;
}

/** Those of PyPI are named as in `peers/driver/library.py`. */
const DEFINITIONS: Record<string, Definition> = {
  hnswlib: { title: 'hnswlib', pypi: 'hnswlib', filters: true },
  'hnswlib-node': { title: 'hnswlib-node', npm: 'hnswlib-node', script: 'hnswlib', filters: true },
  'usearch-f32': { title: 'usearch f32', npm: 'usearch', script: 'usearch', configuration: 'f32' },
  'usearch-bf16': { title: 'usearch bf16', npm: 'usearch', script: 'usearch', configuration: 'bf16' },
  'zvec-f32': { title: 'zvec f32', npm: '@zvec/zvec', script: 'zvec', configuration: 'f32', filters: true },
  'zvec-int8': {
    title: 'zvec int8 + refiner',
    npm: '@zvec/zvec',
    script: 'zvec',
    configuration: 'int8',
    filters: true,
  },
  'faiss-hnsw': { title: 'faiss HNSW f32', pypi: 'faiss-cpu', filters: true },
  'faiss-hnsw-sq8': { title: 'faiss HNSW SQ8 + refine', pypi: 'faiss-cpu', filters: true },
  'glass-sq4u': { title: 'pyglass SQ4U + refine', pypi: 'pyglass-portable' },
  'glass-sq8u': { title: 'pyglass SQ8U + refine', pypi: 'pyglass-portable' },
  'svs-f16': { title: 'SVS Vamana f16', pypi: 'scalable-vs' },
  'svs-lvq4x8': { title: 'SVS LVQ4x8', pypi: 'scalable-vs' },
  'svs-leanvec4x8': { title: 'SVS LeanVec 4x8', pypi: 'scalable-vs' },
  'rabitq-qg': { title: 'SymphonyQG (rabitqlib)', pypi: 'rabitqlib' },
};

/** Every driver, those that could not be installed included; `peerVersion` tells them apart. */
export function peers(): readonly Peer[] {
  return Object.entries(DEFINITIONS).map(([name, { title, script, configuration, filters }]) => {
    const version = peerVersion(name);
    const engine = join(import.meta.dirname, 'vector', 'engines', `${script}.ts`);
    const start = script ? ['--expose-gc', engine] : [join(PEERS, 'driver')];
    const last = script ? (configuration ?? '') : name;
    return {
      name,
      title: version === null ? title : `${title} ${version}`,
      command: script ? process.execPath : PYTHON,
      args: (directory, dim) => [...start, directory, String(dim), last],
      filters: filters ?? false,
    };
  });
}

/** The reason that a package could not be installed by this run. */
const failed = new Map<string, string>();

/**
 * Installs the peers that are not there yet, from both registries. They are no part of set-up: only the bench needs
 * them. A peer that fails is named at the end, and tried again by the next run.
 */
export async function installPeers(say: (line: string) => void): Promise<void> {
  failed.clear();
  if (npmPackages().some(([name, version]) => npmVersion(name) !== version)) {
    say('installing the peers from npm (one of them is compiled: about half a minute)');
    try {
      await run('npm', ['install', '--no-audit', '--no-fund'], PEERS, installEnvironment());
    } catch (error) {
      for (const [name] of npmPackages()) failed.set(name, (error as Error).message);
    }
  }
  for (const [name, why] of await installFromPypi('requirements.txt', installEnvironment(), say)) failed.set(name, why);
}

function npmPackages(): [name: string, version: string][] {
  const manifest = JSON.parse(readFileSync(join(PEERS, 'package.json'), 'utf8')) as {
    optionalDependencies: Record<string, string>;
  };
  return Object.entries(manifest.optionalDependencies);
}

/** npm runs on the Node that runs us, and what is compiled is compiled for this very machine. */
function installEnvironment() {
  const { PATH = '', CXXFLAGS = '-O3 -march=native' } = process.env;
  return { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${PATH}`, CXXFLAGS };
}

/** The version of a peer, by its driver's name or its package's, or null when it could not be installed here. */
export function peerVersion(name: string): string | null {
  const { npm, pypi } = DEFINITIONS[name] ?? { npm: name };
  return pypi === undefined ? npmVersion(npm ?? name) : pypiVersion(pypi);
}

function npmVersion(name: string): string | null {
  const manifest = join(PEERS, 'node_modules', name, 'package.json');
  if (!existsSync(manifest)) return null;
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}

/** The remark about a peer that is not there, named as for `peerVersion`. */
export function missingPeer(name: string): string {
  const { npm, pypi } = DEFINITIONS[name] ?? { npm: name };
  const why = failed.get(pypi ?? npm ?? name);
  return (
    `${name} IS MISSING: its install failed${why ? ` (${why})` : ''}, so nothing was compared with it. ` +
    (pypi === undefined
      ? 'What is compiled from source needs a C++ compiler, Python and the headers of Node ' +
        '(npm_config_nodedir names their folder where they cannot be downloaded)'
      : 'It needs Python from 3.11 on with venv; what is compiled from source, a C++ compiler as well')
  );
}

/** Loads a peer. */
export function loadPeer<T>(name: string): T {
  return require(name) as T;
}
