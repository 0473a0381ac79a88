import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInference, parseModelFile } from '@pelorus/inference';
import { expect, onTestFinished, test } from 'vitest';
import { constantGraph, encoder, wordTokenizer } from '../../../inference/test/onnx/onnx-model.js';
import { preload } from '../../src/serve/preload.js';

test('models are loaded ahead, one that cannot be had is told, and one without vectors is left out', async () => {
  const modelDir = await mkdtemp(join(tmpdir(), 'pelorus-preload-'));
  const inference = createInference({ modelDir, hubUrl: null, mavenCommand: null, threads: 1 });
  onTestFinished(async () => {
    await inference.close();
    await rm(modelDir, { recursive: true });
  });
  const said: string[] = [];
  const models = [
    { model: 'hf/e5-base-v2' },
    { model: 'no_model', modelProperties: { type: 'no_model', dimensions: 3 } },
    { model: 'no_model' },
    { model: 'unheard of' },
    { model: 'https://user:SECRET@models.example/m.zip?SECRET' },
    { model: 'random/small' },
  ];
  await preload(inference, { models, detectors: [] }, (text) => said.push(text));
  expect(inference.loaded()).toEqual([
    { model_name: 'random/small', model_device: 'cpu', encoder: 'pelorus', precision: 'f32' },
  ]);
  expect(said).toHaveLength(3);
  expect(said[0]).toMatch(/^Model hf\/e5-base-v2 is not loaded ahead: ./);
  expect(said[1]).toMatch(/^Model unheard of is not loaded ahead: ./);
  expect(said.join()).not.toContain('SECRET');
});

test('a model of a field is loaded ahead as others are', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pelorus-preload-'));
  await writeFile(join(folder, 'model.onnx'), encoder());
  await writeFile(join(folder, 'tokenizer.json'), wordTokenizer());
  const models = { splade: { folder, properties: { type: 'splade', dimensions: 8 } } };
  const modelFile = parseModelFile({ models }, join(folder, 'models.json'));
  const inference = createInference({ modelDir: folder, modelFile, hubUrl: null, mavenCommand: null, threads: 1 });
  onTestFinished(async () => {
    await inference.close();
    await rm(folder, { recursive: true });
  });
  const said: string[] = [];
  await preload(inference, { models: [{ model: 'splade' }], detectors: [] }, (text) => said.push(text));
  expect(said).toEqual([]);
  expect(inference.loaded()).toEqual([
    { model_name: 'splade', model_device: 'cpu', encoder: 'onnxruntime', precision: 'f32' },
  ]);
});

test('detectors are loaded ahead, and one that cannot be had is told', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pelorus-preload-'));
  const parts = [
    { name: 'boxes', dims: [1, 4], values: new Float32Array(4) },
    { name: 'scores', dims: [1], values: new Float32Array(1) },
  ];
  await writeFile(join(folder, 'model.onnx'), constantGraph([3, 240, 240], parts));
  const modelFile = parseModelFile({ models: { 'detector/frcnn': { folder } } }, join(folder, 'models.json'));
  const inference = createInference({ modelDir: folder, modelFile, hubUrl: null, mavenCommand: null, threads: 1 });
  onTestFinished(async () => {
    await inference.close();
    await rm(folder, { recursive: true });
  });
  const said: string[] = [];
  await preload(inference, { models: [], detectors: ['frcnn', 'dino-v1'] }, (text) => said.push(text));
  expect(inference.loaded()).toEqual([
    { model_name: 'faster_rcnn', model_device: 'cpu', encoder: 'onnxruntime', precision: 'f32' },
  ]);
  expect(said).toHaveLength(1);
  expect(said[0]).toMatch(/^The model of patch method dino-v1 is not loaded ahead: Model detector\/dino-v1 is not on/);
});
