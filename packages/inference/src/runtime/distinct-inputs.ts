import type { EncoderInput } from '@pelorus/node';
import { type Embeddings, inputKey } from './encoder.js';

/** The distinct inputs in order of appearance; `rows[i]` is where input `i` is among them, null when all differ. */
export function distinctInputs(inputs: readonly EncoderInput[]): {
  distinct: readonly EncoderInput[];
  rows: number[] | null;
} {
  const places = new Map<string, number>();
  const distinct: EncoderInput[] = [];
  const rows = inputs.map((input) => {
    const key = inputKey(input);
    const known = places.get(key);
    if (known !== undefined) return known;
    places.set(key, distinct.length);
    return distinct.push(input) - 1;
  });
  return { distinct, rows: distinct.length === inputs.length ? null : rows };
}

/** Row `rows[i]` of the distinct inputs' embeddings, vector or failure, for each `i`. */
export function spreadRows({ vectors, failures }: Embeddings, rows: readonly number[], dim: number): Embeddings {
  const spread = new Float32Array(rows.length * dim);
  for (const [i, row] of rows.entries()) spread.set(vectors.subarray(row * dim, (row + 1) * dim), i * dim);
  const reasons = new Map(failures.map(({ row, message }) => [row, message]));
  const failed = rows.flatMap((row, i) => {
    const message = reasons.get(row);
    return message === undefined ? [] : [{ row: i, message }];
  });
  return { vectors: spread, failures: failed };
}
