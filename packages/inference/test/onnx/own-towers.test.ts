import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInference, parseModelFile } from '@pelorus/inference';
import { InputBatch } from '@pelorus/node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EncoderChoice, Precision } from '../../src/config.js';
import { openModelFolder } from '../../src/folder/model-folder.js';
import { OnnxEncoder } from '../../src/onnx/onnx-encoder.js';
import { type EncoderMachine, encoderMachine } from '../../src/own/encoder-rule.js';
import { OwnEncoders } from '../../src/own/own-encoders.js';
import { resolveModel } from '../../src/registry/resolve.js';
import { cpuBatchPolicy } from '../../src/runtime/batch-policy.js';
import { allVectors, textInputs } from '../../src/runtime/encoder.js';
import { InferencePool } from '../../src/runtime/inference-pool.js';
import { WorkerSlot } from '../../src/runtime/worker-slot.js';
import { describeEncoder } from '../runtime/encoder-conformance.js';
import { encoder, tower, wordTokenizer } from './onnx-model.js';
import { clipPicture, clipText } from './tower-model.js';

const DIM = 8;
const SIZE = 6;
const options = { normalize: true, priority: 'document' } as const;

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

interface Towers {
  readonly text?: Uint8Array;
  readonly image?: Uint8Array;
}

async function folderOf(name: string, { text = clipText(), image = clipPicture(SIZE) }: Towers) {
  const path = join(directory, name);
  for (const [folder, graph] of Object.entries({ text, image })) {
    await mkdir(join(path, folder), { recursive: true });
    await writeFile(join(path, folder, 'model.onnx'), graph);
  }
  await writeFile(join(path, 'tokenizer.json'), wordTokenizer());
  const source = { sources: ['https://x.example/model.onnx'] };
  const onnx = { text: source, image: source };
  const model = resolveModel(name, { type: 'open_clip', name, dimensions: DIM, size: SIZE, onnx });
  return { model, folder: await openModelFolder(path, model.modalities) };
}

async function open(
  name: string,
  choice: EncoderChoice,
  towers: Towers = {},
  precision: Precision = 'f32',
  machine: EncoderMachine = FAST,
): Promise<OnnxEncoder> {
  const { model, folder } = await folderOf(name, towers);
  reports = [];
  const own = new OwnEncoders(choice, precision, (message) => reports.push(message), undefined, machine);
  return OnnxEncoder.open(pool, model, folder, 'cpu', undefined, own);
}

const FAST: EncoderMachine = { kernels: 'fast', isFast: true, isFastAtPictures: true, hasOnnxRuntime: true };
const FAST_AT_TEXTS: EncoderMachine = { ...FAST, kernels: 'fair', isFastAtPictures: false };
const SLOW: EncoderMachine = { ...FAST_AT_TEXTS, kernels: 'slow', isFast: false };

// The tokenizer knows words `w0` to `w59`, the graph those up to `w45`: the others are ids beyond its table.
const failing = { kind: 'text', text: 'w1 w59' } as const;
describeEncoder('OnnxEncoder on a tower of Pelorus for texts', { open: () => open('own', 'auto'), failing });
describeEncoder('OnnxEncoder on towers of Pelorus', { open: () => open('own', 'pelorus'), failing });
describeEncoder('OnnxEncoder on towers of Pelorus in bfloat16', {
  open: () => open('own-bf16', 'auto', {}, 'bf16'),
  failing,
});
describeEncoder('OnnxEncoder with the same towers on ONNX Runtime', {
  open: () => open('theirs', 'onnxruntime'),
  failing,
});

/** Vectors whose components are apart by no more than `most`. */
function expectClose(received: Float32Array, expected: Float32Array, most = 1e-5): void {
  expect(received).toHaveLength(expected.length);
  const apart = received.map((component, at) => Math.abs(component - (expected[at] ?? Number.NaN)));
  expect(apart.findIndex((distance) => !(distance <= most))).toBe(-1);
}

