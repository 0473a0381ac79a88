import { expect, test } from 'vitest';
import { allVectors, type Encoder } from '../../src/runtime/encoder.js';
import { RandomEncoder } from '../../src/runtime/random-encoder.js';
import { describeEncoder } from './encoder-conformance.js';

describeEncoder('RandomEncoder', { open: async () => new RandomEncoder(32, 'cpu'), failing: null });

test('a tensor has a unit vector of its own, the same in every batch', async () => {
  const encoder: Encoder = new RandomEncoder(32, 'cpu');
  const shape = [3, 2];
  const [one, other] = [Float32Array.of(1, 2, 3, 4, 5, 6), Float32Array.of(1, 2, 3, 4, 5, 7)];
  const options = { normalize: true, priority: 'document' } as const;
  const encode = async (...tensors: Float32Array[]) =>
    allVectors(
      await encoder.encodeTensors(
        'image',
        { values: Float32Array.from(tensors.flatMap((t) => [...t])), shape },
        options,
      ),
    );
  const together = await encode(one, other, one);
  expect(together).toEqual(
    Float32Array.from([...(await encode(one)), ...(await encode(other)), ...(await encode(one))]),
  );
  expect(Math.hypot(...together.subarray(0, 32))).toBeCloseTo(1, 5);
  expect(together.subarray(32, 64)).not.toEqual(together.subarray(0, 32));
});
