import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { LineProcess } from '../line-process.ts';
import { LUCENE, lucene } from '../lucene.ts';
import { BENCH } from '../paths.ts';
import { installFromPypi, PYTHON, pypiVersion } from '../pypi.ts';
import type { Corpus } from './corpus.ts';
import { folderBytes } from './disk.ts';

/** Documents of one request or call. */
export const BATCH = 128;
export const K = 10;

/** A database to compare: ours over HTTP, peers called within their own process, PostgreSQL over its socket. */
export interface Database {
  /** With its version, for a reader. */
  readonly title: string;
  /** Tells whether it keeps a graph of added vectors; the others scan. */
  readonly links: boolean;
  /** Adds `count` documents from `first` on; seconds until the last is acknowledged. Making them takes none. */
  add(first: number, count: number): Promise<number>;
  /** Waits until what adding left to do is done; seconds. */
  settle(): Promise<number>;
  /** The answers to all queries, one after the other. */
  search(): Promise<Searched>;
  state(): Promise<State>;
  diskBytes(): Promise<number>;
  /** Ends the process and starts another; seconds until the answer to a first query. */
  restart(): Promise<number>;
  /** Deletes all documents; seconds. */
  clear(): Promise<number>;
  close(): Promise<void>;
}

export interface Searched {
  /** Seconds of each query. */
  seconds: number[];
  neighbors: number[][];
}

export interface State {
  documents: number;
  residentBytes: number;
}

/** A command for a driver in `peers`; each answer is an object of its own. */
type Command =
  /** Makes the database, or opens what its folder holds. */
  | { op: 'open' }
  | { op: 'add'; first: number; count: number; size: number }
  | { op: 'search'; k: number; first: number; count: number }
  | { op: 'settle' | 'state' | 'clear' | 'close' };

/** The answer of a driver whose library cannot be loaded. */
interface Unsupported {
  unsupported: true;
  why: string;
}

/** The arguments with which a driver is started. */
type DriverArguments = [input: string, dim: string, name: string, folder: string];

interface Peer {
  /** Its package in the registry of Python; Lucene is of Java. */
  pypi: string | null;
  /** Its version, where it is not that of the package. */
  version?: string;
  links: boolean;
  /** The settings behind its figures, for a reader. */
  note: string;
}

/** Those of Python are named as in `peers/databases/database.py`. */
export const PEERS: Record<string, Peer> = {
  chromadb: { pypi: 'chromadb', links: true, note: 'syncs its log at each call, and its graph now and then' },
  lancedb: { pypi: 'lancedb', links: false, note: 'never syncs a file, so an acknowledged call is not durable; scans' },
  lucene: {
    pypi: null,
    links: true,
    note: 'commits at each call; a search has 100 candidates; on disk as in OpenSearch, but without its `_source` and its log',
  },
  pgvector: {
    pypi: 'pgserver',
    version: '0.6.2',
    links: true,
    note: 'in PostgreSQL 16.2 over its socket, which syncs its log at each commit',
  },
  'qdrant-edge': { pypi: 'qdrant-edge-py', links: false, note: 'flushed after each call; scans until it is optimized' },
  'sqlite-vec': { pypi: 'sqlite-vec', links: false, note: 'syncs its log at each commit; scans' },
};

