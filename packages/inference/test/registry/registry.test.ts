import { describe, expect, test } from 'vitest';
import { registryEntry, registryNames } from '../../src/registry/registry.js';
import { resolveModel } from '../../src/registry/resolve.js';
import { MODEL_TYPES } from '../../src/resolved-model.js';

const resolvable = registryNames().filter((name) => name !== 'no_model');

test('the registry knows 234 models and 12 aliases', () => {
  expect(registryNames()).toHaveLength(246);
  expect(new Set(registryNames().map(registryEntry)).size).toBe(234);
});

test('every kind of model has its published number of entries', () => {
  const counts: Record<string, number> = {};
  for (const entry of new Set(registryNames().map((name) => registryEntry(name)))) {
    if (entry !== undefined) counts[entry.type] = (counts[entry.type] ?? 0) + 1;
  }
  expect(counts).toEqual({
    clip: 9,
    clip_onnx: 64,
    fp16_clip: 3,
    hf: 34,
    hf_stella: 1,
    languagebind: 6,
    multilingual_clip: 4,
    no_model: 1,
    open_clip: 83,
    random: 4,
    sbert: 12,
    sbert_onnx: 10,
    test: 3,
  });
});

test.each(resolvable)('%s resolves', (name) => {
  const model = resolveModel(name);
  expect(model.name).toBe(name);
  expect(model.key).toMatch(/^[0-9a-f]{64}$/);
  expect(MODEL_TYPES).toContain(model.type);
  expect(model.dimensions).toBeGreaterThanOrEqual(16);
  expect(model.dimensions).toBeLessThanOrEqual(2048);
  expect(model.tokens).toBeGreaterThan(0);
  expect(model.size).toBeGreaterThan(0);
  expect(model.embeds).toBe(true);
});

test.each([
  ['hf/e5-base-v2', 768, 512, 'query: ', 'passage: '],
  ['hf/all-MiniLM-L6-v2', 384, 256, null, null],
  ['hf/bge-small-en-v1.5', 384, 512, 'Represent this sentence for searching relevant passages: ', null],
  ['hf/bge-base-zh-v1.5', 768, 512, '为这个句子生成表示以用于检索相关文章：', null],
  ['test_prefix', 16, 128, 'test query: ', 'test passage: '],
  ['random/medium', 128, 128, null, null],
])('%s has its dimensions, tokens and prefixes', (name, dimensions, tokens, textQueryPrefix, textChunkPrefix) => {
  expect(resolveModel(name)).toMatchObject({ dimensions, tokens, textQueryPrefix, textChunkPrefix });
});

test('an alias and its model are one model', () => {
  const [alias, model] = ['all-MiniLM-L6-v2', 'sentence-transformers/all-MiniLM-L6-v2'].map((n) => resolveModel(n));
  expect(alias?.key).toBe(model?.key);
});

test('names of one graph that are used differently are different models', () => {
  const keys = ['hf/all-MiniLM-L6-v1', 'sentence-transformers/all-MiniLM-L6-v1', 'test', 'sentence-transformers/test'];
  expect(new Set(keys.map((name) => resolveModel(name).key)).size).toBe(3);
});

describe('what a kind of model gives to vectors', () => {
  test('pipelines that end in a normalisation always give unit length', () => {
    expect(resolveModel('all-MiniLM-L6-v2').unitLength).toBe(true);
    expect(resolveModel('hf/all-MiniLM-L6-v2').unitLength).toBe(false);
  });

  test('arctic models take the first token, bge models the mean', () => {
    expect(resolveModel('hf/snowflake-arctic-embed-m').pooling).toBe('cls');
    expect(resolveModel('hf/bge-small-en-v1.5').pooling).toBe('mean');
  });

  test('joint models resolve, so that an index can name them, and say that they are not served', () => {
    const model = resolveModel('open_clip/ViT-B-32/laion2b_s34b_b79k');
    expect(model).toMatchObject({ dimensions: 512, modalities: ['text', 'image'], weights: { kind: 'unserved' } });
  });
});
