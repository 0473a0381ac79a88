import { rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answerLines } from '../../line-process.ts';
import { loadPeer } from '../../peers.ts';
import { readFloats } from '../dataset.ts';
import type { Built, EngineCommand, Searched } from '../engine.ts';
import { overheadUs, rowsOf } from './rows.ts';

interface Graph {
  add(key: bigint, vector: Float32Array, threads: number): void;
  search(query: Float32Array, k: number, threads: number): { keys: BigUint64Array };
  save(file: string): void;
  load(file: string): void;
}

interface GraphOptions {
  dimensions: number;
  metric: 'ip';
  quantization: 'bf16';
  connectivity: number;
  expansion_add: number;
  expansion_search: number;
  multi: boolean;
}

const { Index } = loadPeer<{ Index: new (options: GraphOptions) => Graph }>('usearch');
const [directory = '', dimText = ''] = process.argv.slice(2);
const dim = Number(dimText);
const queries = rowsOf(readFloats(directory, 'queries'), dim);
const file = join(tmpdir(), `pelorus-bench-${process.pid}.usearch`);
process.once('exit', () => rmSync(file, { force: true }));
let parameters = { m: 16, efConstruction: 200 };
/** The search list is fixed when a graph is made, so each size gets its own, read from the file. */
let open: { ef: number; graph: Graph } | undefined;

await answerLines((command: EngineCommand): Built | Searched =>
  command.op === 'build' ? build(command.m, command.efConstruction) : search(command.ef, command.k),
);

function empty(ef: number): Graph {
  return new Index({
    dimensions: dim,
    metric: 'ip',
    quantization: 'bf16',
    connectivity: parameters.m,
    expansion_add: parameters.efConstruction,
    expansion_search: ef,
    multi: false,
  });
}

function build(m: number, efConstruction: number): Built {
  parameters = { m, efConstruction };
  const rows = rowsOf(readFloats(directory, 'base'), dim);
  const graph = empty(64);
  const started = performance.now();
  rows.forEach((row, key) => {
    graph.add(BigInt(key), row, 1);
  });
  const seconds = (performance.now() - started) / 1000;
  graph.save(file);
  return { seconds, indexBytes: statSync(file).size, overheadUs: overhead() };
}

function search(ef: number, k: number): Searched {
  if (open?.ef !== ef) {
    open = { ef, graph: empty(ef) };
    open.graph.load(file);
  }
  const { graph } = open;
  // Freshly read memory: one untimed pass, so that no engine is timed on cold pages.
  for (const query of queries) graph.search(query, k, 1);
  const started = performance.now();
  const found = queries.map((query) => graph.search(query, k, 1).keys);
  const seconds = (performance.now() - started) / 1000;
  return { seconds, neighbors: found.map((keys) => Array.from(keys, Number)) };
}

function overhead(): number {
  const one = empty(64);
  one.add(0n, queries[0] ?? new Float32Array(dim), 1);
  return overheadUs(queries, (query) => one.search(query, 1, 1));
}