/** Starts those databases, all without `only`, that can be had, each over an empty folder of its own; the others are told of. */
export async function startPeers(
  input: string,
  data: string,
  corpus: Corpus,
  only: readonly string[] | null,
  say: (line: string) => void,
  note: (line: string) => void,
): Promise<Database[]> {
  const wanted = Object.entries(PEERS).filter(([name]) => only === null || only.includes(name));
  if (wanted.length === 0) return [];
  const isPython = wanted.some(([, { pypi }]) => pypi !== null);
  const failed = isPython ? await installFromPypi('databases.txt', process.env, say) : new Map<string, string>();
  const started: Database[] = [];
  for (const [name, peer] of wanted) {
    const driver = await driverOf(name, peer, say, failed).catch((error: Error) => error);
    if (driver instanceof Error) {
      note(`${name} IS MISSING: ${driver.message}, so nothing was compared with it`);
      continue;
    }
    const folder = join(data, name);
    await mkdir(folder);
    const args: DriverArguments = [input, String(corpus.vectors.dim), name, folder];
    const database = new PeerDatabase(driver, args, corpus.queryCount);
    try {
      await database.open();
      note(`${driver.title}: ${peer.note}`);
      started.push(database);
    } catch (error) {
      await database.close();
      note(`${driver.title} DOES NOT RUN HERE: ${(error as Error).message}`);
    }
  }
  return started;
}

/** The start of a peer's driver, its name, and whether it keeps a graph. */
export interface Driver extends Pick<Database, 'title' | 'links'> {
  readonly command: string;
  readonly args: readonly string[];
}

/** Fails where the peer cannot be had; why stands in `failed` for those of Python. */
export async function driverOf(
  name: string,
  { pypi, version, links }: Peer,
  say: (line: string) => void,
  failed: ReadonlyMap<string, string>,
): Promise<Driver> {
  if (pypi === null) return { title: LUCENE, links, ...(await lucene('Documents.java', say)) };
  const installed = pypiVersion(pypi);
  if (installed === null) throw new Error(`its install failed (${failed.get(pypi)})`);
  const args = [join(BENCH, 'peers', 'databases')];
  return { title: `${name} ${version ?? installed}`, links, command: PYTHON, args };
}

/** A database behind its driver. */
export class PeerDatabase implements Database {
  readonly title: string;
  readonly links: boolean;
  readonly #command: string;
  readonly #args: readonly string[];
  readonly #folder: string;
  readonly #queries: number;
  #child: LineProcess;

  constructor(driver: Driver, args: DriverArguments, queries: number) {
    this.title = driver.title;
    this.links = driver.links;
    this.#command = driver.command;
    this.#args = [...driver.args, ...args];
    this.#folder = args[3];
    this.#queries = queries;
    this.#child = new LineProcess(this.#command, this.#args);
  }

  /** Seconds, without those of loading the library. */
  async open(): Promise<number> {
    const opened = await this.#ask<{ seconds: number } | Unsupported>({ op: 'open' });
    if ('unsupported' in opened) throw new Error(opened.why);
    return opened.seconds;
  }

  async add(first: number, count: number): Promise<number> {
    return (await this.#ask<{ seconds: number }>({ op: 'add', first, count, size: BATCH })).seconds;
  }

  async settle(): Promise<number> {
    return (await this.#ask<{ seconds: number }>({ op: 'settle' })).seconds;
  }

  search(): Promise<Searched> {
    return this.#ask({ op: 'search', k: K, first: 0, count: this.#queries });
  }

  state(): Promise<State> {
    return this.#ask({ op: 'state' });
  }

  diskBytes(): Promise<number> {
    return folderBytes(this.#folder);
  }

  async restart(): Promise<number> {
    await this.close();
    this.#child = new LineProcess(this.#command, this.#args);
    const opened = await this.open();
    const { seconds } = await this.#ask<Searched>({ op: 'search', k: K, first: 0, count: 1 });
    return opened + (seconds[0] ?? 0);
  }

  async clear(): Promise<number> {
    const { seconds, documents } = await this.#ask<State & { seconds: number }>({ op: 'clear' });
    if (documents > 0) throw new Error(`${documents} documents are left after the deletion of all`);
    return seconds;
  }

  async close(): Promise<void> {
    await this.#ask({ op: 'close' }).catch(() => {}); // one that has ended has nothing to let go of
    await this.#child.close();
  }

  #ask<T>(command: Command): Promise<T> {
    return this.#child.ask<T>(command);
  }
}
