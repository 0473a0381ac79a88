import type { TokenBatch } from '../runtime/messages.js';

/** Rows of equal length, padded with `padId` and mask 0. Both are `[rows, length]`. */
export function padded(
  batch: TokenBatch,
  rows: number,
  length: number,
  padId: number,
): { ids: BigInt64Array; mask: BigInt64Array } {
  const ids = new BigInt64Array(rows * length);
  const mask = new BigInt64Array(rows * length);
  // Ids are small and not negative: written through the low halves, no BigInt is ever made.
  const idHalves = new Int32Array(ids.buffer);
  const maskHalves = new Int32Array(mask.buffer);
  if (padId !== 0) ids.fill(BigInt(padId));
  let at = 0;
  for (const [row, count] of batch.lengths.entries()) {
    for (let i = 0; i < count; i++) {
      const half = (row * length + i) * 2;
      idHalves[half] = batch.ids[at + i] ?? 0;
      maskHalves[half] = 1;
    }
    at += count;
  }
  return { ids, mask };
}
