import { createInference, InputBatch, textInputs } from '@pelorus/inference';
import { expect, onTestFinished, test } from 'vitest';
import { LoopbackHub } from '../loopback-hub.js';
import { encoder, wordTokenizer } from '../onnx/onnx-model.js';
import { temporaryDirectory } from '../temporary-directory.js';

const REPO = 'house/private';

/** Inference with a hub that is slow, and asks for a token. */
async function setUp() {
  const hub = await LoopbackHub.start();
  hub.put(REPO, 'tokenizer.json', wordTokenizer());
  hub.put(REPO, 'onnx/model.onnx', encoder());
  Object.assign(hub, { token: 'hf_good', delayMs: 100 });
  const modelDir = await temporaryDirectory();
  const inference = createInference({ modelDir, hubUrl: hub.url, mavenCommand: null, threads: 1 });
  onTestFinished(() => inference.close());
  return inference;
}

const inputs = textInputs(['w1']);

test.each(['document', 'query'] as const)('a %s with good credentials does not fail for one without', async (what) => {
  const inference = await setUp();
  const model = inference.resolve('x', { type: 'hf', name: REPO, dimensions: 8 });
  const embed = (token?: string) => {
    const options = { normalize: true, modelAuth: token === undefined ? null : { hf: { token } } };
    if (what === 'query') return inference.embedQuery(model, inputs, options);
    return inference.embed(model, InputBatch.of(inputs), options);
  };
  const [without, good] = await Promise.allSettled([embed(), embed('hf_good')]);
  expect([without?.status, good?.status]).toEqual(['rejected', 'fulfilled']);
});
