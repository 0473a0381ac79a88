import { allVectors, createInference, type Inference, InputBatch, localModels, textInputs } from '@pelorus/inference';
import { expect, test } from 'vitest';

/** Real models of each kind, as far as their files are on this machine; the default one is on every machine with tests. */
const MODELS = [
  'hf/all-MiniLM-L6-v2',
  'hf/e5-small-v2',
  'hf/e5-base-v2',
  'hf/bge-small-en-v1.5',
  'hf/bge-base-en-v1.5',
  'open_clip/ViT-B-32/laion2b_s34b_b79k',
  'open_clip/ViT-B-32/openai',
];
const local = new Set((await localModels()).map(({ name }) => name));

/** The length of a text in words: from one to more than any of the models takes, which then leaves out the rest. */
const lengths = [1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 610];
const words = 'warm waterproof shoes for long winter walks, über 2,000 km: café at 北京 no. 7 “unbelievably”'.split(
  ' ',
);
const texts = lengths.map((length, seed) => {
  const text = Array.from({ length }, (_, at) => words[(at * (seed + 3) + ((at * at) % 7)) % words.length]).join(' ');
  return seed % 2 === 0 ? text : `query: ${text}`;
});

test.for(MODELS.filter((name) => local.has(name)))(
  '%s has the vectors of ONNX Runtime on our encoder',
  async (name) => {
    const [ours, theirs] = [await vectors(name, 'pelorus'), await vectors(name, 'onnxruntime')];
    const dimensions = ours.length / texts.length;
    for (const row of texts.keys()) {
      const [a, b] = [ours, theirs].map((all) => all.subarray(row * dimensions, (row + 1) * dimensions));
      expect(cosine(a, b), texts[row]?.slice(0, 60)).toBeGreaterThanOrEqual(0.999999);
    }
  },
);

test('the default model is among those that are compared', () => {
  expect(local).toContain('hf/all-MiniLM-L6-v2');
});

async function vectors(name: string, encoder: 'pelorus' | 'onnxruntime'): Promise<Float32Array> {
  const inference: Inference = createInference({ encoder, hubUrl: null, mavenCommand: null, threads: 2 });
  try {
    const model = inference.resolve(name);
    const found = allVectors(await inference.embed(model, InputBatch.of(textInputs(texts)), { normalize: true }));
    expect(inference.loaded()).toMatchObject([{ encoder: model.modalities.length > 1 ? expect.any(String) : encoder }]);
    return found;
  } finally {
    await inference.close();
  }
}

function cosine(a: Float32Array = new Float32Array(), b: Float32Array = new Float32Array()): number {
  let dot = 0;
  for (const [i, x] of a.entries()) dot += x * (b[i] ?? Number.NaN);
  return dot / (Math.hypot(...a) * Math.hypot(...b));
}
