import { expect, test } from 'vitest';
import { AnswerSizes, itemsAskedFor } from '../../src/http/answer-sizes.js';

test('an answer is expected by its items, a kilobyte each before any was seen', () => {
  const sizes = new AnswerSizes();
  expect(sizes.expected('search', 'shop', 10)).toBe(10_240);
  sizes.note('search', 'shop', 10, 60_000);
  expect(sizes.expected('search', 'shop', 2)).toBe(12_000);
  expect(sizes.expected('search', 'other', 2)).toBe(2_048);
  expect(sizes.expected('getDocumentsBatch', 'shop', 2)).toBe(2_048);
});

test('the mean follows the answers', () => {
  const sizes = new AnswerSizes();
  sizes.note('search', 'shop', 1, 1_000);
  sizes.note('search', 'shop', 1, 5_000);
  expect(sizes.expected('search', 'shop', 1)).toBe(2_000);
  for (let answers = 0; answers < 100; answers += 1) sizes.note('search', 'shop', 1, 5_000);
  expect(sizes.expected('search', 'shop', 1)).toBe(5_000);
});

test('the memory for them is bounded', () => {
  const sizes = new AnswerSizes();
  sizes.note('search', 'first', 1, 9_000);
  for (let index = 0; index < 1_000; index += 1) sizes.note('search', `i${index}`, 1, 7_000);
  expect(sizes.expected('search', 'first', 1)).toBe(1_024);
  expect(sizes.expected('search', 'i0', 1)).toBe(7_000);
});

test.each([
  [['a', 'b', 'c'], 3],
  [[], 1],
  [{ documentIds: ['a', 'b'] }, 2],
  [{ q: 'x', limit: 20 }, 20],
  [{ limit: 0 }, 1],
  [Buffer.from('{}'), 1],
  [null, 1],
  [undefined, 1],
])('the body %j asks for %d items', (body, items) => {
  expect(itemsAskedFor(body)).toBe(items);
});
