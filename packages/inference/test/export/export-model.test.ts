import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createInference,
  type ExportOptions,
  exportModel,
  type InferenceConfig,
  InputBatch,
  localModels,
  parseModelFile,
  textInputs,
} from '@pelorus/inference';
import { describe, expect, test } from 'vitest';
import { constantGraph, encoder, wordTokenizer } from '../onnx/onnx-model.js';
import { temporaryDirectory } from '../temporary-directory.js';

/** Scripts with a first line that says what runs them are programs on these alone. */
const hasPrograms = process.platform !== 'win32';

const TEXTS = ['w1', 'w2 w3 w4', 'w5 w6'];
const DIM = 8;
const PROPERTIES = { dimensions: DIM, tokens: 64, name: 'house/encoder' };

async function program(folder: string, name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  await chmod(path, 0o755);
  return path;
}

/** A script that runs instead of Python with its libraries: `body` knows the `job`, and has `answer` to end with. */
function standIn(folder: string, body: string): Promise<string> {
  const head = `#!${process.execPath}
const fs = require('node:fs');
const answer = (value) => { fs.writeFileSync(job.answer, JSON.stringify(value)); process.exit(0); };
let job;
process.stdin.once('data', (line) => { job = JSON.parse(line); work(); });
process.stdin.once('end', () => process.exit(1));
function work() {`;
  return program(folder, 'python', `${head}\n${body}\n}\n`);
}

interface Place {
  readonly root: string;
  readonly config: InferenceConfig;
  /** Files as a recipe makes them, and what it would answer. */
  readonly good: string;
}

/** A model of the operator's own, and the vectors that its graph gives. */
async function setUp(properties: object = {}): Promise<Place> {
  const root = await temporaryDirectory();
  const files = join(root, 'files');
  await mkdir(files);
  await writeFile(join(files, 'model.onnx'), encoder({ dim: DIM }));
  await writeFile(join(files, 'tokenizer.json'), wordTokenizer());
  const vectors = Object.fromEntries(
    await Promise.all(['mean', 'cls'].map(async (pooling) => [pooling, await vectorsOf(files, pooling)])),
  ) as Record<string, number[][]>;
  const texts = TEXTS.map((text, i) => ({ text, vectors: { mean: vectors.mean?.[i], cls: vectors.cls?.[i] } }));
  const answer = { files: ['model.onnx', 'tokenizer.json'], madeWith: 'torch 9', texts, pictures: [] };
  const good = `fs.cpSync(${JSON.stringify(files)}, job.folder, { recursive: true }); const good = ${JSON.stringify(answer)};`;
  const entries = { house: { properties: { ...PROPERTIES, ...properties } } };
  const modelFile = parseModelFile({ models: entries }, join(root, 'models.json'));
  return { root, good, config: { modelDir: join(root, 'models'), modelFile, hubUrl: null } };
}

async function vectorsOf(folder: string, poolingMethod: string): Promise<number[][]> {
  const entries = { house: { folder, properties: { ...PROPERTIES, poolingMethod } } };
  const inference = createInference({ modelFile: parseModelFile({ models: entries }, 'models.json'), threads: 1 });
  try {
    const { vectors } = await inference.embed(inference.resolve('house'), InputBatch.of(textInputs(TEXTS)), {
      normalize: false,
    });
    return TEXTS.map((_, row) => [...vectors.subarray(row * DIM, (row + 1) * DIM)]);
  } finally {
    await inference.close();
  }
}

/** The files that an export left in the folder of models. */
async function leftIn({ config }: Place): Promise<string[]> {
  return (await readdir(config.modelDir ?? '', { recursive: true }).catch(() => [])).sort();
}

const run = ({ config }: Place, options: ExportOptions) => exportModel('house', options, config);

