import { randomBytes } from 'node:crypto';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchOptions, BenchResult } from '../bench.ts';
import { median } from '../quantile.ts';
import { compare, type Row } from '../row.ts';
import type { Connection } from '../server/connection.ts';
import { Products } from './products.ts';
import { GRAPH } from './requests.ts';

/** Kinds of numbers as the mapping of a vector has them, and what a float is multiplied by to be one. */
const NUMBERS: Readonly<Record<string, { mapping: object; encoder?: object; scale: number }>> = {
  float: { mapping: {}, scale: 1 },
  // Lucene keeps the floats as well, on disk, and searches seven bits of each.
  'float, searched as int7': { mapping: {}, encoder: { name: 'sq' }, scale: 1 },
  byte: { mapping: { data_type: 'byte' }, scale: 127 * 4 },
};

export interface ScaleCase {
  dimensions: number;
  numbers: string;
}

/** Documents of a request, and queries, each timed in some rounds and compared with an exact search. */
const [BATCH, QUERIES, ROUNDS] = [200, 50, 6];
/** Files that a search reads in no order, by the ends of their names: vectors, their codes, and graphs. */
const SEARCHED = ['vec', 'veq', 'vex'];
const K = 10;

/** Shares of the vectors after which the node is looked at. */
const STAGES = [1 / 8, 1 / 4, 1 / 2, 1];
/** The node tells processor times that are up to a second old. */
const STALE_MS = 1_100;

/** The state of a node after some vectors were added. */
interface Stage {
  vectors: number;
  diskBytes: number;
  /** Bytes of them that a search reads in no order. */
  searchedBytes: number;
  addCpuSeconds: number;
  mergeCpuSeconds: number;
  searchCpuMs: number;
  searchMs: number;
  recall: number;
}

/** The slopes of a plan on paper: an index of nested vectors, as ours has them, that grows. */
export async function scale(
  node: Connection,
  cases: readonly ScaleCase[],
  vectors: number,
  say: BenchOptions['say'],
): Promise<BenchResult> {
  const rows: Row[] = [];
  for (const each of cases) {
    const name = `${each.dimensions} x ${each.numbers}`;
    say(name);
    const index = new NestedIndex(node, `b${randomBytes(6).toString('hex')}.scale`, each);
    try {
      rows.push(...rowsOf(name, await index.grow(vectors)));
    } finally {
      await index.drop();
    }
  }
  const notes = [
    'processor times are those of the node as a whole; bytes and seconds of a vector are slopes between an eighth and all',
    `load ${loadavg()[0]?.toFixed(1)}`,
  ];
  return { rows, notes, dataset: { vectors, cases, graph: GRAPH } };
}

class NestedIndex {
  readonly #node: Connection;
  readonly #path: string;
  readonly #case: ScaleCase;

  constructor(node: Connection, name: string, each: ScaleCase) {
    this.#node = node;
    this.#path = `/${name}`;
    this.#case = each;
  }

  async grow(vectors: number): Promise<readonly Stage[]> {
    const { dimensions } = this.#case;
    const products = new Products({ documents: vectors, dimensions, textWords: [1, 1], queries: QUERIES });
    await this.#create();
    const stages: Stage[] = [];
    for (const share of STAGES) {
      const first = stages.at(-1)?.vectors ?? 0;
      stages.push(await this.#stage(products, first, Math.floor(vectors * share)));
    }
    return stages;
  }

  async drop(): Promise<void> {
    await this.#node.send('DELETE', this.#path).catch(() => undefined); // it may not have been made
  }

  async #create(): Promise<void> {
    const { mapping, encoder } = NUMBERS[this.#case.numbers] ?? NUMBERS.float ?? { mapping: {} };
    const method = { name: 'hnsw', engine: 'lucene', space_type: 'innerproduct' };
    const parameters = { m: GRAPH.m, ef_construction: GRAPH.efConstruction, ...(encoder !== undefined && { encoder }) };
    const vector = {
      ...{ type: 'knn_vector', dimension: this.#case.dimensions, ...mapping },
      method: { ...method, ...('data_type' in mapping && { space_type: 'l2' }), parameters },
    };
    const body = {
      settings: { index: { knn: true, number_of_shards: 1, number_of_replicas: 0, refresh_interval: '5s' } },
      mappings: { properties: { chunks: { type: 'nested', properties: { vector } } } },
    };
    await this.#node.send('PUT', this.#path, JSON.stringify(body));
  }

  async #stage(products: Products, first: number, end: number): Promise<Stage> {
    const before = await this.#cpuSeconds();
    for (let at = first; at < end; at += BATCH) {
      const some = products.products(at, Math.min(at + BATCH, end));
      const lines = some.map(
        ({ id, vector }) => `{"index":{"_id":"${id}"}}\n{"chunks":[{"vector":${this.#numbers(vector)}}]}\n`,
      );
      const answer = await this.#node.post(`${this.#path}/_bulk?filter_path=errors`, lines.join(''));
      if ((JSON.parse(answer) as { errors: boolean }).errors) throw new Error('OpenSearch refused a vector');
    }
    await this.#node.post(`${this.#path}/_flush`, '');
    const added = await this.#cpuSeconds();
    await this.#node.post(`${this.#path}/_forcemerge?max_num_segments=1`, '');
    await this.#node.post(`${this.#path}/_refresh`, '');
    const merged = await this.#cpuSeconds();
    const { diskBytes, searchedBytes } = await this.#bytes();
    return {
      ...{ vectors: end, diskBytes, searchedBytes },
      addCpuSeconds: added - before,
      mergeCpuSeconds: merged - added,
      ...(await this.#searches(products)),
    };
  }

  #numbers(vector: string): string {
    const by = NUMBERS[this.#case.numbers]?.scale ?? 1;
    if (by === 1) return vector;
    const numbers = JSON.parse(vector) as number[];
    return JSON.stringify(numbers.map((number) => Math.max(-128, Math.min(127, Math.round(number * by)))));
  }

  async #cpuSeconds(): Promise<number> {
    await sleep(STALE_MS);
    const answer = await this.#node.send(
      'GET',
      '/_nodes/stats/process?filter_path=nodes.*.process.cpu.total_in_millis',
    );
    const { nodes } = JSON.parse(answer) as {
      nodes: Record<string, { process: { cpu: { total_in_millis: number } } }>;
    };
    return Object.values(nodes).reduce((sum, { process }) => sum + process.cpu.total_in_millis, 0) / 1000;
  }

