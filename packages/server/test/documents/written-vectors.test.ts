import { expect, test } from 'vitest';
import { VectorWriter } from '../../src/documents/written-vectors.js';

const written = async (numbers: readonly number[], dimensions = numbers.length) =>
  (await new VectorWriter().write({ kind: 'many', vectors: Float32Array.from(numbers) }, dimensions)).toString();

test('numbers are written in their shortest form of nine digits', async () => {
  expect(await written([0, -0, 1, -1, 0.25, -0.5, 10, 100, 99_999_992, 1e8, 3.4e38, 1e-45, 1e-5, 0.000123])).toBe(
    '[[0,0,1,-1,0.25,-0.5,10,100,99999992,100000000,3.39999995e+38,1.40129846e-45,0.00000999999975,0.000123000005]]',
  );
});

test('every kind of float is read back as it was', async () => {
  const bits = Uint32Array.from({ length: 40_000 }, (_, at) => Math.imul(at, 2_654_435_761) >>> 0);
  const near = Array.from({ length: 90 }, (_, at) => 10 ** (at / 2 - 38)).flatMap((one) => [one, -one]);
  const edges = near.flatMap((one) => [one, one * (1 - 2 ** -24), one * (1 + 2 ** -23)]);
  const floats = [...new Float32Array(bits.buffer), ...edges.map(Math.fround)].filter(Number.isFinite);
  const sines = Array.from({ length: 50_000 }, (_, at) => Math.fround(Math.sin(at)));
  for (const numbers of [floats, sines]) {
    const [read] = JSON.parse(await written(numbers)) as [number[]];
    expect(read.length).toBe(numbers.length);
    expect(read.findIndex((one, at) => Math.fround(one) !== numbers[at])).toBe(-1);
  }
});

test('rows and sparse vectors have the form of documents', async () => {
  expect(await written([0.5, 1, 2, -3], 2)).toBe('[[0.5,1],[2,-3]]');
  const sparse = await new VectorWriter().write({ kind: 'sparse', indices: [3, 70], weights: [0.1, 12.75] }, 100);
  expect(sparse.toString()).toBe('{"indices":[3,70],"values":[0.1,12.75]}');
});
