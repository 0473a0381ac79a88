import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InputBatch } from '@pelorus/node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

describe('a chunk that has more tokens than the model reads', () => {
  const options = { normalize: true, priority: 'document' } as const;
  const words = (count: number, from = 0) =>
    Array.from({ length: count }, (_, at) => `w${(from + at * 7) % 40}`).join(' ');
  const chunk = (prefix: string, text: string) =>
    ({ kind: 'chunk', text: prefix + text, prefixBytes: Buffer.byteLength(prefix) }) as const;

  test('has a vector for each part of it, with the prefix, and others have theirs', async () => {
    const encoder = await open('parts', { vocabulary: 50 });
    const [short, long, prefix] = [words(5, 1), words(150), 'w44 w45 '];
    const inputs = InputBatch.of([chunk(prefix, short), chunk(prefix, long), { kind: 'text', text: long }]);
    const { vectors, failures, parts } = await encoder.encode(inputs, options);
    expect(failures).toEqual([]);
    expect(parts.map(({ row }) => row)).toEqual([1]);
    const chunks = parts[0]?.chunks ?? [];
    expect(chunks.join(' ')).toBe(long);
    expect(chunks.length).toBeGreaterThan(2);
    // Each by itself: two special tokens, two words of the prefix, sixty of the text.
    for (const one of chunks) expect(one.split(' ').length).toBeLessThanOrEqual(60);
    const alone = [short, ...chunks].map((one) => ({ kind: 'text', text: prefix + one }) as const);
    const expected = await encoder.encode(InputBatch.of([...alone, { kind: 'text', text: long }]), options);
    expect(vectors).toHaveLength(expected.vectors.length);
    for (const [at, value] of vectors.entries()) expect(value).toBeCloseTo(expected.vectors[at] as number, 5);
    await encoder.release();
  });

  test('fails as a whole where a part of it cannot be encoded', async () => {
    const encoder = await open('failing-parts', { vocabulary: 50 });
    const inputs = InputBatch.of([
      chunk('', words(150)),
      chunk('', `${words(100)} w59`),
      chunk('', words(3)),
      { kind: 'text', text: 'w59' },
    ]);
    const { vectors, failures, parts } = await encoder.encode(inputs, options);
    expect(failures.map(({ row }) => row)).toEqual([1, 3]);
    expect(parts.map(({ row }) => row)).toEqual([0, 1]);
    const rows = 2 + parts.reduce((sum, { chunks }) => sum + chunks.length, 0);
    expect(vectors).toHaveLength(rows * DIM);
    await encoder.release();
  });
});
