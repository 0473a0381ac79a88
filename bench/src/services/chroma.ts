import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE } from '../paths.ts';
import { installApart, PYTHON, requirements } from '../pypi.ts';
import { type Corpus, FILTERED, type Gloss, type GlossQuery, K, numbersOf } from './corpus.ts';
import type { Request } from './generator.ts';
import { freePort, PeerProcess } from './peer-process.ts';
import { type GraphSettings, json, type Service, single, type Workload } from './service.ts';
import { httpBody, httpRequest } from './wire.ts';

const COLLECTIONS = '/api/v2/tenants/default_tenant/databases/default_database/collections';
const NAME = 'glosses';
const VERSION = requirements('chroma.txt')[0]?.version;
const PACKAGES = join(CACHE, 'services', `chroma-${VERSION}`);
/** The server is a program in the package's library; its own command imports what is not needed. */
const SERVE = 'import sys, chromadb_rust_bindings as chroma; chroma.cli(["chroma", "run", *sys.argv[1:]])';
const FILTER: Partial<Record<Workload, object | null>> = {
  kNN: null,
  'kNN, a tenth passes': { category: { $eq: FILTERED.category } },
  'kNN, a hundredth passes': { number: { $lte: FILTERED.numberMax } },
};

/** Chroma, from its package for Python. */
export class Chroma implements Service {
  readonly title = `Chroma ${VERSION}`;
  readonly wire = 'http';
  readonly note = 'no ranking by words';
  readonly takesEffort = true;
  readonly folder: string;
  readonly port: number;
  #collection = '';
  #dim = 0;
  #process: PeerProcess | null = null;

  private constructor(folder: string, port: number) {
    this.folder = folder;
    this.port = port;
  }

  /** Fails where the package cannot be had. */
  static async over(folder: string, say: (line: string) => void): Promise<Chroma> {
    await installApart('chroma.txt', PACKAGES, say);
    mkdirSync(folder, { recursive: true });
    return new Chroma(folder, await freePort());
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  async start(): Promise<void> {
    const args = ['-c', SERVE, '--host', '127.0.0.1', '--port', `${this.port}`, '--path', this.folder];
    const env = { ANONYMIZED_TELEMETRY: 'false', RUST_LOG: 'error', PYTHONPATH: PACKAGES };
    const program = { command: PYTHON, args, cwd: this.folder, log: `${this.folder}.log`, env };
    this.#process = await PeerProcess.start(program, async () => {
      const { ok } = await fetch(`http://127.0.0.1:${this.port}/api/v2/heartbeat`);
      return ok;
    });
  }

  async stop(): Promise<void> {
    await this.#process?.stop();
    this.#process = null;
  }

  async create({ dim }: Corpus, { m, efConstruction }: GraphSettings): Promise<void> {
    this.#dim = dim;
    const hnsw = { space: 'cosine', max_neighbors: m, ef_construction: efConstruction, ef_search: efConstruction };
    const { id } = await json<{ id: string }>(this.port, 'POST', COLLECTIONS, { name: NAME, configuration: { hnsw } });
    this.#collection = `${COLLECTIONS}/${id}`;
  }

  addition(glosses: readonly Gloss[]): Request {
    const list = (item: (gloss: Gloss) => string) => `[${glosses.map(item).join(',')}]`;
    const parts = [
      `"ids":${list(({ id }) => `"${id}"`)}`,
      `"embeddings":${list(({ vector }) => numbersOf(vector))}`,
      `"documents":${list(({ text }) => JSON.stringify(text))}`,
      `"metadatas":${list(({ category, number }) => `{"category":"${category}","number":${number}}`)}`,
    ];
    return single(httpRequest('POST', `${this.#collection}/add`, `{${parts.join(',')}}`));
  }

  /** Refusals are answered with a status. */
  checkAdded(): void {}

  /** It links what it acknowledged before it answers a search. */
  async settle(): Promise<void> {
    const query = { query_embeddings: [Array.from({ length: this.#dim }, () => 1)], n_results: 1, include: [] };
    await json(this.port, 'POST', `${this.#collection}/query`, query);
  }

  async tune(effort: number): Promise<void> {
    await json(this.port, 'PUT', this.#collection, { new_configuration: { hnsw: { ef_search: effort } } });
  }

  greeting(): readonly Uint8Array[] {
    return [];
  }

  search(workload: Workload, { vector }: GlossQuery): Request | null {
    const filter = FILTER[workload];
    if (filter === undefined) return null;
    const where = filter === null ? '' : `"where":${JSON.stringify(filter)},`;
    const body = `{"query_embeddings":[${numbersOf(vector)}],"n_results":${K},${where}"include":["metadatas"]}`;
    return single(httpRequest('POST', `${this.#collection}/query`, body));
  }

  idsOf(answer: Buffer): number[] {
    const { ids } = JSON.parse(httpBody(answer)) as { ids: string[][] };
    return (ids[0] ?? []).map(Number);
  }
}
