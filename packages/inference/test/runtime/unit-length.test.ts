import { allVectors, createInference, InputBatch, textInputs } from '@pelorus/inference';
import { expect, onTestFinished, test } from 'vitest';
import { LoopbackHub } from '../loopback-hub.js';
import { encoder, wordTokenizer } from '../onnx/onnx-model.js';
import { temporaryDirectory } from '../temporary-directory.js';

const REPO = 'sentence-transformers/all-MiniLM-L6-v1';
const HOUSE = 'house/pipeline';

/** Inference with a hub that has two pipelines that end in a normalisation, one of which the registry knows. */
async function setUp() {
  const hub = await LoopbackHub.start();
  for (const [repo, dim] of [
    [REPO, 384],
    [HOUSE, 8],
  ] as const) {
    hub.put(repo, 'tokenizer.json', wordTokenizer());
    hub.put(repo, 'onnx/model.onnx', encoder({ dim }));
    hub.put(repo, 'modules.json', '[{"type": "sentence_transformers.models.Normalize"}]');
  }
  const modelDir = await temporaryDirectory();
  const inference = createInference({ modelDir, hubUrl: hub.url, mavenCommand: null, threads: 1 });
  onTestFinished(() => inference.close());
  /** Tells whether a vector has unit length although that was not asked for. */
  const isUnit = async (name: string, properties?: object) => {
    const model = inference.resolve(name, properties);
    const inputs = InputBatch.of(textInputs(['w1 w2']));
    return Math.abs(Math.hypot(...allVectors(await inference.embed(model, inputs, { normalize: false }))) - 1) < 1e-5;
  };
  return { isUnit };
}

const NAMES = { [`${REPO}`]: true, 'hf/all-MiniLM-L6-v1': false, 'onnx/all-MiniLM-L6-v1': false };

test.each([1, -1])(
  'a pipeline normalises and other encoders do not, whichever fetched the folder (%i)',
  async (way) => {
    const { isUnit } = await setUp();
    const names = Object.keys(NAMES).sort((a, b) => way * a.localeCompare(b));
    const units: Record<string, boolean> = {};
    for (const name of names) units[name] = await isUnit(name);
    expect(units).toEqual(NAMES);
  },
);

test.each([
  [REPO, 384],
  [HOUSE, 8],
])('so it is where properties name %s', async (name, dimensions) => {
  for (const types of [
    ['hf', 'sbert'],
    ['sbert', 'hf'],
  ]) {
    const { isUnit } = await setUp();
    for (const type of types) {
      expect([type, await isUnit('mine', { type, name, dimensions })]).toEqual([type, type === 'sbert']);
    }
  }
});
