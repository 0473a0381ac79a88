import { expect, it } from 'vitest';
import { leastCosine, targetOf } from './encoder-figures.ts';

it('finds the row that differs most', () => {
  const a = Float32Array.of(1, 0, 0, 1, 0.6, 0.8);
  expect(leastCosine(a, a, 2)).toBeCloseTo(1, 6);
  expect(leastCosine(a, Float32Array.of(1, 0, 1, 0, 0.6, 0.8), 2)).toBe(0);
});

it('has no cosine for a vector that is missing or not a number', () => {
  expect(leastCosine(Float32Array.of(1, 0), Float32Array.of(1), 2)).toBeNaN();
  expect(leastCosine(Float32Array.of(1, 0, 0, 1), Float32Array.of(1, 0, 0, Number.NaN), 2)).toBeNaN();
});

it('has a target where one is defined', () => {
  expect(targetOf('pictures', 'bf16', 'onnxruntime').target).toEqual({ reach: 1.5, chase: 3 });
  expect(targetOf('pictures', 'int8', 'onnxruntime')).toEqual({});
});
