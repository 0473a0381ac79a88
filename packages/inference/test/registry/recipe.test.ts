import { registryNames } from '@pelorus/inference';
import { describe, expect, test } from 'vitest';
import { detectorModel } from '../../src/registry/detectors.js';
import { hasRecipe, recipeOf } from '../../src/registry/recipe.js';
import { resolveModel } from '../../src/registry/resolve.js';
import { temporaryDirectory } from '../temporary-directory.js';

const recipe = (name: string, options = {}) => recipeOf(resolveModel(name), options);

describe('the original of a name', () => {
  test.each([
    ['hf/ember-v1', 'text_model', 'llmrails/ember-v1'],
    ['hf/all_datasets_v4_mpnet-base', 'text_model', 'flax-sentence-embeddings/all_datasets_v4_mpnet-base'],
    ['onnx/all_datasets_v3_MiniLM-L6', 'text_model', 'flax-sentence-embeddings/all_datasets_v3_MiniLM-L6'],
    ['all-MiniLM-L6-v2', 'text_model', 'sentence-transformers/all-MiniLM-L6-v2'],
    ['Marqo/marqo-fashionSigLIP', 'open_clip_model', 'hf-hub:Marqo/marqo-fashionSigLIP'],
    ['timm/ViT-B-16-SigLIP2-256', 'open_clip_model', 'hf-hub:timm/ViT-B-16-SigLIP2-256'],
  ])('%s is exported by %s from %s', (name, script, source) => {
    expect(recipe(name)).toMatchObject({ recipe: script, source, architecture: null, tag: null });
  });

  test.each([
    ['open_clip/ViT-bigG-14/laion2b_s39b_b160k', 'ViT-bigG-14', 'laion2b_s39b_b160k'],
    ['onnx16/open_clip/ViT-B-32-quickgelu/laion400m_e31', 'ViT-B-32-quickgelu', 'laion400m_e31'],
    ['onnx32/openai/ViT-L/14', 'ViT-L-14', 'openai'],
    ['laion/CLIP-ViT-B-32-xlm-roberta-base-laion5B-s13B-b90k', 'xlm-roberta-base-ViT-B-32', 'laion5b_s13b_b90k'],
    ['RN50x16', 'RN50x16', 'openai'],
    ['ViT-L/14@336px', 'ViT-L-14-336', 'openai'],
    ['fp16/ViT-B/16', 'ViT-B-16', 'openai'],
  ])('%s is the architecture %s, trained on %s', (name, architecture, tag) => {
    expect(recipe(name)).toMatchObject({ recipe: 'open_clip_model', architecture, tag, source: null });
  });

  test('is a text tower beside that of a CLIP model for multilingual CLIP', () => {
    expect(recipe('multilingual-clip/XLM-R Large Vit-B/16+')).toMatchObject({
      recipe: 'multilingual_clip_model',
      textSource: 'M-CLIP/XLM-Roberta-Large-Vit-B-16Plus',
      architecture: 'ViT-B-16-plus-240',
      tag: 'laion400m_e32',
    });
  });

  test.each([
    ['frcnn', 'frcnn', 'torchvision', 'fasterrcnn_resnet50_fpn_v2', 'COCO_V1'],
    ['dino-v1', 'dino', 'timm', 'vit_small_patch16_224', 'dino'],
    ['dino-v2', 'dino', 'timm', 'vit_small_patch16_224', 'dino'],
  ] as const)('is for the detector %s the network %s of %s', async (method, detector, library, architecture, tag) => {
    const made = recipeOf(detectorModel(method), {});
    expect(made).toMatchObject({ recipe: 'detector_model', detector, architecture, tag, source: null });
    expect(made.needs.map((one) => one.package)).toEqual(['torch', library, 'onnx']);
    const folder = await temporaryDirectory();
    const source = detector === 'dino' ? `local-dir:${folder}` : folder;
    expect(recipeOf(detectorModel(method), { from: folder })).toMatchObject({ source });
  });

  test('is in a folder for Faster R-CNN, and in a repository as well for DINO', () => {
    expect(() => recipeOf(detectorModel('frcnn'), { from: 'house/frcnn' })).toThrow(
      'The original of detector/frcnn must be a folder, received house/frcnn',
    );
    expect(recipeOf(detectorModel('dino-v1'), { from: 'house/dino' })).toMatchObject({ source: 'hf-hub:house/dino' });
  });

  test('is a graph already for YOLOX', () => {
    expect(() => recipeOf(detectorModel('marqo-yolo'), {})).toThrow(
      'detector/marqo-yolo is published as a graph: run "pelorus models pull detector/marqo-yolo"',
    );
  });

  test('may be named, as a folder or a repository', async () => {
    const folder = await temporaryDirectory();
    expect(recipe('hf/ember-v1', { from: folder })).toMatchObject({ source: folder });
    expect(recipe('RN50', { from: folder })).toMatchObject({ source: `local-dir:${folder}`, tag: null });
    expect(recipe('RN50', { from: 'house/clip' })).toMatchObject({ source: 'hf-hub:house/clip', tag: null });
  });
});

test('every name of the registry has a recipe, but for those without files and LanguageBind', () => {
  const names = registryNames().filter((name) => name !== 'no_model');
  const without = names.filter((name) => !hasRecipe(resolveModel(name)));
  expect(without.filter((name) => !name.startsWith('LanguageBind/'))).toEqual([
    'random',
    'random/large',
    'random/small',
    'random/medium',
  ]);
  for (const name of names) if (!without.includes(name)) recipe(name, { trustsCode: true });
  expect(() => recipe('LanguageBind/Audio_FT')).toThrow('There is no recipe to export LanguageBind/Audio_FT');
  expect(() => recipe('random/small')).toThrow('random/small needs no files');
});

test('a model made of code is exported only where its code is trusted', () => {
  const name = 'Marqo/dunzhang-stella_en_400M_v5';
  expect(() => recipe(name)).toThrow('give --trust-remote-code');
  expect(recipe(name, { trustsCode: true })).toMatchObject({ trustsCode: true });
  expect(recipe('hf/ember-v1', { trustsCode: true })).toMatchObject({ trustsCode: false });
});
