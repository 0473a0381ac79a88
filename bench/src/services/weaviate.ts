import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../command.ts';
import { CACHE } from '../paths.ts';
import { type Corpus, FILTERED, type Gloss, type GlossQuery, K, numbersOf } from './corpus.ts';
import type { Request } from './generator.ts';
import { freePort, PeerProcess } from './peer-process.ts';
import { type GraphSettings, json, type Service, single, type Workload } from './service.ts';
import { pinned } from './versions.ts';
import { httpBody, httpRequest } from './wire.ts';

const CLASS = 'Gloss';
const SCHEMA = '/v1/schema';
const { module: MODULE, version: VERSION } = pinned('weaviate');
const PROGRAMS = join(CACHE, 'services', `weaviate-${VERSION}`);
const PROGRAM = join(PROGRAMS, 'weaviate-server');
/** The beginning of the id of a document, which has to be a UUID, before its number. */
const ID_START = '00000000-0000-0000-0000-';
const ID_DIGITS = 12;
const FILTER: Partial<Record<Workload, string>> = {
  'kNN, a tenth passes': `where:{path:["category"],operator:Equal,valueText:"${FILTERED.category}"}`,
  'kNN, a hundredth passes': `where:{path:["number"],operator:LessThanEqual,valueInt:${FILTERED.numberMax}}`,
};

/** Weaviate, asked by GraphQL. */
export class Weaviate implements Service {
  readonly title = `Weaviate ${VERSION}`;
  readonly wire = 'http';
  readonly note = 'asked by GraphQL; fuses by ranks';
  readonly takesEffort = true;
  readonly folder: string;
  readonly port: number;
  /** Those of its cluster, of which it is the only member. */
  readonly #ports: readonly number[];
  #process: PeerProcess | null = null;

  private constructor(folder: string, [port = 0, ...ports]: readonly number[]) {
    this.folder = folder;
    this.port = port;
    this.#ports = ports;
  }

  /** Fails where there is no Go, or no module. */
  static async over(folder: string, say: (line: string) => void): Promise<Weaviate> {
    if (!existsSync(PROGRAM)) {
      say(`compiling Weaviate ${VERSION}`);
      mkdirSync(PROGRAMS, { recursive: true });
      await run('go', ['install', `${MODULE}@${VERSION}`], PROGRAMS, { ...process.env, GOBIN: PROGRAMS });
    }
    mkdirSync(folder, { recursive: true });
    const ports: number[] = [];
    while (ports.length < 7) ports.push(await freePort());
    return new Weaviate(folder, ports);
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  async start(): Promise<void> {
    const [grpc, gossip, data, raft, raftCalls, profiling] = this.#ports.map(String);
    const env = {
      AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED: 'true',
      PERSISTENCE_DATA_PATH: this.folder,
      DEFAULT_VECTORIZER_MODULE: 'none',
      ENABLE_MODULES: '',
      DISABLE_TELEMETRY: 'true',
      LOG_LEVEL: 'warning',
      CLUSTER_HOSTNAME: 'node1',
      CLUSTER_ADVERTISE_ADDR: '127.0.0.1',
      CLUSTER_BIND_ADDR: '127.0.0.1',
      RAFT_BOOTSTRAP_EXPECT: '1',
      GRPC_PORT: grpc ?? '',
      CLUSTER_GOSSIP_BIND_PORT: gossip ?? '',
      CLUSTER_DATA_BIND_PORT: data ?? '',
      RAFT_PORT: raft ?? '',
      RAFT_INTERNAL_RPC_PORT: raftCalls ?? '',
      PROFILING_PORT: profiling ?? '',
    };
    const args = ['--host', '127.0.0.1', '--port', `${this.port}`, '--scheme', 'http'];
    const program = { command: PROGRAM, args, cwd: this.folder, log: `${this.folder}.log`, env };
    this.#process = await PeerProcess.start(program, async () => {
      const { ok } = await fetch(`http://127.0.0.1:${this.port}/v1/.well-known/ready`);
      return ok;
    });
  }

  async stop(): Promise<void> {
    await this.#process?.stop();
    this.#process = null;
  }

  async create(_corpus: Corpus, { m, efConstruction }: GraphSettings): Promise<void> {
    const property = (name: string, type: string, more: object) => ({ name, dataType: [type], ...more });
    await json(this.port, 'POST', SCHEMA, {
      class: CLASS,
      vectorizer: 'none',
      vectorIndexType: 'hnsw',
      vectorIndexConfig: { distance: 'cosine', maxConnections: m, efConstruction, ef: efConstruction },
      properties: [
        property('gloss', 'text', { indexSearchable: true, indexFilterable: false }),
        property('category', 'text', { tokenization: 'field', indexSearchable: false }),
        property('number', 'int', { indexRangeFilters: true }),
      ],
    });
  }

  addition(glosses: readonly Gloss[]): Request {
    const objects = glosses.map(
      ({ id, text, category, number, vector }) =>
        `{"class":"${CLASS}","id":"${ID_START}${String(id).padStart(ID_DIGITS, '0')}","vector":${numbersOf(vector)},` +
        `"properties":{"gloss":${JSON.stringify(text)},"category":"${category}","number":${number}}}`,
    );
    return single(httpRequest('POST', '/v1/batch/objects', `{"objects":[${objects.join(',')}]}`));
  }

  checkAdded(answer: Buffer): void {
    const objects = JSON.parse(httpBody(answer)) as { result?: { status?: string; errors?: object | null } }[];
    if (objects.some(({ result }) => result?.errors != null)) throw new Error('a document was refused');
  }

  /** It links while it acknowledges. */
  async settle(): Promise<void> {}

  async tune(effort: number): Promise<void> {
    const settings = await json<{ vectorIndexConfig: object }>(this.port, 'GET', `${SCHEMA}/${CLASS}`);
    const vectorIndexConfig = { ...settings.vectorIndexConfig, ef: effort };
    await json(this.port, 'PUT', `${SCHEMA}/${CLASS}`, { ...settings, vectorIndexConfig });
  }

  greeting(): readonly Uint8Array[] {
    return [];
  }

  search(workload: Workload, { words, vector }: GlossQuery): Request {
    const text = JSON.stringify(words);
    const passing = FILTER[workload];
    const near = `nearVector:{vector:${numbersOf(vector)}}${passing === undefined ? '' : ` ${passing}`}`;
    const byWords = `bm25:{query:${text} properties:["gloss"]}`;
    const fused = `hybrid:{query:${text} vector:${numbersOf(vector)} alpha:0.5 fusionType:rankedFusion properties:["gloss"]}`;
    const search = workload === 'words' ? byWords : workload === 'hybrid' ? fused : near;
    const query = `{Get{${CLASS}(limit:${K} ${search}){number _additional{id}}}}`;
    return single(httpRequest('POST', '/v1/graphql', JSON.stringify({ query })));
  }

  idsOf(answer: Buffer): number[] {
    const { data, errors } = JSON.parse(httpBody(answer)) as {
      data?: { Get?: { Gloss?: { _additional: { id: string } }[] | null } };
      errors?: { message: string }[] | null;
    };
    if (errors != null) throw new Error(errors[0]?.message ?? 'a search failed');
    return (data?.Get?.Gloss ?? []).map(({ _additional: { id } }) => Number(id.slice(ID_START.length)));
  }
}
