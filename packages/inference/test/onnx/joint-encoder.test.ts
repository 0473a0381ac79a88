import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InputBatch } from '@pelorus/node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openModelFolder } from '../../src/folder/model-folder.js';
import { OnnxEncoder } from '../../src/onnx/onnx-encoder.js';
import { resolveModel } from '../../src/registry/resolve.js';
import { cpuBatchPolicy } from '../../src/runtime/batch-policy.js';
import { allVectors, type EncodeOptions, type TensorBatch, textInputs } from '../../src/runtime/encoder.js';
import { InferencePool } from '../../src/runtime/inference-pool.js';
import { WorkerSlot } from '../../src/runtime/worker-slot.js';
import { describeEncoder } from '../runtime/encoder-conformance.js';
import { encoder, type TowerSpec, tower, wordTokenizer } from './onnx-model.js';

const DIM = 8;
const SIZE = 6;
const VALUES = 3 * SIZE * SIZE;
const RAW: EncodeOptions = { normalize: false, priority: 'document' };

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

async function open(name: string, spec: TowerSpec = {}, properties: object = {}): Promise<OnnxEncoder> {
  const path = join(directory, name);
  for (const [folder, graph] of [
    ['text', encoder({ dim: DIM, vocabulary: 50 })],
    ['image', tower({ dim: DIM, ...spec })],
  ] as const) {
    await mkdir(join(path, folder), { recursive: true });
    await writeFile(join(path, folder, 'model.onnx'), graph);
  }
  await writeFile(join(path, 'tokenizer.json'), wordTokenizer());
  const onnx = {
    text: { sources: ['https://x.example/model.onnx'] },
    image: { sources: ['https://x.example/model.onnx'] },
  };
  const model = resolveModel(name, { type: 'open_clip', name, dimensions: DIM, size: SIZE, onnx, ...properties });
  return OnnxEncoder.open(pool, model, await openModelFolder(path, model.modalities), 'cpu');
}

async function withEncoder(encoder: Promise<OnnxEncoder>, use: (encoder: OnnxEncoder) => Promise<void>): Promise<void> {
  const opened = await encoder;
  try {
    await use(opened);
  } finally {
    await opened.release();
  }
}

/** Pictures whose values all differ, and the vectors that the tower makes of them. */
function pictures(count: number): { tensors: () => TensorBatch; expected: Float32Array } {
  const values = Float32Array.from({ length: count * VALUES }, (_, i) => Math.cos(i * 0.37));
  const expected = new Float32Array(count * DIM);
  for (let row = 0; row < count; row++) {
    for (let d = 0; d < DIM; d++) {
      let sum = 0;
      for (let c = 0; c < 3; c++) {
        for (let i = 0; i < SIZE * SIZE; i++) {
          sum += (values[row * VALUES + c * SIZE * SIZE + i] ?? 0) * Math.sin(1 + (c * DIM + d) * 1.3);
        }
      }
      expected[row * DIM + d] = sum;
    }
  }
  return { tensors: () => ({ values: values.slice(), shape: [3, SIZE, SIZE] }), expected };
}

function expectClose(received: Float32Array, expected: Float32Array, tolerance: number): void {
  expect(received).toHaveLength(expected.length);
  for (const [i, value] of expected.entries())
    expect(Math.abs((received[i] ?? Number.NaN) - value)).toBeLessThan(tolerance);
}

describeEncoder('OnnxEncoder of a joint model', {
  open: () => open('joint'),
  failing: { kind: 'text', text: 'w1 w59' },
});

describe('pictures', () => {
  test.each([
    ['any-batch', {}, 1e-4],
    ['batch-of-one', { batch: 1 }, 1e-4],
    ['batch-of-three', { batch: 3 }, 1e-4],
    ['leading-axis', { leadingAxis: true }, 1e-4],
    ['half', { half: true }, 0.05],
  ] as const)('have their vectors, whatever the graph takes at once: %s', (name, spec, tolerance) =>
    withEncoder(open(name, spec), async (encoder) => {
      const { tensors, expected } = pictures(40);
      expectClose(allVectors(await encoder.encodeTensors('image', tensors(), RAW)), expected, tolerance);
      const unit = allVectors(await encoder.encodeTensors('image', tensors(), { ...RAW, normalize: true }));
      expect(Math.hypot(...unit.subarray(0, DIM))).toBeCloseTo(1, 5);
    }),
  );

  test('fail alone where they have no finite vector', () =>
    withEncoder(open('not-finite'), async (encoder) => {
      const { tensors, expected } = pictures(10);
      const batch = tensors();
      batch.values[4 * VALUES] = Number.NaN;
      const { vectors, failures } = await encoder.encodeTensors('image', batch, RAW);
      expect(failures).toEqual([{ row: 4, message: 'its vector holds what is not a finite number' }]);
      expectClose(vectors.subarray(5 * DIM), expected.subarray(5 * DIM), 1e-4);
      expect(vectors.subarray(4 * DIM, 5 * DIM)).toEqual(new Float32Array(DIM));
    }));

  test('are answered beside texts, queries and documents', () =>
    withEncoder(open('mixed'), async (encoder) => {
      const { tensors, expected } = pictures(30);
      const text = () => InputBatch.of(textInputs(['w1 w2', 'w3']));
      const alone = allVectors(await encoder.encode(text(), RAW));
      const [documents, texts, query] = await Promise.all([
        encoder.encodeTensors('image', tensors(), RAW),
        encoder.encode(text(), RAW),
        encoder.encodeTensors('image', tensors(), { ...RAW, priority: 'query' }),
      ]);
      expectClose(allVectors(documents), expected, 1e-4);
      expectClose(allVectors(query), expected, 1e-4);
      expect(texts.vectors).toEqual(alone);
    }));

  test('nothing is given for none', () =>
    withEncoder(open('none'), async (encoder) => {
      const none = { values: new Float32Array(0), shape: [3, SIZE, SIZE] };
      expect(await encoder.encodeTensors('image', none, RAW)).toEqual({ vectors: new Float32Array(0), failures: [] });
    }));
});

