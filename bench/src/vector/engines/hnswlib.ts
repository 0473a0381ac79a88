// hnswlib through its binding, which takes plain arrays and one call a vector, on one thread.
import { statSync } from 'node:fs';
import { loadPeer, peerVersion } from '../../peers.ts';
import { type Build, type Built, drive, overheadUs, type Pass, Place, rowsOf, timed, unsupported } from './driver.ts';

interface Graph {
  initIndex(options: { maxElements: number; m: number; efConstruction: number; randomSeed: number }): void;
  addPoint(point: number[], label: number): void;
  setEf(ef: number): void;
  searchKnn(query: number[], k: number, filter?: (label: number) => boolean): { neighbors: number[] };
  writeIndexSync(file: string): void;
}

const { HierarchicalNSW } = loadPeer<{ HierarchicalNSW: new (space: 'ip', dim: number) => Graph }>('hnswlib-node');
const place = new Place(process.argv.slice(2));
const { dim } = place;
const arraysOf = (vectors: Float32Array) => rowsOf(vectors, dim).map((row) => Array.from(row));
let graph: Graph | undefined;

await drive(place, { version: peerVersion('hnswlib-node') ?? '', build, search, overhead });

function build({ m, efConstruction }: Build): Built {
  const built = new HierarchicalNSW('ip', dim);
  built.initIndex({ maxElements: place.count, m, efConstruction, randomSeed: 1 });
  let seconds = 0;
  for (const { first, rows } of place.base()) {
    // The array that the binding takes is made before the clock runs, each alone: they are large.
    rowsOf(rows, dim).forEach((row, at) => {
      const point = Array.from(row);
      seconds += timed(() => built.addPoint(point, first + at));
    });
  }
  graph = built;
  return { seconds, indexBytes: sizeOf(built), threads: 1, effort: 'ef' };
}

function search({ queries, ef, k, threads, passing }: Pass) {
  if (graph === undefined) throw new Error('search before build');
  if (threads > 1) return unsupported('its searches run on the thread of JavaScript');
  const { searchKnn } = graph;
  const passes = passing && bitsOf(passing.ids);
  const filter = passes && ((label: number) => passes[label] === 1);
  const points = arraysOf(queries);
  graph.setEf(ef);
  const neighbors: number[][] = [];
  const seconds = timed(() => {
    for (const point of points) neighbors.push(searchKnn.call(graph, point, k, filter).neighbors);
  });
  return { seconds, neighbors };
}

function bitsOf(ids: Uint32Array): Uint8Array {
  const bits = new Uint8Array(place.count);
  for (const id of ids) bits[id] = 1;
  return bits;
}

function overhead(): number {
  const queries = arraysOf(place.rows('queries'));
  const one = new HierarchicalNSW('ip', dim);
  one.initIndex({ maxElements: 1, m: 16, efConstruction: 10, randomSeed: 1 });
  one.addPoint(queries[0] ?? [], 0);
  return overheadUs(queries, (query) => one.searchKnn(query, 1));
}

/** The file holds what memory holds: vectors, links and labels. */
function sizeOf(graph: Graph): number {
  const file = place.scratch('hnswlib');
  graph.writeIndexSync(file);
  return statSync(file).size;
}