describe.skipIf(!hasPrograms)('an export', () => {
  test('lies where its model is looked for, with the pooling of its publisher', async () => {
    const place = await setUp();
    const python = await standIn(
      place.root,
      `${place.good} answer({ ...good, poolingConfig: { pooling_mode: 'cls' } });`,
    );
    const exported = await run(place, { python });
    const folder = join(place.root, 'models', 'house--encoder');
    expect(exported).toMatchObject({ folder, isInPlace: true, inputCount: 3 });
    expect(exported.cosine).toBeCloseTo(1, 6);
    const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'));
    expect(manifest).toMatchObject({ source: 'house/encoder, exported by torch 9', pooling: 'cls' });
    expect(await leftIn(place)).toEqual([
      '.incoming',
      'house--encoder',
      ...['.verified.json', 'manifest.json', 'model.onnx', 'tokenizer.json'].map((file) => `house--encoder/${file}`),
    ]);
    const names = (await localModels(place.config)).map(({ name }) => name);
    expect(names).toContain('house');
    await expect(run(place, { python })).rejects.toThrow(`There are files in ${folder} already`);
  });

  test('lies in another folder where that is asked for, and nothing beside it', async () => {
    const place = await setUp();
    const python = await standIn(place.root, `${place.good} answer(good);`);
    const output = join(place.root, 'elsewhere', 'house');
    expect(await run(place, { python, output })).toMatchObject({ folder: output, isInPlace: false });
    expect(await readdir(join(place.root, 'elsewhere'))).toEqual(['house']);
    expect(await leftIn(place)).toEqual([]);
  });

  test.each([
    [
      'other vectors than the original',
      '{ ...good, texts: good.texts.map((one, i) => (i === 1 ? { ...one, vectors: { mean: [9, 8, 7, 6, 5, 4, 3, 2] } } : one)) }',
      /does not give the vectors of the original: their cosine is -?0\.\d+ for the text "w2 w3 w4", expected at least/,
    ],
    [
      'another pooling',
      "{ ...good, poolingConfig: { pooling_mode: 'cls' }, texts: good.texts.map(({ text, vectors }) => ({ text, vectors: { cls: vectors.mean } })) }",
      /their cosine is/,
    ],
    [
      'fewer dimensions',
      '{ ...good, texts: [{ text: "w1", vectors: { mean: [1, 0] } }] }',
      /vectors of 2 numbers, but house has 8/,
    ],
    [
      'a library that fails',
      '{ error: "OSError: house/encoder is no repository" }',
      /failed: OSError: house\/encoder is no repository/,
    ],
    ['an odd answer', '{ ...good, files: 7 }', /gave an odd answer: files must be array/],
    [
      'packages that are missing',
      '{ missing: ["torch"] }',
      /exported by Python with torch, transformers and onnx; \S+ has no torch\. To install what is missing, run "\S+ -m pip install torch"/,
    ],
  ])('of %s leaves nothing', async (_, answer, message) => {
    const place = await setUp();
    const python = await standIn(place.root, `${place.good} answer(${answer});`);
    await expect(run(place, { python })).rejects.toThrow(message);
    expect(await leftIn(place)).toEqual(['.incoming']);
  });

  test('says how its process ended, when that was without an answer', async () => {
    const place = await setUp();
    const python = await standIn(
      place.root,
      'process.stderr.write("no memory left"); process.kill(process.pid, "SIGKILL");',
    );
    let printed = '';
    const onOutput = (text: string) => {
      printed += text;
    };
    await expect(run(place, { python, onOutput })).rejects.toThrow('ended without an answer: ended by SIGKILL');
    expect(printed).toContain('no memory left');
    expect(await leftIn(place)).toEqual(['.incoming']);
  });

  test('leaves neither a folder nor a process when it is stopped', async () => {
    const place = await setUp();
    const python = await standIn(
      place.root,
      `${place.good} console.log('pid ' + process.pid); setInterval(() => {}, 1000);`,
    );
    const stopped = new AbortController();
    let pid = 0;
    const onOutput = (text: string) => {
      pid = Number(/pid (\d+)/.exec(text)?.[1]);
      stopped.abort();
    };
    await expect(run(place, { python, onOutput, signal: stopped.signal })).rejects.toThrow('aborted');
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect(await leftIn(place)).toEqual(['.incoming']);
  });

  test('never touches a folder with other files', async () => {
    const place = await setUp();
    const output = join(place.root, 'mine');
    await mkdir(output);
    await writeFile(join(output, 'notes.txt'), 'mine');
    const python = await standIn(place.root, `${place.good} answer(good);`);
    await expect(run(place, { python, output })).rejects.toThrow(`There are files in ${output} already`);
    expect(await readdir(output)).toEqual(['notes.txt']);
  });

  test('says which packages a Python without them has to have', async () => {
    const place = await setUp();
    // Isolated, and without what was installed: such a Python has no libraries.
    const python = await program(place.root, 'bare', '#!/bin/sh\nexec python3 -I -S "$@"\n');
    await expect(run(place, { python })).rejects.toThrow(
      `house is exported by Python with torch, transformers and onnx; ${python} has no torch, transformers and onnx. ` +
        `To install what is missing, run "${python} -m pip install torch transformers onnx"`,
    );
    expect(await leftIn(place)).toEqual(['.incoming']);
  });
});

