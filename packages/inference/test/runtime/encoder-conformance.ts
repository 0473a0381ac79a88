import { type EncoderInput, InputBatch } from '@pelorus/node';
import { describe, expect, test } from 'vitest';
import { allVectors, type Encoder, type Priority, textInputs } from '../../src/runtime/encoder.js';

export interface EncoderCase {
  /** Loads the encoder; the test that asked for it releases it. */
  readonly open: () => Promise<Encoder>;
  /** An input that it cannot encode; null for an encoder that takes whatever comes. */
  readonly failing: EncoderInput | null;
}

/** The tolerance between components of two runs of one input. */
const TOLERANCE = 1e-6;

/** Texts of one to forty words `w0` to `w39`, all different. */
const INPUTS = textInputs(
  Array.from({ length: 50 }, (_, i) =>
    Array.from({ length: 1 + ((i * 17) % 40) }, (_, j) => `w${(i * 7 + j * 3) % 40}`).join(' '),
  ),
);

const options = (priority: Priority, normalize = true) => ({ priority, normalize });
const DOCUMENT = options('document');

/** Batches are taken: each call has its own. */
const batchOf = (...inputs: EncoderInput[]) => InputBatch.of(inputs);
const all = () => InputBatch.of(INPUTS);

/** The promises of every {@link Encoder}. */
export function describeEncoder(name: string, { open, failing }: EncoderCase): void {
  async function withEncoder(use: (encoder: Encoder) => Promise<void>): Promise<void> {
    const encoder = await open();
    try {
      await use(encoder);
    } finally {
      await encoder.release();
    }
  }

  const rowOf = (vectors: Float32Array, row: number, { dimensions }: Encoder) =>
    vectors.subarray(row * dimensions, (row + 1) * dimensions);

  describe(`${name} as an encoder`, () => {
    test('gives one flat row for each input, in their order', () =>
      withEncoder(async (encoder) => {
        const { vectors, failures } = await encoder.encode(all(), DOCUMENT);
        expect(failures).toEqual([]);
        expect(vectors).toBeInstanceOf(Float32Array);
        expect(vectors).toHaveLength(INPUTS.length * encoder.dimensions);
        const turned = await encoder.encode(batchOf(...INPUTS.toReversed()), DOCUMENT);
        for (const row of INPUTS.keys()) {
          const there = rowOf(turned.vectors, INPUTS.length - 1 - row, encoder);
          expectClose(there, rowOf(vectors, row, encoder));
        }
      }));

    test('gives nothing for nothing', () =>
      withEncoder(async (encoder) => {
        expect(await encoder.encode(batchOf(), DOCUMENT)).toEqual({
          vectors: new Float32Array(0),
          failures: [],
          parts: [],
        });
      }));

    test('gives an input the same vector alone and among others', () =>
      withEncoder(async (encoder) => {
        const together = allVectors(await encoder.encode(all(), DOCUMENT));
        for (const [row, input] of INPUTS.entries()) {
          expectClose(allVectors(await encoder.encode(batchOf(input), DOCUMENT)), rowOf(together, row, encoder));
        }
      }));

    test('gives equal inputs equal vectors, and others different ones', () =>
      withEncoder(async (encoder) => {
        const [first, second] = INPUTS as [EncoderInput, EncoderInput];
        const vectors = allVectors(await encoder.encode(batchOf(first, second, first), DOCUMENT));
        expectClose(rowOf(vectors, 2, encoder), rowOf(vectors, 0, encoder));
        expect(rowOf(vectors, 1, encoder)).not.toEqual(rowOf(vectors, 0, encoder));
      }));

    test('gives vectors of unit length when asked to, in the direction they have without', () =>
      withEncoder(async (encoder) => {
        const unit = allVectors(await encoder.encode(all(), DOCUMENT));
        const raw = allVectors(await encoder.encode(all(), options('document', false)));
        for (const row of INPUTS.keys()) {
          const vector = rowOf(raw, row, encoder);
          const length = Math.hypot(...vector);
          expectClose(
            rowOf(unit, row, encoder),
            vector.map((component) => component / length),
          );
        }
      }));

    test('gives queries and documents the same vectors', () =>
      withEncoder(async (encoder) => {
        const documents = allVectors(await encoder.encode(all(), DOCUMENT));
        expectClose(allVectors(await encoder.encode(all(), options('query'))), documents);
      }));

    test('answers calls at once as it answers them one by one', () =>
      withEncoder(async (encoder) => {
        const expected = allVectors(await encoder.encode(all(), DOCUMENT));
        const calls = INPUTS.map((input, row) =>
          encoder.encode(batchOf(input), options(row % 2 === 0 ? 'query' : 'document')),
        );
        for (const [row, embeddings] of (await Promise.all(calls)).entries()) {
          expectClose(allVectors(embeddings), rowOf(expected, row, encoder));
        }
      }));

    if (failing !== null) {
      test('lets an input that cannot be encoded fail alone', () =>
        withEncoder(async (encoder) => {
          const expected = allVectors(await encoder.encode(all(), DOCUMENT));
          const mixed = [failing, ...INPUTS.slice(0, 20), failing, ...INPUTS.slice(20)];
          const [{ vectors, failures }, others] = await Promise.all([
            encoder.encode(batchOf(...mixed), DOCUMENT),
            encoder.encode(all(), DOCUMENT),
          ]);
          expect(failures).toEqual([0, 21].map((row) => ({ row, message: expect.stringMatching(/./) })));
          expect(others.failures).toEqual([]);
          for (const [row, input] of mixed.entries()) {
            const vector = rowOf(vectors, row, encoder);
            if (input === failing) expect(vector.every((component) => component === 0)).toBe(true);
            else expectClose(vector, rowOf(expected, INPUTS.indexOf(input), encoder));
          }
          const alone = await encoder.encode(batchOf(failing), options('query'));
          expect(alone.failures).toEqual([{ row: 0, message: expect.stringMatching(/./) }]);
          expect(alone.vectors).toEqual(new Float32Array(encoder.dimensions));
        }));
    }

    test('answers what it was asked before it is released, and is then idle', async () => {
      const encoder = await open();
      const running = encoder.encode(all(), DOCUMENT);
      await encoder.release();
      expect(encoder.isBusy).toBe(false);
      expect((await running).vectors).toHaveLength(INPUTS.length * encoder.dimensions);
    });
  });
}

function expectClose(received: Float32Array, expected: Float32Array): void {
  expect(received).toHaveLength(expected.length);
  const difference = received.reduce(
    (most, value, i) => Math.max(most, Math.abs(value - (expected[i] ?? Number.NaN))),
    0,
  );
  expect(difference).toBeLessThanOrEqual(TOLERANCE);
}
