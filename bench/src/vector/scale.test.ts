import { expect, it } from 'vitest';
import { rowsOf } from './scale.ts';

it('makes a row of each figure that a phase has, with the recall beside times of searches', () => {
  const rows = rowsOf({ phase: 'warm', p50Us: 80, p99Us: 200, recall: 0.99, resident: { own: 2e9, files: 1e8 } });
  expect(rows.map(({ metric, ours, recall }) => [metric, ours, recall])).toEqual([
    ['warm: p50 (us)', 80, 0.99],
    ['warm: p99 (us)', 200, 0.99],
    ['warm: own memory (GB)', 2, null],
    ['warm: pages of files (GB)', 0.1, null],
  ]);
  expect(rowsOf({ phase: 'build', seconds: 3, resident: null })).toHaveLength(1);
});
