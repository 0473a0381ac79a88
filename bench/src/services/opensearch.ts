import { mkdirSync } from 'node:fs';
import { installOpenSearch, requireJava, VERSION } from '../../../scripts/opensearch/install.mjs';
import { nodeProgram } from '../../../scripts/opensearch/node-program.mjs';
import { type Corpus, FILTERED, type Gloss, type GlossQuery, K, numbersOf } from './corpus.ts';
import type { Request } from './generator.ts';
import { OpenSearchScores } from './opensearch-scores.ts';
import { freePort, PeerProcess, type Program } from './peer-process.ts';
import { type GraphSettings, json, type Service, single, type Workload } from './service.ts';
import { httpBody, httpRequest } from './wire.ts';

const INDEX = '/glosses';
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
  readonly #program: Program;
  #process: PeerProcess | null = null;

  private constructor(program: Program, folder: string, port: number) {
    this.#program = program;
    this.folder = folder;
    this.port = port;
    this.scores = new OpenSearchScores(port);
  }

  /** Fails where there is no Java, no Maven or no artifact. */
  static async over(folder: string, say: (line: string) => void): Promise<OpenSearch> {
    await installOpenSearch(say);
    const [port, transportPort] = [await freePort(), await freePort()];
    mkdirSync(folder, { recursive: true });
    const program = nodeProgram({ folder, java: requireJava(), port, transportPort, heap: HEAP });
    return new OpenSearch({ ...program, log: `${folder}.log`, refusesRoot: true }, folder, port);
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  async start(): Promise<void> {
    this.#process = await PeerProcess.start(this.#program, async () => {
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
