import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { InputBatch } from '@pelorus/node';
import { expect, test } from 'vitest';
import { calibrateModel } from '../../src/calibration/calibrate-model.js';
import { everydayTexts } from '../../src/calibration/everyday-texts.js';
import type { InferenceConfig, Precision } from '../../src/config.js';
import { createInference } from '../../src/inference.js';
import { encoder, wordTokenizer } from '../onnx/onnx-model.js';
import { transformer } from '../onnx/transformer-model.js';
import { temporaryDirectory } from '../temporary-directory.js';

const DIM = 8;

interface Place {
  readonly directory: string;
  readonly graph: string;
  readonly config: InferenceConfig;
}

/** The model `own` in a folder of the operator's. */
async function place(graph: Uint8Array = transformer({ vocabulary: 50 })): Promise<Place> {
  const directory = await temporaryDirectory();
  const folder = join(directory, 'own');
  await mkdir(folder);
  await writeFile(join(folder, 'model.onnx'), graph);
  await writeFile(join(folder, 'tokenizer.json'), wordTokenizer());
  const properties = { dimensions: DIM, type: 'hf', tokens: 64, poolingMethod: 'mean' };
  const modelFile = new Map([['own', { folder, properties }]]) as NonNullable<InferenceConfig['modelFile']>;
  return {
    directory,
    graph: join(folder, 'model.onnx'),
    config: { modelDir: join(directory, 'models'), modelFile, hubUrl: null },
  };
}

const texts = Array.from({ length: 80 }, (_, i) =>
  Array.from({ length: 1 + ((i * 17) % 40) }, (_, j) => `w${(i * 7 + j * 3) % 40}`).join(' '),
);

/** The vectors that a server has in a precision, and what it reports. */
async function served(config: InferenceConfig, encoderPrecision: Precision) {
  const reports: string[] = [];
  const reportEncoder = (message: string) => reports.push(message);
  const inference = createInference({ ...config, encoder: 'pelorus', encoderPrecision, threads: 1, reportEncoder });
  try {
    const model = inference.resolve('own');
    const embed = async (some: readonly string[]) => {
      const inputs = InputBatch.of(some.map((text) => ({ kind: 'text', text })));
      return (await inference.embed(model, inputs, { normalize: true })).vectors;
    };
    const [together, alone] = [await embed(texts), await embed(texts.slice(5, 6))];
    expect(alone).toEqual(together.slice(5 * DIM, 6 * DIM));
    return { vectors: together, rows: inference.loaded(), reports };
  } finally {
    await inference.close();
  }
}

test('a calibration is written apart from the model, and int8 runs with it near f32', async () => {
  const { directory, config } = await place();
  const told: number[] = [];
  const made = await calibrateModel('own', { texts, onTexts: (done) => told.push(done) }, config);
  expect(made).toMatchObject({ file: made.place, textCount: texts.length });
  expect(made.file.startsWith(join(directory, 'models', '.calibrations'))).toBe(true);
  expect(await readdir(join(directory, 'own'))).toEqual(['model.onnx', 'tokenizer.json']);
  expect(await readdir(join(directory, 'models', '.calibrations'))).toHaveLength(1);
  expect(told.at(-1)).toBe(texts.length);
  const { least, mean } = made.cosine;
  expect(least).toBeGreaterThan(0.98);
  expect(mean).toBeGreaterThanOrEqual(least);
  const [coded, exact] = [await served(config, 'int8'), await served(config, 'f32')];
  expect(coded.vectors).not.toEqual(exact.vectors);
  expect(coded.rows).toMatchObject([{ model_name: 'own', encoder: 'pelorus', precision: 'int8' }]);
  expect(coded.reports).toEqual(['Model own runs in int8.']);
  expect(exact.rows).toMatchObject([{ precision: 'f32' }]);
});

test('a model without a calibration does not run in int8, and the refusal names the command', async () => {
  const { config } = await place();
  await expect(served(config, 'int8')).rejects.toMatchObject({
    code: 'bad_request',
    message: expect.stringMatching(
      /^Model own cannot run in int8: it has no calibration \(.*own.*\.json\)\. Make one with `pelorus models calibrate own`, or /,
    ),
  });
});

test.each([
  ['damaged', (text: string) => text.slice(0, -100), /it is damaged: /],
  [
    'changed',
    (text: string) => text.replace(/("low":\[)-?[\d.]+/, '$1-0.125'),
    /it is damaged: its checksum is another/,
  ],
  ['of an older form', () => '{"version":0}', /it has version 0, this program reads version 1/],
])('a calibration that is %s is refused by the name of its file', async (_, change, reason) => {
  const { config } = await place();
  const { file } = await calibrateModel('own', { texts }, config);
  await writeFile(file, change(await readFile(file, 'utf8')));
  const refused = served(config, 'int8');
  await expect(refused).rejects.toMatchObject({ code: 'bad_request', message: expect.stringMatching(reason) });
  await expect(refused).rejects.toThrow(basename(file));
  await calibrateModel('own', { texts }, config);
  expect((await served(config, 'int8')).reports).toEqual(['Model own runs in int8.']);
});

test('a calibration of other weights is refused by the name of its file', async () => {
  const { graph, config } = await place();
  const { file } = await calibrateModel('own', { texts }, config);
  await writeFile(graph, transformer({ vocabulary: 50, seed: 2 }));
  await expect(served(config, 'int8')).rejects.toThrow(/its calibration cannot be used: it was made for other weights/);
  await expect(served(config, 'int8')).rejects.toThrow(basename(file));
});

test('a calibration goes where it is asked to go', async () => {
  const { directory, config } = await place();
  const output = join(directory, 'here', 'calibration.json');
  const made = await calibrateModel('own', { texts, output }, config);
  expect(made).toMatchObject({ file: output, place: expect.stringContaining('.calibrations') });
  expect(await readdir(join(directory, 'here'))).toEqual(['calibration.json']);
});

test('a model that no encoder of Pelorus runs is refused, and one of no texts', async () => {
  const { config } = await place(encoder());
  await expect(calibrateModel('own', { texts }, config)).rejects.toMatchObject({
    code: 'bad_request',
    message: expect.stringMatching(/^Model own cannot be calibrated: /),
  });
  await expect(calibrateModel('random/small', { texts }, config)).rejects.toThrow(/nothing to calibrate/);
  await expect(calibrateModel('open_clip/ViT-B-32/openai', { texts }, config)).rejects.toThrow(/nothing to calibrate/);
});

test('a stop leaves nothing behind', async () => {
  const { directory, config } = await place();
  const stopped = new AbortController();
  const onTexts = (done: number) => {
    if (done >= 16) stopped.abort(new Error('stopped'));
  };
  const calibrated = calibrateModel('own', { texts, onTexts, signal: stopped.signal }, config);
  await expect(calibrated).rejects.toThrow('stopped');
  const left = await readdir(directory, { recursive: true });
  expect(left.filter((name) => name.endsWith('.json') && !name.includes('tokenizer'))).toEqual([]);
});

test('everyday texts are of many lengths, and the same in every run', () => {
  const lengths = new Set(everydayTexts().map((text) => Math.ceil(text.length / 100)));
  expect(lengths.size).toBeGreaterThan(4);
  expect(everydayTexts()).toEqual(everydayTexts());
});
