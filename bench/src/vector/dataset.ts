import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PassRate, QuerySet } from './engine.ts';

/** The description of generated data; see `bench/vector/src/dataset.rs`, which also describes the files. */
export interface DatasetDescription {
  definition: object;
  count: number;
  randomPairCosine: number;
  lastNeighborCosine: number;
}

export function describe(directory: string): DatasetDescription | null {
  const file = join(directory, 'dataset.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as DatasetDescription) : null;
}

export function readFloats(directory: string, name: 'base' | QuerySet): Float32Array {
  const bytes = readFileSync(join(directory, `${name}.f32`));
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
}

/** The ids that a filter lets pass, ascending. */
export function readFilter(directory: string, passRate: PassRate): Uint32Array {
  return readIds(join(directory, `filter-${passRate}.u32`));
}

/** The exact neighbors of each query, nearest first: `k`, or fewer where fewer pass. */
export function readTruth(directory: string, dim: number, set: QuerySet, passRate?: PassRate): Uint32Array[] {
  const filter = passRate === undefined ? '' : `-${passRate}`;
  const ids = readIds(join(directory, `truth-${set}${filter}.u32`));
  const queries = readFloats(directory, set).length / dim;
  const width = ids.length / queries;
  return Array.from({ length: queries }, (_, row) => ids.subarray(row * width, (row + 1) * width));
}

function readIds(file: string): Uint32Array {
  const bytes = readFileSync(file);
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
}
