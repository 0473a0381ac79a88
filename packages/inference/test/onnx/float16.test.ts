import { expect, test } from 'vitest';
import { fromFloat16, toFloat16 } from '../../src/onnx/float16.js';

const halves = Uint16Array.from({ length: 65536 }, (_, i) => i);

test('every number of half precision survives both ways', () => {
  const floats = fromFloat16(halves);
  for (const [i, half] of toFloat16(floats).entries()) {
    if (Number.isNaN(floats[i])) expect(half & 0x7fff).toBeGreaterThan(0x7c00);
    else expect(half).toBe(i);
  }
});

test('a number between two becomes the nearer one, the even one in the middle', () => {
  const floats = fromFloat16(halves.subarray(0, 0x7c00));
  for (let i = 0; i + 1 < floats.length; i += 7) {
    const [low = 0, high = 0] = floats.subarray(i, i + 2);
    const middle = (low + high) / 2;
    const even = i % 2 === 0 ? i : i + 1;
    const [below, exact, above] = toFloat16(
      Float32Array.of(low + (high - low) * 0.4, middle, low + (high - low) * 0.6),
    );
    expect([below, exact, above]).toEqual([i, even, i + 1]);
    expect(toFloat16(Float32Array.of(-middle))[0]).toBe(even | 0x8000);
  }
});

test('numbers that are too large become infinite, and NaN stays NaN', () => {
  const inputs = Float32Array.of(65504, 65519, 65520, 1e30, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY);
  expect([...toFloat16(inputs)]).toEqual([0x7bff, 0x7bff, 0x7c00, 0x7c00, 0x7c00, 0xfc00]);
  expect(fromFloat16(toFloat16(Float32Array.of(Number.NaN)))[0]).toBeNaN();
  expect([...toFloat16(Float32Array.of(0, -0, 2 ** -24, 2 ** -26))]).toEqual([0, 0x8000, 1, 0]);
});
