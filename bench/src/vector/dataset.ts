import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The members of a data set's definition that the harness itself reads. */
export interface DatasetDefinition {
  count: number;
  dim: number;
  queries: number;
  k: number;
}

/** What was generated; see `bench/vector/src/dataset.rs`, which also says what the files hold. */
export interface DatasetDescription {
  definition: DatasetDefinition;
  randomPairCosine: number;
  lastNeighborCosine: number;
}

export function describe(directory: string): DatasetDescription | null {
  const file = join(directory, 'dataset.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as DatasetDescription) : null;
}

export function readFloats(directory: string, name: 'base' | 'queries'): Float32Array {
  const bytes = readFileSync(join(directory, `${name}.f32`));
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
}

/** `[queries][k]`, nearest first. */
export function readTruth(directory: string, k: number): Uint32Array[] {
  const bytes = readFileSync(join(directory, 'truth.u32'));
  const ids = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  return Array.from({ length: ids.length / k }, (_, row) => ids.subarray(row * k, (row + 1) * k));
}
