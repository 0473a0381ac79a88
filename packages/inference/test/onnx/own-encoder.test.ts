import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InputBatch } from '@pelorus/node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EncoderChoice } from '../../src/config.js';
import { openModelFolder } from '../../src/folder/model-folder.js';
import { OnnxEncoder } from '../../src/onnx/onnx-encoder.js';
import { OwnEncoders } from '../../src/onnx/own-encoders.js';
import { resolveModel } from '../../src/registry/resolve.js';
import { cpuBatchPolicy } from '../../src/runtime/batch-policy.js';
import { textInputs } from '../../src/runtime/encoder.js';
import { InferencePool } from '../../src/runtime/inference-pool.js';
import { WorkerSlot } from '../../src/runtime/worker-slot.js';
import { describeEncoder } from '../runtime/encoder-conformance.js';
import { encoder, wordTokenizer } from './onnx-model.js';
import { transformer } from './transformer-model.js';

/** Workers run what is built: a thread of their own knows nothing of the test runner's way to read TypeScript. */
const workers = [0, 1].map(() => new WorkerSlot(new URL('../../dist/onnx/onnx-worker.js', import.meta.url)));
const pool = new InferencePool({ workers, batchPolicy: cpuBatchPolicy(256) });
let directory: string;
let reports: string[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pelorus-inference-'));
});

afterAll(async () => {
  await pool.close();
  await rm(directory, { recursive: true, force: true });
});

const DIM = 8;

async function open(name: string, graph: Uint8Array, choice: EncoderChoice = 'auto', more = {}): Promise<OnnxEncoder> {
  const path = join(directory, name);
  await mkdir(path, { recursive: true });
  await writeFile(join(path, 'model.onnx'), graph);
  await writeFile(join(path, 'tokenizer.json'), wordTokenizer());
  const model = resolveModel(name, { type: 'hf', name: `test/${name}`, dimensions: DIM, tokens: 64, ...more });
  const folder = await openModelFolder(path, model.modalities);
  reports = [];
  const own = new OwnEncoders(choice, (message) => reports.push(message));
  return OnnxEncoder.open(pool, model, folder, 'cpu', undefined, own);
}

// The tokenizer knows words `w0` to `w59`, the graph those up to `w45`: the others are ids beyond its table.
const failing = { kind: 'text', text: 'w1 w59' } as const;
const known = () => transformer({ vocabulary: 50 });

describeEncoder('OnnxEncoder on an encoder of Pelorus', { open: () => open('own', known()), failing });
describeEncoder('OnnxEncoder with the same graph on ONNX Runtime', {
  open: () => open('theirs', known(), 'onnxruntime'),
  failing,
});

describe('an encoder of Pelorus', () => {
  const options = { normalize: true, priority: 'document' } as const;
  const texts = Array.from({ length: 60 }, (_, i) =>
    Array.from({ length: 1 + ((i * 17) % 40) }, (_, j) => `w${(i * 7 + j * 3) % 40}`).join(' '),
  );
  const embed = async (from: OnnxEncoder, some: readonly string[]) =>
    (await from.encode(InputBatch.of(textInputs(some)), options)).vectors;

  test('has the vectors that ONNX Runtime has for its graph', async () => {
    const [own, theirs] = [await open('own', known()), await open('own', known(), 'onnxruntime')];
    expect([own.runtime, theirs.runtime]).toEqual(['pelorus', 'onnxruntime']);
    const [found, expected] = [await embed(own, texts), await embed(theirs, texts)];
    for (const [at, component] of found.entries())
      expect(Math.abs(component - (expected[at] ?? Number.NaN))).toBeLessThan(1e-5);
    await Promise.all([own.release(), theirs.release()]);
  });

  test('has the very same vectors for a text alone and in any batch', async () => {
    const own = await open('own', known());
    const together = await embed(own, texts);
    for (const [row, text] of texts.entries()) {
      expect(await embed(own, [text])).toEqual(together.slice(row * DIM, (row + 1) * DIM));
    }
    await own.release();
  });

  test('pools as the model does', async () => {
    const graph = known();
    const [own, theirs] = [await open('cls', graph, 'auto', { poolingMethod: 'cls' }), await open('cls', graph)];
    const [first, mean] = [await embed(own, ['w1 w2 w3']), await embed(theirs, ['w1 w2 w3'])];
    expect(first).not.toEqual(mean);
    await Promise.all([own.release(), theirs.release()]);
  });

  test('is left to ONNX Runtime where the graph is none that is known, and it is told why', async () => {
    const other = await open('other', encoder());
    expect(other.runtime).toBe('onnxruntime');
    expect(reports).toEqual([expect.stringMatching(/^Model other runs on ONNX Runtime: .*ReduceSum.*\.$/)]);
    expect(await embed(other, ['w1'])).toHaveLength(DIM);
    await other.release();
  });

  test('is not asked where the operator wants ONNX Runtime', async () => {
    const theirs = await open('own', known(), 'onnxruntime');
    expect(reports).toEqual([]);
    await theirs.release();
  });

  test('is known before its weights are loaded', async () => {
    const path = join(directory, 'own');
    const model = resolveModel('own', { type: 'hf', name: 'test/own', dimensions: DIM, tokens: 64 });
    const folder = await openModelFolder(path, model.modalities);
    expect(await new OwnEncoders('auto').has(model, folder)).toBe(true);
    expect(await new OwnEncoders('onnxruntime').has(model, folder)).toBe(false);
  });
});