  async #bytes(): Promise<{ diskBytes: number; searchedBytes: number }> {
    const path = `${this.#path}/_stats/store,segments?include_segment_file_sizes=true`;
    const { _all } = JSON.parse(await this.#node.send('GET', path)) as {
      _all: {
        primaries: {
          store: { size_in_bytes: number };
          segments: { file_sizes: Record<string, { size_in_bytes: number }> };
        };
      };
    };
    const { store, segments } = _all.primaries;
    const searched = SEARCHED.map((end) => segments.file_sizes[end]?.size_in_bytes ?? 0);
    return { diskBytes: store.size_in_bytes, searchedBytes: searched.reduce((sum, one) => sum + one, 0) };
  }

  async #searches({ queries }: Products): Promise<Pick<Stage, 'searchCpuMs' | 'searchMs' | 'recall'>> {
    const graph = (vector: string) =>
      `{"knn":{"chunks.vector":{"vector":${vector},"k":${K},"method_parameters":{"ef_search":200}}}}`;
    const all = (vector: string) => {
      const space = this.#case.numbers === 'byte' ? 'l2' : 'innerproduct';
      const params = `{"field":"chunks.vector","query_value":${vector},"space_type":"${space}"}`;
      return `{"script_score":{"query":{"match_all":{}},"script":{"lang":"knn","source":"knn_score","params":${params}}}}`;
    };
    const ask = async (query: string) => {
      const nested = `{"nested":{"path":"chunks","score_mode":"max","query":${query}}}`;
      const started = performance.now();
      const answer = await this.#node.post(
        `${this.#path}/_search`,
        `{"size":${K},"_source":false,"track_total_hits":false,"query":${nested}}`,
      );
      const milliseconds = performance.now() - started;
      const { hits } = JSON.parse(answer) as { hits: { hits: { _id: string }[] } };
      return { milliseconds, ids: hits.hits.map(({ _id }) => _id) };
    };
    const vectors = queries.map(({ vector }) => this.#numbers(vector));
    for (const vector of vectors) await ask(graph(vector));
    const before = await this.#cpuSeconds();
    const found: { milliseconds: number; ids: string[] }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) for (const vector of vectors) found.push(await ask(graph(vector)));
    const searchCpuMs = (1000 * ((await this.#cpuSeconds()) - before)) / found.length;
    let shared = 0;
    for (const [at, vector] of vectors.entries()) {
      const { ids } = await ask(all(vector));
      shared += ids.filter((id) => found[at]?.ids.includes(id)).length / ids.length / vectors.length;
    }
    // The least time of each query: other programs take the processor away from the rest.
    const times = vectors.map((_, at) =>
      Math.min(...found.filter((_, place) => place % vectors.length === at).map((one) => one.milliseconds)),
    );
    return { searchCpuMs, searchMs: median(times), recall: Number(shared.toFixed(4)) };
  }
}

function rowsOf(set: string, stages: readonly Stage[]): Row[] {
  const [first, last] = [stages[0], stages.at(-1)] as [Stage, Stage];
  const slope = (of: (stage: Stage) => number) => (of(last) - of(first)) / (last.vectors - first.vectors);
  const row = (metric: string, ours: number, recall: number | null = null) => ({
    ...compare(metric, 'lower', ours, null, null, recall),
    set,
  });
  const bytes = (of: 'diskBytes' | 'searchedBytes') => slope((stage) => stage[of]);
  return [
    row('disk (bytes a vector)', bytes('diskBytes')),
    row('read by searches (bytes a vector)', bytes('searchedBytes')),
    row('last half added (CPU ms a vector)', (2000 * last.addCpuSeconds) / last.vectors),
    row('all merged into one segment (CPU ms a vector)', (1000 * last.mergeCpuSeconds) / last.vectors),
    ...stages.flatMap(({ vectors, searchCpuMs, searchMs, recall }) => [
      row(`search of ${vectors} (CPU ms)`, searchCpuMs, recall),
      row(`search of ${vectors}, p50 (ms)`, searchMs, recall),
    ]),
  ];
}
