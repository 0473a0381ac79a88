import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { run } from '../command.ts';
import { javaHome } from '../lucene.ts';
import { CACHE } from '../paths.ts';
import { PYTHON } from '../pypi.ts';
import { type Corpus, FILTERED, type Gloss, type GlossQuery, K, numbersOf } from './corpus.ts';
import type { Request } from './generator.ts';
import { OpenSearchScores } from './opensearch-scores.ts';
import { freePort, isRoot, NOBODY, PeerProcess } from './peer-process.ts';
import { type GraphSettings, json, type Service, single, type Workload } from './service.ts';
import { pinned } from './versions.ts';
import { httpBody, httpRequest } from './wire.ts';

const INDEX = '/glosses';
const { server: VERSION, knn: KNN_VERSION } = pinned('opensearch');
const HOME = join(CACHE, 'services', `opensearch-${VERSION}`);
const ARTIFACTS = {
  server: ['org.opensearch.distribution.integ-test-zip', 'opensearch', VERSION],
  knn: ['org.opensearch.plugin', 'opensearch-knn', KNN_VERSION],
} as const;
/** The memory of its heap. */
const HEAP = '1g';
const FILTER: Partial<Record<Workload, object>> = {
  'kNN, a tenth passes': { term: { category: FILTERED.category } },
  'kNN, a hundredth passes': { range: { number: { lte: FILTERED.numberMax } } },
};

/** OpenSearch with its k-NN module, whose Lucene engine needs no native library. */
export class OpenSearch implements Service {
  readonly title = `OpenSearch ${VERSION}`;
  readonly wire = 'http';
  readonly note = `one shard, merged into one segment, a heap of ${HEAP}; fuses by the sum of both scores`;
  readonly takesEffort = true;
  readonly folder: string;
  readonly port: number;
  readonly scores: OpenSearchScores;
  readonly #home: string;
  readonly #java: string;
  #process: PeerProcess | null = null;

  private constructor(home: string, java: string, folder: string, port: number) {
    this.#home = home;
    this.#java = java;
    this.folder = folder;
    this.port = port;
    this.scores = new OpenSearchScores(port);
  }

