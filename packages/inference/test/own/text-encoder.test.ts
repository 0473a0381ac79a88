import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InputBatch } from '@pelorus/node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EncoderChoice, Precision } from '../../src/config.js';
import { openModelFolder } from '../../src/folder/model-folder.js';
import { OnnxEncoder } from '../../src/onnx/onnx-encoder.js';
import { OwnEncoders } from '../../src/own/own-encoders.js';
import { encoderThreads, OwnTextEncoder } from '../../src/own/text-encoder.js';
import { resolveModel } from '../../src/registry/resolve.js';
import { cpuBatchPolicy } from '../../src/runtime/batch-policy.js';
import { type Encoder, type EncodeTimings, textInputs } from '../../src/runtime/encoder.js';
import { InferencePool } from '../../src/runtime/inference-pool.js';
import { WorkerSlot } from '../../src/runtime/worker-slot.js';
import { type Checkpoint, checkpoint } from '../onnx/checkpoint.js';
import { encoder, wordTokenizer } from '../onnx/onnx-model.js';
import { transformer } from '../onnx/transformer-model.js';
import { describeEncoder } from '../runtime/encoder-conformance.js';

/** Workers run what is built: a thread of their own knows nothing of the test runner's way to read TypeScript. */
const workers = [0, 1].map(() => new WorkerSlot(new URL('../../dist/onnx/onnx-worker.js', import.meta.url)));
const policy = cpuBatchPolicy(256);
const pool = new InferencePool({ workers, batchPolicy: policy });
const threads = encoderThreads(2, policy);
let directory: string;
let reports: string[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pelorus-inference-'));
});

afterAll(async () => {
  await Promise.all([pool.close(), threads.close()]);
  await rm(directory, { recursive: true, force: true });
});

const DIM = 8;

async function open(
  name: string,
  files: Uint8Array | Checkpoint,
  choice: EncoderChoice = 'pelorus',
  more = {},
  precision: Precision = 'f32',
): Promise<Encoder> {
  const path = join(directory, name);
  await mkdir(path, { recursive: true });
  const named = files instanceof Uint8Array ? { 'model.onnx': files } : files;
  for (const [file, content] of Object.entries(named)) await writeFile(join(path, file), content);
  await writeFile(join(path, 'tokenizer.json'), wordTokenizer());
  const model = resolveModel(name, { type: 'hf', name: `test/${name}`, dimensions: DIM, tokens: 64, ...more });
  const folder = await openModelFolder(path, model.modalities);
  reports = [];
  const own = new OwnEncoders(choice, precision, (message) => reports.push(message));
  const weights = await own.open(model, folder);
  if (weights === null) return OnnxEncoder.open(pool, model, folder, 'cpu');
  return OwnTextEncoder.open(threads, model, folder, weights, precision);
}

// The tokenizer knows words `w0` to `w59`, the graph those up to `w45`: the others are ids beyond its table.
const failing = { kind: 'text', text: 'w1 w59' } as const;
const known = () => transformer({ vocabulary: 50 });

describeEncoder('OwnTextEncoder', { open: () => open('own', known()), failing });
describeEncoder('OnnxEncoder with the same graph on ONNX Runtime', {
  open: () => open('theirs', known(), 'onnxruntime'),
  failing,
});

describeEncoder('OwnTextEncoder without a graph', {
  open: () => open('checkpoint', checkpoint({ vocabulary: 50 }), 'onnxruntime'),
  failing,
});

