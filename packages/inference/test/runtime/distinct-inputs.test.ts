import { expect, test } from 'vitest';
import { distinctInputs, spreadRows } from '../../src/runtime/distinct-inputs.js';
import { textInputs } from '../../src/runtime/encoder.js';

test('repeated inputs are one, in order of appearance', () => {
  expect(distinctInputs(textInputs(['b', 'a', 'b']))).toEqual({ distinct: textInputs(['b', 'a']), rows: [0, 1, 0] });
});

test('inputs that all differ need no rows', () => {
  expect(distinctInputs(textInputs(['b', 'a']))).toEqual({ distinct: textInputs(['b', 'a']), rows: null });
  expect(distinctInputs([])).toEqual({ distinct: [], rows: null });
});

test('rows are spread to where their inputs stood', () => {
  const { vectors } = spreadRows({ vectors: Float32Array.of(1, 2, 3, 4), failures: [] }, [1, 0, 1], 2);
  expect([...vectors]).toEqual([3, 4, 1, 2, 3, 4]);
});

test('a repeated input that failed has failed wherever it stood', () => {
  const message = 'unreadable';
  const embeddings = { vectors: Float32Array.of(1, 2, 0, 0), failures: [{ row: 1, message }] };
  expect(spreadRows(embeddings, [1, 0, 1], 2)).toEqual({
    vectors: Float32Array.of(0, 0, 1, 2, 0, 0),
    failures: [
      { row: 0, message },
      { row: 2, message },
    ],
  });
});
