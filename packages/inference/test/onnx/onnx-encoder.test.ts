import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { openModelFolder } from '../../src/folder/model-folder.js';
import { OnnxEncoder } from '../../src/onnx/onnx-encoder.js';
import { resolveModel } from '../../src/registry/resolve.js';
import { cpuBatchPolicy } from '../../src/runtime/batch-policy.js';
import { InferencePool } from '../../src/runtime/inference-pool.js';
import { WorkerSlot } from '../../src/runtime/worker-slot.js';
import { describeEncoder } from '../runtime/encoder-conformance.js';
import { type EncoderSpec, encoder, wordTokenizer } from './onnx-model.js';

/** Workers run what is built: a thread of their own knows nothing of the test runner's way to read TypeScript. */
const workers = [0, 1].map(() => new WorkerSlot(new URL('../../dist/onnx/onnx-worker.js', import.meta.url)));
const pool = new InferencePool({ workers, batchPolicy: cpuBatchPolicy(256) });
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pelorus-inference-'));
});

afterAll(async () => {
  await pool.close();
  await rm(directory, { recursive: true, force: true });
});

const DIM = 8;

async function open(name: string, spec: EncoderSpec, tokenizer = wordTokenizer()): Promise<OnnxEncoder> {
  const path = join(directory, name);
  await mkdir(path, { recursive: true });
  await writeFile(join(path, 'model.onnx'), encoder({ dim: DIM, ...spec }));
  await writeFile(join(path, 'tokenizer.json'), tokenizer);
  const model = resolveModel(name, { type: 'hf', name: `test/${name}`, dimensions: DIM, tokens: 64 });
  return OnnxEncoder.open(pool, model, await openModelFolder(path, model.modalities), 'cpu');
}

// The tokenizer knows words `w0` to `w59`, the graph those up to `w45`: the others are ids beyond its table.
const failing = { kind: 'text', text: 'w1 w59' } as const;

describeEncoder('OnnxEncoder', { open: () => open('any-batch', { vocabulary: 50 }), failing });

describeEncoder('OnnxEncoder with a graph for batches of four', {
  open: () => open('fixed-batch', { vocabulary: 50, batch: 4 }),
  failing,
});

describeEncoder('OnnxEncoder with a vocabulary that has no token for unknown words', {
  open: () => open('closed-vocabulary', {}, wordTokenizer('[NONE]')),
  failing: { kind: 'text', text: 'w1 stranger' },
});

describeEncoder('OnnxEncoder with a graph that computes no finite numbers for some words', {
  open: () => open('not-finite', { finite: 50 }),
  failing,
});
