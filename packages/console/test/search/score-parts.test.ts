import { expect, test } from 'vitest';
import { type Explanation, scorePartsOf } from '../../src/pages/search/score-parts.js';

const node = (operation: Explanation['operation'], value: number, rest: object = {}): Explanation =>
  ({ operation, value, description: '', details: [], ...rest }) as Explanation;
const names = { meaning: 'meaning', words: 'words' };
const toldOf = (explanation: Explanation) => scorePartsOf(explanation, names).map(({ label, value }) => [label, value]);

test('a fused score has a part for each leg', () => {
  const legs = ['tensor', 'lexical'].map((leg, place) =>
    node('reciprocalRank', place + 1, { description: `share of the ${leg} leg` }),
  );
  const fused = node('sum', 3, { details: legs });
  expect(toldOf(fused)).toEqual([
    ['meaning', 1],
    ['words', 2],
  ]);
  expect(toldOf(node('product', 6, { details: [fused, node('value', 2)] }))).toEqual(toldOf(fused));
});

test('BM25 has a part for each field, with all its words', () => {
  const words = [
    ['title', 1],
    ['text', 2],
    ['title', 3],
  ].map(([field, value]) => node('bm25', value as number, { field }));
  expect(toldOf(node('sum', 6, { details: words }))).toEqual([
    ['title', 4],
    ['text', 2],
  ]);
});

test('any other score is its own part', () => {
  expect(toldOf(node('closeness', 0.7, { field: 'text', details: [node('distance', 0.4)] }))).toEqual([
    ['meaning', 0.7],
  ]);
});