describe('an encoder of Pelorus', () => {
  const options = { normalize: true, priority: 'document' } as const;
  const texts = Array.from({ length: 60 }, (_, i) =>
    Array.from({ length: 1 + ((i * 17) % 40) }, (_, j) => `w${(i * 7 + j * 3) % 40}`).join(' '),
  );
  const embed = async (from: Encoder, some: readonly string[]) =>
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
    const [own, theirs] = [await open('cls', graph, 'pelorus', { poolingMethod: 'cls' }), await open('cls', graph)];
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

  test('runs in bf16 where the operator wants it, and it is told', async () => {
    const [own, exact] = [await open('own', known(), 'pelorus', {}, 'bf16'), await open('own', known())];
    expect([own.precision, exact.precision]).toEqual(['bf16', 'f32']);
    const [found, expected] = [await embed(own, texts), await embed(exact, texts)];
    expect(found).not.toEqual(expected);
    for (const [at, component] of found.entries())
      expect(Math.abs(component - (expected[at] ?? Number.NaN))).toBeLessThan(0.03);
    expect(await embed(own, texts.slice(3, 4))).toEqual(found.slice(3 * DIM, 4 * DIM));
    await Promise.all([own.release(), exact.release()]);
    const again = await open('own', known(), 'pelorus', {}, 'bf16');
    expect(reports).toEqual([expect.stringMatching(/^Model own runs in bf16/)]);
    await again.release();
    const other = await open('other', encoder(), 'pelorus', {}, 'bf16');
    expect([other.runtime, other.precision]).toEqual(['onnxruntime', 'f32']);
    expect(reports).toEqual([expect.stringMatching(/^Model other runs on ONNX Runtime in f32: /)]);
    await other.release();
  });

  test('is not missed where the graph is none that is known: int8 or not, it is left to ONNX Runtime', async () => {
    const other = await open('other', encoder(), 'auto', {}, 'int8');
    expect([other.runtime, other.precision]).toEqual(['onnxruntime', 'f32']);
    expect(reports).toEqual([expect.stringMatching(/^Model other runs on ONNX Runtime in f32: /)]);
    await other.release();
    await expect(open('own', known(), 'auto', {}, 'int8')).rejects.toThrow(/^Model own cannot run in int8: /);
  });

  test('has the same vectors for weights without a graph, whatever program the operator wants', async () => {
    const theirs = await open('own', known(), 'onnxruntime');
    const expected = await embed(theirs, texts);
    for (const choice of ['auto', 'onnxruntime'] as const) {
      const own = await open('checkpoint', checkpoint({ vocabulary: 50 }), choice);
      expect(own.runtime).toBe('pelorus');
      const found = await embed(own, texts);
      for (const [at, component] of found.entries())
        expect(Math.abs(component - (expected[at] ?? Number.NaN))).toBeLessThan(1e-5);
      await own.release();
    }
    await theirs.release();
  });

  test('refuses weights without a graph that it does not know, and says what to do', async () => {
    const advice = 'put model.onnx beside them, as "pelorus models export" makes it';
    const refused = async (name: string, files: Checkpoint, reason: string, more = {}) =>
      expect(open(name, files, 'auto', more)).rejects.toMatchObject({
        code: 'bad_request',
        message: expect.stringContaining(`its weights cannot be run without a graph: ${reason}`),
      });
    const other = checkpoint({}, { model_type: 'deberta' });
    await refused('deberta', other, `its model_type "deberta" is none that is known; ${advice}`);
    await refused('wide', checkpoint(), 'its vectors have 8 dimensions, its properties say 9', { dimensions: 9 });
    const short = checkpoint({ layers: 1 }, { num_hidden_layers: 2 });
    await refused(
      'short',
      short,
      'the file is damaged: it has no tensor "encoder.layer.1.attention.self.query.weight"',
    );
    const whole = checkpoint();
    const cut = { ...whole, 'model.safetensors': whole['model.safetensors'].subarray(0, -8) };
    await refused('cut', cut, 'the file is damaged: ');
  });

  test('is known before its weights are loaded', async () => {
    const path = join(directory, 'own');
    const model = resolveModel('own', { type: 'hf', name: 'test/own', dimensions: DIM, tokens: 64 });
    const folder = await openModelFolder(path, model.modalities);
    expect(await new OwnEncoders('pelorus').has(model, folder)).toBe(true);
    expect(await new OwnEncoders('onnxruntime').has(model, folder)).toBe(false);
    const machine = { kernels: 'some', isFast: true, isFastAtPictures: false, hasOnnxRuntime: true };
    const byDefault = (facts: typeof machine) =>
      new OwnEncoders('auto', 'f32', undefined, undefined, facts).has(model, folder);
    expect(await byDefault(machine)).toBe(true);
    expect(await byDefault({ ...machine, isFast: false })).toBe(false);
    expect(await byDefault({ ...machine, isFast: false, hasOnnxRuntime: false })).toBe(true);
  });

  test('tells how long tokens and vectors took', async () => {
    const own = await open('own', known());
    const told: EncodeTimings[] = [];
    await own.encode(InputBatch.of(textInputs(texts)), { ...options, telemetry: (timings) => told.push(timings) });
    expect(told).toEqual([{ tokenizeMs: expect.any(Number), inferMs: expect.any(Number) }]);
    for (const time of Object.values(told[0] ?? {})) expect(time).toBeGreaterThan(0);
    await own.release();
  });

  test('fails a call that is given up with its reason, and computes what others wait for', async () => {
    const own = await open('own', known());
    const expected = await embed(own, texts);
    const gone = AbortSignal.abort(new Error('gone'));
    const some = () => InputBatch.of(textInputs(texts));
    await expect(own.encode(some(), { ...options, signal: gone })).rejects.toThrow('gone');
    const controller = new AbortController();
    const [given, kept] = [own.encode(some(), { ...options, signal: controller.signal }), embed(own, texts)];
    controller.abort(new Error('gone'));
    await expect(given).rejects.toThrow('gone');
    expect(await kept).toEqual(expected);
    await own.release();
    expect(own.isBusy).toBe(false);
  });

  test('cuts a chunk that is too long into parts, each with its vector', async () => {
    const own = await open('own', known());
    const text = Array.from({ length: 100 }, (_, word) => `w${word % 40}`).join(' ');
    const chunk = { kind: 'chunk', text, prefixBytes: 0 } as const;
    const { vectors, failures, parts } = await own.encode(InputBatch.of([...textInputs(['w1']), chunk]), options);
    expect(failures).toEqual([]);
    expect(parts).toEqual([{ row: 1, chunks: [expect.any(String), expect.any(String)] }]);
    expect(vectors.subarray(DIM)).toEqual(await embed(own, parts[0]?.chunks ?? []));
    await own.release();
  });

  test('refuses what comes when its threads end, after what it was asked before', async () => {
    const ending = encoderThreads(1, policy);
    const path = join(directory, 'own');
    const model = resolveModel('own', { type: 'hf', name: 'test/own', dimensions: DIM, tokens: 64 });
    const folder = await openModelFolder(path, model.modalities);
    const weights = await new OwnEncoders('pelorus').open(model, folder);
    if (weights === null) throw new Error('the graph is known');
    const own = await OwnTextEncoder.open(ending, model, folder, weights, 'f32');
    expect(await embed(own, ['w1'])).toHaveLength(DIM);
    await ending.close();
    await expect(embed(own, ['w1'])).rejects.toMatchObject({
      code: 'service_unavailable',
      status: 503,
      headers: { 'retry-after': '1' },
    });
    await own.release();
  });
});