  /** Fails where there is no Java, no Maven or no artifact. */
  static async over(folder: string, say: (line: string) => void): Promise<OpenSearch> {
    const java = javaHome();
    await install(say);
    const [port, transport] = [await freePort(), await freePort()];
    const settings = { config: join(folder, 'config'), data: join(folder, 'data'), logs: join(folder, 'logs') };
    for (const each of [settings.data, settings.logs, join(folder, 'tmp')]) mkdirSync(each, { recursive: true });
    cpSync(join(HOME, 'config'), settings.config, { recursive: true });
    // Logs of the virtual machine would go to the folder of the program.
    const options = readFileSync(join(HOME, 'config', 'jvm.options'), 'utf8').split('\n');
    const kept = options.filter((line) => !line.includes('logs/') && !line.includes('HeapDumpPath'));
    writeFileSync(join(settings.config, 'jvm.options'), kept.join('\n'));
    const lines = [
      ...['discovery.type: single-node', 'network.host: 127.0.0.1', `http.port: ${port}`],
      ...[`transport.port: ${transport}`, `path.data: ${settings.data}`, `path.logs: ${settings.logs}`],
      'cluster.routing.allocation.disk.threshold_enabled: false',
    ];
    writeFileSync(join(settings.config, 'opensearch.yml'), `${lines.join('\n')}\n`);
    if (isRoot()) giveToNobody(folder);
    return new OpenSearch(HOME, java, folder, port);
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  async start(): Promise<void> {
    const env = {
      OPENSEARCH_JAVA_HOME: this.#java,
      OPENSEARCH_PATH_CONF: join(this.folder, 'config'),
      OPENSEARCH_TMPDIR: join(this.folder, 'tmp'),
      OPENSEARCH_JAVA_OPTS: `-Xms${HEAP} -Xmx${HEAP} -Dopensearch.logs.base_path=${join(this.folder, 'logs')}`,
      HOME: this.folder,
    };
    const log = `${this.folder}.log`;
    const program = { command: 'bash', args: [join(this.#home, 'bin', 'opensearch')], cwd: this.folder, log, env };
    this.#process = await PeerProcess.start({ ...program, refusesRoot: true }, async () => {
      const { status } = await json<{ status: string }>(this.port, 'GET', '/_cluster/health');
      return status !== 'red';
    });
  }

  async stop(): Promise<void> {
    await this.#process?.stop();
    this.#process = null;
  }

  async create({ dim }: Corpus, { m, efConstruction }: GraphSettings): Promise<void> {
    const method = { name: 'hnsw', engine: 'lucene', space_type: 'cosinesimil' };
    const parameters = { m, ef_construction: efConstruction };
    await json(this.port, 'PUT', INDEX, {
      settings: { index: { knn: true, number_of_shards: 1, number_of_replicas: 0 } },
      mappings: {
        properties: {
          gloss: { type: 'text', analyzer: 'english' },
          category: { type: 'keyword' },
          number: { type: 'integer' },
          vector: { type: 'knn_vector', dimension: dim, method: { ...method, parameters } },
        },
      },
    });
  }

  addition(glosses: readonly Gloss[]): Request {
    const lines = glosses.map(
      ({ id, text, category, number, vector }) =>
        `{"index":{"_id":"${id}"}}\n{"gloss":${JSON.stringify(text)},"category":"${category}","number":${number},` +
        `"vector":${numbersOf(vector)}}\n`,
    );
    const path = `${INDEX}/_bulk?filter_path=errors`;
    return single(httpRequest('POST', path, lines.join(''), 'application/x-ndjson'));
  }

  checkAdded(answer: Buffer): void {
    const { errors } = JSON.parse(httpBody(answer)) as { errors: boolean };
    if (errors) throw new Error('a document was refused');
  }

  async settle(): Promise<void> {
    await json(this.port, 'POST', `${INDEX}/_refresh`);
    await json(this.port, 'POST', `${INDEX}/_forcemerge?max_num_segments=1`);
    await json(this.port, 'POST', `${INDEX}/_refresh`);
  }

  async tune(): Promise<void> {}

  greeting(): readonly Uint8Array[] {
    return [];
  }

  search(workload: Workload, { words, vector }: GlossQuery, effort: number): Request {
    const match = `{"match":{"gloss":${JSON.stringify(words)}}}`;
    const passing = FILTER[workload];
    const filter = passing === undefined ? '' : `,"filter":${JSON.stringify(passing)}`;
    const looks = `"k":${K},"method_parameters":{"ef_search":${effort}}`;
    const knn = `{"knn":{"vector":{"vector":${numbersOf(vector)},${looks}${filter}}}}`;
    const fused = `{"bool":{"should":[${match},${knn}]}}`;
    const query = workload === 'words' ? match : workload === 'hybrid' ? fused : knn;
    const page = `"size":${K},"_source":false,"docvalue_fields":["number"],"track_total_hits":false`;
    return single(httpRequest('POST', `${INDEX}/_search`, `{"query":${query},${page}}`));
  }

  idsOf(answer: Buffer): number[] {
    const { hits } = JSON.parse(httpBody(answer)) as { hits: { hits: { _id: string }[] } };
    return hits.hits.map(({ _id }) => Number(_id));
  }
}

/** Brings the server and the module into one folder, once. */
async function install(say: (line: string) => void): Promise<void> {
  if (existsSync(HOME)) return;
  say(`fetching OpenSearch ${VERSION}`);
  const incoming = `${HOME}.incoming`;
  rmSync(incoming, { recursive: true, force: true });
  mkdirSync(incoming, { recursive: true });
  const unpacked = join(incoming, `opensearch-${VERSION}`);
  await unpack(ARTIFACTS.server, incoming, incoming);
  await unpack(ARTIFACTS.knn, incoming, join(unpacked, 'plugins', 'opensearch-knn'));
  for (const name of readdirSync(join(unpacked, 'bin'))) chmodSync(join(unpacked, 'bin', name), 0o755);
  renameSync(unpacked, HOME); // last: its presence means a whole one
  rmSync(incoming, { recursive: true });
}

async function unpack([group, name, version]: readonly string[], folder: string, into: string): Promise<void> {
  const artifact = `-Dartifact=${group}:${name}:${version}:zip`;
  await run('mvn', ['-q', '-B', 'dependency:copy', artifact, `-DoutputDirectory=${folder}`], folder);
  mkdirSync(into, { recursive: true });
  await run(PYTHON, ['-m', 'zipfile', '-e', join(folder, `${name}-${version}.zip`), into], folder);
}

function giveToNobody(folder: string): void {
  chownSync(folder, NOBODY, NOBODY);
  for (const name of readdirSync(folder, { recursive: true }) as string[])
    chownSync(join(folder, name), NOBODY, NOBODY);
}
