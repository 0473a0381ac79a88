import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createInference, type Inference, InputBatch, parseModelFile, textInputs } from '@pelorus/inference';
import { preparePicture } from '@pelorus/node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jointModels, pythonWith } from './python-environment.js';
import { emptyFolder } from './server-process.js';

const SCRIPT = fileURLToPath(new URL('joint_models.py', import.meta.url));
const NAMES = ['clip', 'siglip', 'clipa', 'xlm-roberta', 'mpnet', 'multilingual-clip'];
const DIM = 24;

interface Cases {
  readonly texts: readonly string[];
  /** Base64 of picture files. */
  readonly pictures: readonly string[];
  readonly models: readonly { name: string; properties: Record<string, unknown>; std: [number, number, number] }[];
}

/** Models of every family in small, with random weights: `joint_models.py` says how, and what an independent pipeline gets. */
describe('joint models of texts and pictures', () => {
  const folder = emptyFolder('joint-models');
  let cases: Cases;
  let inference: Inference;

  beforeAll(async () => {
    await promisify(execFile)(pythonWith(jointModels), [SCRIPT, folder]);
    cases = JSON.parse(readFileSync(join(folder, 'cases.json'), 'utf8'));
    const entries = cases.models.map(({ name, properties }) => [name, { folder: name, properties }]);
    const modelFile = parseModelFile({ models: Object.fromEntries(entries) }, join(folder, 'models.json'));
    inference = createInference({ modelFile, hubUrl: null, threads: 2, modelMemory: 100 });
  });
  afterAll(async () => {
    await inference?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const expected = (name: string, of: string) => {
    const bytes = readFileSync(join(folder, `${name}.${of}`));
    return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  };

  const media = {
    headers: {},
    patchMethod: null,
    video: null,
    audio: null,
    fileBytesMax: 1 << 24,
    treated: ['image'] as const,
  };
  const picture = (base64: string) =>
    ({ kind: 'media', pointer: `data:image/png;base64,${base64}`, medium: 'image', patches: false }) as const;

  async function vectorsOf(name: string, inputs: Parameters<typeof InputBatch.of>[0]): Promise<Float32Array> {
    const options = { normalize: true, media };
    const { vectors, failures } = await inference.embed(inference.resolve(name), InputBatch.of(inputs), options);
    expect(failures.slice(0, 3)).toEqual([]);
    return vectors;
  }

  const rowOf = (vectors: Float32Array, row: number) => vectors.subarray(row * DIM, (row + 1) * DIM);
  const cosine = (a: Float32Array, b: Float32Array) =>
    a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0) / (Math.hypot(...a) * Math.hypot(...b));

  function expectRows(received: Float32Array, wanted: Float32Array, least: number): void {
    expect(received).toHaveLength(wanted.length);
    for (let row = 0; row < wanted.length / DIM; row++) {
      expect(cosine(rowOf(received, row), rowOf(wanted, row)), `row ${row}`).toBeGreaterThanOrEqual(least);
    }
  }

  describe.each(NAMES)('%s', (name) => {
    test('gives texts the vectors of the original pipeline', async () => {
      expect(cases.texts.length).toBeGreaterThanOrEqual(200);
      expectRows(await vectorsOf(name, textInputs(cases.texts)), expected(name, 'texts'), 0.9999);
    });

    test('prepares pictures to within one grey level of Pillow', () => {
      const preparation = inference.resolve(name).picture;
      if (preparation === null) throw new Error(`${name} takes no pictures`);
      const wanted = expected(name, 'tensors');
      const { std = [1, 1, 1] } = cases.models.find((model) => model.name === name) ?? {};
      const length = 3 * preparation.size ** 2;
      for (const [row, base64] of cases.pictures.entries()) {
        const bytes = Buffer.from(base64, 'base64');
        const { values } = preparePicture(bytes, preparation, null, { bytesMax: 1 << 24, pixelsMax: 1 << 24 });
        expect(values).toHaveLength(length);
        const levels = values.reduce((most, value, i) => {
          const channel = Math.floor(i / preparation.size ** 2);
          const difference = Math.abs(value - (wanted[row * length + i] ?? Number.NaN));
          return Math.max(most, difference * (std[channel] ?? 1) * 255);
        }, 0);
        expect(levels, `picture ${row}`).toBeLessThanOrEqual(1.001);
      }
    });

    test('gives pictures the vectors of the original pipeline', async () => {
      expect(cases.pictures.length).toBeGreaterThanOrEqual(200);
      expectRows(await vectorsOf(name, cases.pictures.map(picture)), expected(name, 'pictures'), 0.9999);
    });

    test('gives an input the same vector alone and among others', async () => {
      const texts = await vectorsOf(name, textInputs(cases.texts));
      const pictures = await vectorsOf(name, cases.pictures.map(picture));
      for (let row = 0; row < cases.texts.length; row += 5) {
        // Bit for bit: towers run one text at a time.
        expect(await vectorsOf(name, textInputs([cases.texts[row] ?? '']))).toEqual(rowOf(texts, row).slice());
      }
      for (let row = 0; row < cases.pictures.length; row += 10) {
        const alone = await vectorsOf(name, [picture(cases.pictures[row] ?? '')]);
        expect(cosine(alone, rowOf(pictures, row))).toBeGreaterThanOrEqual(0.999999);
      }
    });
  });

  test('are listed once each, and leave memory with all their towers', async () => {
    for (const name of NAMES) await inference.load(inference.resolve(name));
    expect(
      inference
        .loaded()
        .map(({ model_name }) => model_name)
        .sort(),
    ).toEqual([...NAMES].sort());
    for (const name of NAMES) await inference.eject(name);
    expect(inference.loaded()).toEqual([]);
  });
});
