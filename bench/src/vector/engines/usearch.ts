// usearch over f32 or bf16 vectors. It loops over a batch itself, so a search costs no conversion.
import { statSync } from 'node:fs';
import { loadPeer, peerVersion } from '../../peers.ts';
import { type Build, type Built, drive, type Pass, Place, timed, unsupported } from './driver.ts';

interface Graph {
  add(keys: BigUint64Array, vectors: Float32Array, threads: number): void;
  search(queries: Float32Array, k: number, threads: number): Batch | Omit<Batch, 'counts'>;
  save(file: string): void;
  load(file: string): void;
}

interface Batch {
  /** `[queries][k]`, of which the first `counts` are filled. */
  keys: BigUint64Array;
  counts: BigUint64Array;
}

interface GraphOptions {
  dimensions: number;
  metric: 'ip';
  quantization: string;
  connectivity: number;
  expansion_add: number;
  expansion_search: number;
  multi: boolean;
}

const { Index } = loadPeer<{ Index: new (options: GraphOptions) => Graph }>('usearch');
const place = new Place(process.argv.slice(2));
const { dim } = place;
const quantization = place.configuration || 'bf16';
const file = place.scratch('usearch');
let parameters = { m: 16, efConstruction: 200 };
/** The search list is fixed when a graph is made, so each size gets its own, read from the file. */
let open: { ef: number; graph: Graph } | undefined;

await drive(place, { version: peerVersion('usearch') ?? '', build, search });

function empty(ef: number): Graph {
  return new Index({
    dimensions: dim,
    metric: 'ip',
    quantization,
    connectivity: parameters.m,
    expansion_add: parameters.efConstruction,
    expansion_search: ef,
    multi: false,
  });
}

function build({ m, efConstruction, threads }: Build): Built {
  parameters = { m, efConstruction };
  const graph = empty(64);
  let seconds = 0;
  for (const { first, rows } of place.base()) {
    const keys = BigUint64Array.from({ length: rows.length / dim }, (_, row) => BigInt(first + row));
    seconds += timed(() => graph.add(keys, rows, threads));
  }
  graph.save(file);
  open = { ef: 64, graph };
  return { seconds, indexBytes: statSync(file).size, threads, effort: 'expansion_search' };
}

function search({ queries, ef, k, threads, passing }: Pass) {
  if (open === undefined) throw new Error('search before build');
  if (passing) return unsupported('its binding has no filter');
  if (open.ef !== ef) {
    open = undefined;
    globalThis.gc?.();
    open = { ef, graph: empty(ef) };
    open.graph.load(file);
    // Freshly read memory: one untimed pass, so that no engine is timed on cold pages.
    open.graph.search(queries, k, threads);
  }
  const { graph } = open;
  let found: ReturnType<Graph['search']> | undefined;
  const seconds = timed(() => {
    found = graph.search(queries, k, threads);
  });
  return { seconds, neighbors: found ? neighborsOf(found, queries.length / dim, k) : [] };
}

function neighborsOf(found: ReturnType<Graph['search']>, count: number, k: number): number[][] {
  // A batch of one comes without counts, its keys cut to what was found.
  if (!('counts' in found)) return [Array.from(found.keys, Number)];
  const { keys, counts } = found;
  return Array.from({ length: count }, (_, query) =>
    Array.from(keys.subarray(query * k, query * k + Number(counts[query])), Number),
  );
}
