import { rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answerLines } from '../../line-process.ts';
import { loadPeer } from '../../peers.ts';
import { readFloats } from '../dataset.ts';
import type { Built, EngineCommand, Searched } from '../engine.ts';
import { overheadUs, rowsOf } from './rows.ts';

interface Graph {
  initIndex(options: { maxElements: number; m: number; efConstruction: number; randomSeed: number }): void;
  addPoint(point: number[], label: number): void;
  setEf(ef: number): void;
  searchKnn(query: number[], k: number): { neighbors: number[] };
  writeIndexSync(file: string): void;
}

const { HierarchicalNSW } = loadPeer<{ HierarchicalNSW: new (space: 'ip', dim: number) => Graph }>('hnswlib-node');
const [directory = '', dimText = ''] = process.argv.slice(2);
const dim = Number(dimText);
// The binding takes plain arrays; they are made before any clock runs.
const queries = rowsOf(readFloats(directory, 'queries'), dim).map((row) => Array.from(row));
let graph: Graph | undefined;

await answerLines((command: EngineCommand): Built | Searched => {
  if (command.op === 'build') return build(command.m, command.efConstruction);
  if (graph === undefined) throw new Error('search before build');
  return search(graph, command.ef, command.k);
});

function build(m: number, efConstruction: number): Built {
  const rows = rowsOf(readFloats(directory, 'base'), dim);
  const built = new HierarchicalNSW('ip', dim);
  built.initIndex({ maxElements: rows.length, m, efConstruction, randomSeed: 1 });
  let seconds = 0;
  rows.forEach((row, label) => {
    const point = Array.from(row);
    const started = performance.now();
    built.addPoint(point, label);
    seconds += (performance.now() - started) / 1000;
  });
  graph = built;
  return { seconds, indexBytes: sizeOf(built), overheadUs: overhead() };
}

function search(graph: Graph, ef: number, k: number): Searched {
  graph.setEf(ef);
  const started = performance.now();
  const neighbors = queries.map((query) => graph.searchKnn(query, k).neighbors);
  return { seconds: (performance.now() - started) / 1000, neighbors };
}

function overhead(): number {
  const one = new HierarchicalNSW('ip', dim);
  one.initIndex({ maxElements: 1, m: 16, efConstruction: 10, randomSeed: 1 });
  one.addPoint(queries[0] ?? [], 0);
  return overheadUs(queries, (query) => one.searchKnn(query, 1));
}

/** The file holds what memory holds: vectors, links and labels. */
function sizeOf(graph: Graph): number {
  const file = join(tmpdir(), `pelorus-bench-${process.pid}.hnswlib`);
  graph.writeIndexSync(file);
  const { size } = statSync(file);
  rmSync(file);
  return size;
}