/** A graph that says the same of each picture, and what its original would. */
async function detectorSetUp(axes: readonly (number | string)[]): Promise<Place> {
  const root = await temporaryDirectory();
  const files = join(root, 'files');
  await mkdir(files);
  const attention = Float32Array.from({ length: 2 * 196 }, (_, i) => (i % 5) + 1);
  await writeFile(
    join(files, 'model.onnx'),
    constantGraph(axes, [{ name: 'attention', dims: [1, 2, 196], values: attention }]),
  );
  const base64 = (values: Float32Array) => Buffer.from(values.buffer).toString('base64');
  const runs = [0, 1].map(() => ({
    input: base64(new Float32Array(3 * 224 * 224)),
    outputs: { attention: base64(attention) },
  }));
  const answer = { files: ['model.onnx'], madeWith: 'torch 9', texts: [], pictures: [], runs };
  const good = `fs.cpSync(${JSON.stringify(files)}, job.folder, { recursive: true }); const good = ${JSON.stringify(answer)};`;
  return { root, good, config: { modelDir: join(root, 'models'), hubUrl: null } };
}

describe.skipIf(!hasPrograms)('an export of a detector', () => {
  const run = ({ config }: Place, options: ExportOptions) => exportModel('detector/dino-v1', options, config);

  test('lies where it is looked for', async () => {
    const place = await detectorSetUp(['batch', 3, 224, 224]);
    const python = await standIn(place.root, `${place.good} answer(good);`);
    const folder = join(place.root, 'models', 'detector--dino-v1');
    expect(await run(place, { python })).toMatchObject({ folder, isInPlace: true, inputCount: 2 });
    const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'));
    expect(manifest).toMatchObject({ source: 'vit_small_patch16_224 dino, exported by torch 9' });
    const inference = createInference({ ...place.config, threads: 1 });
    await inference.loadDetector('dino-v1');
    expect(inference.loaded()).toEqual([
      { model_name: 'vit_small', model_device: 'cpu', encoder: 'onnxruntime', precision: 'f32' },
    ]);
    await inference.close();
  });

  test.each([
    [
      'something else than the original',
      '{ ...good, runs: good.runs.map((one, i) => (i === 1 ? { ...one, outputs: { attention: Buffer.from(new Float32Array(392).fill(-1).buffer).toString("base64") } } : one)) }',
      /does not give what the original does: the cosine is -0\.\d+ for the attention of picture 2, expected at least 0\.9999/,
    ],
    [
      'an output that is not there',
      '{ ...good, runs: good.runs.map((one) => ({ ...one, outputs: { boxes: "" } })) }',
      /for the boxes of picture 1/,
    ],
    ['nothing to compare it with', '{ ...good, runs: [] }', /came without anything to compare it with/],
  ])('with %s leaves nothing', async (_, answer, message) => {
    const place = await detectorSetUp(['batch', 3, 224, 224]);
    const python = await standIn(place.root, `${place.good} answer(${answer});`);
    await expect(run(place, { python })).rejects.toThrow(message);
    expect(await leftIn(place)).toEqual(['.incoming']);
  });

  test('leaves nothing when it takes other pictures', async () => {
    const place = await detectorSetUp(['batch', 3, 240, 240]);
    const python = await standIn(place.root, `${place.good} answer(good);`);
    await expect(run(place, { python })).rejects.toThrow('its graph takes inputs of shape');
    expect(await leftIn(place)).toEqual(['.incoming']);
  });
});

test.each(['owl/ViT-B/32', 'detector/marqo-yolo'])('%s is a graph already, and not exported', async (name) => {
  const modelDir = await temporaryDirectory();
  await expect(exportModel(name, { python: 'no-such-python' }, { modelDir, hubUrl: null })).rejects.toThrow(
    `${name} is published as a graph: run "pelorus models pull ${name}"`,
  );
});

test('without a Python it is said what to install', async () => {
  const place = await setUp();
  await expect(run(place, { python: 'no-such-python' })).rejects.toThrow(
    'house is exported by Python with torch, transformers and onnx, and there is no program "no-such-python". ' +
      'Install Python 3.9 or newer with "pip install torch transformers onnx", or name one that has them with --python',
  );
  expect(await leftIn(place)).toEqual(['.incoming']);
});
