import { readFileSync } from 'node:fs';
import { allVectors, createInference, ensureModel, InputBatch, textInputs } from '@pelorus/inference';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

interface Reference {
  readonly model: string;
  readonly runtime: string;
  readonly cases: readonly { readonly text: string; readonly vector: readonly number[] }[];
}

const references = ['all-minilm-l6-v2', 'e5-small-v2'].map(
  (name) => JSON.parse(readFileSync(new URL(`../fixtures/${name}.json`, import.meta.url), 'utf8')) as Reference,
);

/** Fetching is seconds where it is not minutes. */
const FETCH_MS = 600_000;

describe.each(references)('$model agrees with $runtime', ({ model: name, cases }) => {
  const inference = createInference();
  const model = inference.resolve(name);
  const embed = async (texts: string[]) =>
    allVectors(await inference.embed(model, InputBatch.of(textInputs(texts)), { normalize: true }));
  let vectors: Float32Array;

  beforeAll(async () => {
    await ensureModel(name);
    vectors = await embed(cases.map(({ text }) => text));
  }, FETCH_MS);
  afterAll(() => inference.close());

  test.each(cases.map(({ text, vector }, i) => ({ shown: text.slice(0, 60), vector, i })))(
    '"$shown"',
    ({ vector, i }) => {
      const ours = vectors.subarray(i * model.dimensions, (i + 1) * model.dimensions);
      expect(cosine(ours, vector)).toBeGreaterThanOrEqual(0.99999);
      for (const [at, value] of vector.entries()) expect(Math.abs((ours[at] ?? Number.NaN) - value)).toBeLessThan(1e-4);
    },
  );

  test('a text alone has the vector it has among others', async () => {
    for (const [i, { text }] of cases.entries()) {
      const alone = await embed([text]);
      const among = vectors.subarray(i * model.dimensions, (i + 1) * model.dimensions);
      expect(Math.max(...alone.map((value, at) => Math.abs(value - (among[at] ?? Number.NaN))))).toBeLessThanOrEqual(
        1e-6,
      );
    }
  });
});

function cosine(a: Float32Array, b: readonly number[]): number {
  let dot = 0;
  for (const [i, x] of a.entries()) dot += x * (b[i] ?? Number.NaN);
  return dot / (Math.hypot(...a) * Math.hypot(...b));
}
