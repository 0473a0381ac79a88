import type { EncoderInput } from '@pelorus/inference';
import { expect, test } from 'vitest';
import { queryVectors } from '../../src/search/query-vectors.js';

/** Stands where inference would: a row of two numbers made from the text. */
const embed = async (inputs: EncoderInput[]) => Float32Array.from(inputs.flatMap(({ text = '' }) => [text.length, -1]));
const text = (text: string): EncoderInput => ({ kind: 'text', text });
const refuse = () => Promise.reject(new Error('nothing to embed'));

test('texts and vectors keep their places', async () => {
  const parts = [
    { input: text('abc'), weight: 1 },
    { vector: [0.5, 0.25], weight: -2 },
    { input: text('de'), weight: 3 },
  ];
  expect([...(await queryVectors(parts, 2, embed))]).toEqual([3, -1, 0.5, 0.25, 2, -1]);
});

test('without texts nothing is embedded', async () => {
  expect([...(await queryVectors([{ vector: [1, 2], weight: 1 }], 2, refuse))]).toEqual([1, 2]);
});

test('a vector of another length is refused before anything is embedded', async () => {
  const parts = [
    { input: text('a'), weight: 1 },
    { vector: [1], weight: 1 },
  ];
  await expect(queryVectors(parts, 2, refuse)).rejects.toThrow('Expected dimension 2 but got 1');
});

test('a number beyond 32-bit floating point is refused', async () => {
  await expect(queryVectors([{ vector: [1, 1e39], weight: 1 }], 2, refuse)).rejects.toThrow('1e+39');
});

test('a query of no parts has no vectors', async () => {
  expect(await queryVectors([], 2, refuse)).toEqual(new Float32Array(0));
});