/** Words in every number that fits, so that rows of filling are left out here and there. */
const texts = Array.from({ length: 30 }, (_, i) =>
  Array.from({ length: 1 + i * 3 }, (_, at) => `w${(i + at * 7) % 45}`).join(' '),
);
const embed = async (from: OnnxEncoder) => allVectors(await from.encode(InputBatch.of(textInputs(texts)), options));
const look = async (at: OnnxEncoder) => allVectors(await at.encodeTensors('image', pictures(9), options));

/** The program that runs both towers where nobody chose one. */
function byDefault({ isFast, isFastAtPictures }: EncoderMachine): OnnxEncoder['runtime'] {
  if (isFast !== isFastAtPictures) return 'both';
  return isFast ? 'pelorus' : 'onnxruntime';
}

const pictures = (count: number) => ({
  values: Float32Array.from({ length: count * 3 * SIZE * SIZE }, (_, i) => Math.cos(i * 0.37) + Math.sin(i * 0.011)),
  shape: [3, SIZE, SIZE],
});

describe('towers of Pelorus', () => {
  test('have the vectors that ONNX Runtime has for their graphs', async () => {
    const [own, theirs] = [await open('own', 'pelorus'), await open('theirs', 'onnxruntime')];
    expectClose(await embed(own), await embed(theirs));
    expectClose(await look(own), await look(theirs));
    await Promise.all([own.release(), theirs.release()]);
  });

  test('have nearly the same vectors in bfloat16', async () => {
    const [own, theirs] = [await open('own', 'auto', {}, 'bf16'), await open('theirs', 'onnxruntime')];
    expectClose(await embed(own), await embed(theirs), 0.05);
    expectClose(await look(own), await look(theirs), 0.05);
    await Promise.all([own.release(), theirs.release()]);
  });

  test('run what ONNX Runtime is no faster at, and all where it is not there or the operator wants it', async () => {
    const factsOf = async (...how: [EncoderChoice, Precision, EncoderMachine]) => {
      const [choice, precision, machine] = how;
      const opened = await open('own', choice, {}, precision, machine);
      await opened.release();
      return [opened.runtime, opened.precision, opened.sharesWeights];
    };
    expect(await factsOf('auto', 'f32', FAST)).toEqual(['pelorus', 'f32', true]);
    expect(reports).toEqual([]);
    expect(await factsOf('auto', 'f32', FAST_AT_TEXTS)).toEqual(['both', 'f32', false]);
    expect(reports).toEqual([
      'Model own runs on ONNX Runtime for image: it is faster at pictures in f32 than the fair kernels of this processor.',
    ]);
    expect(await factsOf('auto', 'f32', SLOW)).toEqual(['onnxruntime', 'f32', false]);
    expect(reports).toEqual([
      expect.stringContaining('for text: it is faster at texts in f32 than the slow kernels'),
      expect.stringContaining('for image: '),
    ]);
    expect(await factsOf('auto', 'bf16', SLOW)).toEqual(['pelorus', 'bf16', true]);
    expect(await factsOf('auto', 'f32', { ...SLOW, hasOnnxRuntime: false })).toEqual(['pelorus', 'f32', true]);
    expect(await factsOf('pelorus', 'f32', SLOW)).toEqual(['pelorus', 'f32', true]);
    expect(reports).toEqual([]);
    expect(await factsOf('onnxruntime', 'f32', FAST)).toEqual(['onnxruntime', 'f32', false]);
    expect(reports).toEqual([]);
  });

  test('run in f32 where int8 is asked for, which has no calibrations for them, and it is told', async () => {
    const own = await open('own', 'auto', {}, 'int8', FAST_AT_TEXTS);
    expect([own.runtime, own.precision]).toEqual(['both', 'f32']);
    expect(reports).toEqual([
      'Model own runs in f32 for text: int8 is for models of texts alone.',
      expect.stringContaining(
        'own runs on ONNX Runtime in f32 for image: it is faster at pictures in f32 than the fair',
      ),
    ]);
    await own.release();
  });

  test('have the very same vectors for a picture alone and in any batch', async () => {
    const own = await open('own', 'auto', {}, 'bf16');
    const { values, shape } = pictures(12);
    const together = allVectors(await own.encodeTensors('image', { values, shape }, options));
    const length = 3 * SIZE * SIZE;
    for (let row = 0; row < 12; row++) {
      const alone = { values: values.slice(row * length, (row + 1) * length), shape };
      const found = allVectors(await own.encodeTensors('image', alone, options));
      expect(found).toEqual(together.slice(row * DIM, (row + 1) * DIM));
    }
    await own.release();
  });

  test('run beside ONNX Runtime where one graph is none that is known, and it is told why', async () => {
    const mixed = await open('mixed', 'auto', { image: tower({ dim: DIM }) }, 'bf16');
    expect([mixed.runtime, mixed.precision, mixed.sharesWeights]).toEqual(['both', 'bf16', false]);
    expect(reports).toEqual([
      expect.stringMatching(/^Model mixed runs in bf16 for text.*\.$/),
      expect.stringMatching(/^Model mixed runs on ONNX Runtime in f32 for image: .*\.$/),
    ]);
    expect(allVectors(await mixed.encode(InputBatch.of(textInputs(['w1'])), options))).toHaveLength(DIM);
    expect(allVectors(await mixed.encodeTensors('image', pictures(2), options))).toHaveLength(2 * DIM);
    // Copies of the graph on ONNX Runtime come and go; the tower has its weights once.
    mixed.setCopies(1);
    expect(allVectors(await mixed.encode(InputBatch.of(textInputs(['w1'])), options))).toHaveLength(DIM);
    await mixed.release();
  });

  test('are known before their weights are loaded', async () => {
    const { model, folder } = await folderOf('known', {});
    const has = (...how: ConstructorParameters<typeof OwnEncoders>) => new OwnEncoders(...how).has(model, folder);
    expect(await has('auto', 'bf16')).toBe(true);
    expect(await has('pelorus')).toBe(true);
    expect(await has('auto', 'f32', undefined, undefined, FAST)).toBe(true);
    expect(await has('auto', 'f32', undefined, undefined, FAST_AT_TEXTS)).toBe(false);
    expect(await has('auto', 'f32', undefined, undefined, { ...FAST_AT_TEXTS, hasOnnxRuntime: false })).toBe(true);
    expect(await has('onnxruntime')).toBe(false);
    const other = await folderOf('unknown', { text: encoder({ dim: DIM, vocabulary: 50 }) });
    expect(await new OwnEncoders('auto', 'bf16').has(other.model, other.folder)).toBe(false);
  });

  test.each([
    [{}, { encoder: byDefault(encoderMachine()), precision: 'f32' }],
    [{ encoder: 'pelorus' }, { encoder: 'pelorus', precision: 'f32' }],
    [
      { encoder: 'auto', encoderPrecision: 'bf16' },
      { encoder: 'pelorus', precision: 'bf16' },
    ],
    [{ encoder: 'onnxruntime' }, { encoder: 'onnxruntime', precision: 'f32' }],
  ] as const)('run what an inference asks for, which its list of models tells: %j', async (config, expected) => {
    const { folder } = await folderOf('listed', {});
    const properties = { type: 'open_clip', name: 'listed', dimensions: DIM, size: SIZE };
    const modelFile = parseModelFile(
      { models: { listed: { folder: folder.path, properties } } },
      join(directory, 'models.json'),
    );
    const own = { modelFile, modelDir: directory, hubUrl: null, mavenCommand: null, threads: 2, ...config };
    const inference = createInference(own);
    try {
      await inference.load(inference.resolve('listed'));
      expect(inference.loaded()).toEqual([{ model_name: 'listed', model_device: 'cpu', ...expected }]);
    } finally {
      await inference.close();
    }
  });
});
