import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Precision } from '@pelorus/inference';
import { BENCH } from '../paths.ts';
import type { Target } from '../row.ts';

/** Threads of each encoder. */
export const THREADS = 2;
/** Least cosines to the vectors of ONNX Runtime. */
export const COSINES: Record<Precision, number> = { f32: 0.999999, bf16: 0.9999, int8: 0.998 };

interface NamedTarget extends Target {
  metric: 'texts' | 'query' | 'pictures';
  encoder: Precision;
  peer: string;
}

const TARGETS = JSON.parse(
  readFileSync(join(BENCH, 'definitions', 'inference-targets.json'), 'utf8'),
) as readonly NamedTarget[];

export function targetOf(metric: NamedTarget['metric'], encoder: Precision, peer: string): { target?: Target } {
  const found = TARGETS.find((one) => one.metric === metric && one.encoder === encoder && one.peer === peer);
  return found === undefined ? {} : { target: { reach: found.reach, chase: found.chase } };
}

export const milliseconds = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000;

/** The least figure of all rounds: others on the machine disturb it least. */
export const least = (figures: readonly number[]) => Math.min(...figures);

/** The least of the cosines between rows of unit length. */
export function leastCosine(a: Float32Array, b: Float32Array, dimensions: number): number {
  const cosines = new Float64Array(a.length / dimensions);
  for (const [at, value] of a.entries()) {
    const row = Math.floor(at / dimensions);
    cosines[row] = (cosines[row] ?? 0) + value * (b[at] ?? Number.NaN);
  }
  return cosines.reduce((least, cosine) => Math.min(least, cosine), 1);
}
