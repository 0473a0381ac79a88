// zvec, a database in a library: HNSW over f32 vectors, or over int8 codes with its refiner. Its build is a durable
// insert and the `optimize` that makes the graph. Each filter file is a scalar field with an inverted index, which a
// search evaluates anew: it has no filter that is made once.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { loadPeer, peerVersion } from '../../peers.ts';
import { type Build, type Built, drive, overheadUs, type Pass, Place, rowsOf, timed, unsupported } from './driver.ts';

interface Collection {
  insertSync(documents: Document[]): { ok: boolean; message: string }[];
  optimizeSync(): void;
  querySync(query: object): { id: string }[];
}

interface Document {
  id: string;
  vectors: { vector: Float32Array };
  fields: Record<string, number>;
}

interface Zvec {
  ZVecInitialize(options: { queryThreads: number; optimizeThreads: number; logLevel: number }): void;
  ZVecLogLevel: { FATAL: number };
  ZVecCollectionSchema: new (definition: object) => object;
  ZVecCreateAndOpen(path: string, schema: object): Collection;
  ZVecDataType: { VECTOR_FP32: number; INT32: number };
  ZVecIndexType: { HNSW: number; INVERT: number };
  ZVecMetricType: { IP: number };
  ZVecQuantizeType: { UNDEFINED: number; INT8: number };
}

const zvec = loadPeer<Zvec>('@zvec/zvec');
const { HNSW, INVERT } = zvec.ZVecIndexType;
const place = new Place(process.argv.slice(2));
const { dim } = place;
const quantized = place.configuration === 'int8';
/** Names as the files have them, `filter-0.1`. */
const filters = readdirSync(place.directory).flatMap((file) => /^(filter-.*)\.u32$/.exec(file)?.[1] ?? []);
let collection: Collection | undefined;

await drive(place, { version: peerVersion('@zvec/zvec') ?? '', build, search, overhead });

function build({ m, efConstruction, threads }: Build): Built {
  zvec.ZVecInitialize({ queryThreads: 1, optimizeThreads: threads, logLevel: zvec.ZVecLogLevel.FATAL });
  const path = place.scratch('zvec');
  collection = create(path, m, efConstruction);
  const fields = filters.map((name) => ({ field: fieldOf(name), passing: new Set(place.ids(name)) }));
  let seconds = 0;
  for (const { first, rows } of place.base()) {
    const documents = rowsOf(rows, dim).map((vector, row) => ({
      id: String(first + row),
      vectors: { vector },
      fields: Object.fromEntries(fields.map(({ field, passing }) => [field, passing.has(first + row) ? 1 : 0])),
    }));
    seconds += insert(collection, documents);
  }
  seconds += timed(() => collection?.optimizeSync());
  return { seconds, indexBytes: bytesUnder(path), threads, effort: 'ef' };
}

function create(path: string, m: number, efConstruction: number): Collection {
  const schema = new zvec.ZVecCollectionSchema({
    name: 'bench',
    vectors: {
      name: 'vector',
      dataType: zvec.ZVecDataType.VECTOR_FP32,
      dimension: dim,
      indexParams: {
        indexType: HNSW,
        metricType: zvec.ZVecMetricType.IP,
        m,
        efConstruction,
        quantizeType: quantized ? zvec.ZVecQuantizeType.INT8 : zvec.ZVecQuantizeType.UNDEFINED,
      },
    },
    fields: filters.map((name) => ({
      name: fieldOf(name),
      dataType: zvec.ZVecDataType.INT32,
      indexParams: { indexType: INVERT },
    })),
  });
  return zvec.ZVecCreateAndOpen(path, schema);
}

function fieldOf(filter: string): string {
  return filter.replaceAll(/[^a-z0-9]/g, '_');
}

/** In batches of the size that it takes at most. */
function insert(into: Collection, documents: Document[]): number {
  let seconds = 0;
  for (let first = 0; first < documents.length; first += 512) {
    const some = documents.slice(first, first + 512);
    let statuses: { ok: boolean; message: string }[] = [];
    seconds += timed(() => {
      statuses = into.insertSync(some);
    });
    const failed = statuses.find(({ ok }) => !ok);
    if (failed) throw new Error(`zvec did not insert: ${failed.message}`);
  }
  return seconds;
}

function search({ queries, ef, k, threads, passing }: Pass) {
  if (collection === undefined) throw new Error('search before build');
  if (threads > 1) return unsupported('its searches run on the thread of JavaScript');
  if (passing && !filters.includes(passing.name)) throw new Error(`${passing.name} came after the build`);
  const from = collection;
  const rows = rowsOf(queries, dim);
  const found: { id: string }[][] = [];
  const seconds = timed(() => {
    for (const row of rows) found.push(from.querySync(query(row, ef, k, passing?.name)));
  });
  return { seconds, neighbors: found.map((documents) => documents.map(({ id }) => Number(id))) };
}

function query(vector: Float32Array, ef: number, topk: number, filter?: string): object {
  return {
    fieldName: 'vector',
    vector,
    topk,
    outputFields: [],
    ...(filter && { filter: `${fieldOf(filter)} = 1` }),
    params: { indexType: HNSW, ef, ...(quantized && { isUsingRefiner: true }) },
  };
}

/**
 * A query that is refused for its dimension gets through the binding and no further. One against an index of one vector
 * would count zvec's query engine as well, most of what a filtered search costs.
 */
function overhead(): number {
  if (collection === undefined) return 0;
  const from = collection;
  const refused = rowsOf(place.rows('queries'), dim).map((row) => query(row.subarray(1), 10, 10));
  return overheadUs(refused, (short) => {
    try {
      from.querySync(short);
    } catch {
      return;
    }
    throw new Error('zvec answered a query of another dimension');
  });
}

function bytesUnder(path: string): number {
  if (!existsSync(path)) return 0;
  if (!statSync(path).isDirectory()) return statSync(path).size;
  return readdirSync(path).reduce((sum, name) => sum + bytesUnder(join(path, name)), 0);
}