test('a text has the same bits alone and among others, and its padding changes nothing', () =>
  withEncoder(open('bits'), async (encoder) => {
    const inputs = textInputs(
      Array.from({ length: 60 }, (_, i) =>
        Array.from({ length: 1 + (i % 30) }, (_, j) => `w${(i + j) % 40}`).join(' '),
      ),
    );
    const together = allVectors(await encoder.encode(InputBatch.of(inputs), RAW));
    for (const [row, input] of inputs.entries()) {
      const alone = allVectors(await encoder.encode(InputBatch.of([input]), RAW));
      expect(alone).toEqual(together.slice(row * DIM, (row + 1) * DIM));
    }
  }));

test('graphs that are not of this model are refused when it is loaded', async () => {
  await expect(open('wrong-width', { dim: 4 })).rejects.toThrow('its vectors have 4 dimensions, its properties say 8');
  await expect(open('a-text', {}, { type: 'clip', dimensions: 9 })).rejects.toThrow(
    'have 8 dimensions, its properties say 9',
  );
});

test('a medium that the model does not take is refused', () =>
  withEncoder(open('no-sound'), async (encoder) => {
    const sound = { values: new Float32Array(6), shape: [1, 6] };
    await expect(encoder.encodeTensors('audio', sound, RAW)).rejects.toThrow('The model does not take audio');
  }));

test('a model of LanguageBind has four towers, each for its shape', async () => {
  const path = join(directory, 'languagebind');
  const graphs = {
    text: encoder({ dim: DIM }),
    image: tower({ dim: DIM, axes: [224, 224] }),
    video: tower({ dim: DIM, axes: [8, 224, 224], batch: 1 }),
    audio: tower({ dim: DIM, axes: [112, 1036] }),
  };
  for (const [name, graph] of Object.entries(graphs)) {
    await mkdir(join(path, name), { recursive: true });
    await writeFile(join(path, name, 'model.onnx'), graph);
  }
  await writeFile(join(path, 'tokenizer.json'), wordTokenizer());
  const model = resolveModel('LanguageBind/Video_V1.5_FT_Audio_FT_Image');
  const folder = await openModelFolder(path, model.modalities);
  await withEncoder(OnnxEncoder.open(pool, { ...model, dimensions: DIM }, folder, 'cpu'), async (encoder) => {
    expect(allVectors(await encoder.encode(InputBatch.of(textInputs(['w1 w2'])), RAW))).toHaveLength(DIM);
    for (const [medium, shape] of [
      ['image', [3, 224, 224]],
      ['video', [3, 8, 224, 224]],
      ['audio', [3, 112, 1036]],
    ] as const) {
      const length = shape.reduce((product, size) => product * size, 1);
      // Ones in the first channel: the sum of one channel times its weights.
      const values = new Float32Array(2 * length);
      values.fill(1, length, length + length / 3);
      const vectors = allVectors(await encoder.encodeTensors(medium, { values, shape }, RAW));
      const expected = Float32Array.from({ length: DIM }, (_, d) => (length / 3) * Math.sin(1 + d * 1.3));
      expect(vectors.subarray(0, DIM)).toEqual(new Float32Array(DIM));
      for (const [d, value] of vectors.subarray(DIM).entries()) {
        expect(Math.abs(value / (expected[d] ?? Number.NaN) - 1)).toBeLessThan(1e-3);
      }
    }
  });
  const small = { ...model, dimensions: DIM, picture: model.picture && { ...model.picture, size: 32 } };
  await expect(OnnxEncoder.open(pool, small, folder, 'cpu')).rejects.toThrow(
    'its graph takes inputs of shape [3,224,224], its properties say [3,32,32]',
  );
});
