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

describe('the length of vectors, by kind of model', () => {
  test('pipelines that end in a normalisation always give unit length', () => {
    expect(resolveModel('all-MiniLM-L6-v2').unitLength).toBe(true);
    expect(resolveModel('hf/all-MiniLM-L6-v2').unitLength).toBe(false);
  });

  test('arctic models take the first token, bge models the mean', () => {
    expect(resolveModel('hf/snowflake-arctic-embed-m').pooling).toBe('cls');
    expect(resolveModel('hf/bge-small-en-v1.5').pooling).toBe('mean');
  });
});

describe('joint models', () => {
  const OPENAI = { mean: [0.48145466, 0.4578275, 0.40821073], std: [0.26862954, 0.26130258, 0.27577711] };
  const HALF = { mean: [0.5, 0.5, 0.5], std: [0.5, 0.5, 0.5] };
  const SHORTEST = { interpolation: 'bicubic', resize: 'shortest' };
  const SQUASH = { interpolation: 'bicubic', resize: 'squash' };

  test.each([
    ['ViT-L/14@336px', 77, 'lower', 0, { size: 336, ...OPENAI, ...SHORTEST }],
    ['open_clip/ViT-B-32/laion2b_s34b_b79k', 77, 'lower', 0, { size: 224, ...OPENAI, ...SHORTEST }],
    ['open_clip/ViT-L-14/laion2b_s32b_b82k', 77, 'lower', 0, { size: 224, ...HALF, ...SHORTEST }],
    ['open_clip/coca_ViT-B-32/laion2b_s13b_b90k', 76, 'lower', 0, { size: 224, ...OPENAI, ...SHORTEST }],
    ['open_clip/ViT-H-14-378-quickgelu/dfn5b', 77, 'lower', 0, { size: 378, ...OPENAI, ...SQUASH }],
    ['open_clip/ViT-B-16-SigLIP-512/webli', 64, 'canonicalize', 1, { size: 512, ...HALF, ...SQUASH }],
    ['Marqo/marqo-fashionSigLIP', 64, 'canonicalize', 1, { size: 224, ...HALF, ...SQUASH }],
    ['timm/ViT-L-16-SigLIP2-256', 64, 'canonicalize', 0, { size: 256, ...HALF, ...SQUASH }],
    ['visheratin/nllb-clip-base-siglip', 77, 'whitespace', null, { size: 384, ...HALF, ...SQUASH }],
    [
      'open_clip/xlm-roberta-base-ViT-B-32/laion5b_s13b_b90k',
      77,
      'whitespace',
      null,
      { size: 224, ...OPENAI, ...SHORTEST },
    ],
    ['multilingual-clip/XLM-R Large Vit-B/16+', 512, 'none', null, { size: 240, ...OPENAI, ...SHORTEST }],
    [
      'LanguageBind/Audio_FT_Image',
      77,
      'none',
      null,
      { size: 224, ...OPENAI, interpolation: 'tensor', resize: 'shortest' },
    ],
  ])('%s takes texts and pictures as it was trained to', (name, tokens, cleaning, padId, picture) => {
    expect(resolveModel(name)).toMatchObject({ tokens, text: { cleaning, padId }, picture });
  });

  test('resize by squashing, bilinearly, and leave the separator out if they are CLIPA', () => {
    expect(resolveModel('open_clip/ViT-L-14-CLIPA-336/datacomp1b')).toMatchObject({
      tokens: 32,
      text: { omitsSeparator: true, padId: 0 },
      picture: { size: 336, mean: [0.485, 0.456, 0.406], interpolation: 'bilinear', resize: 'squash' },
    });
  });

  test('take pictures exactly where a picture is among their modalities, and say where their graphs are', () => {
    for (const model of resolvable.map((name) => resolveModel(name))) {
      expect(model.picture !== null).toBe(model.modalities.includes('image'));
      const { weights } = model;
      if (model.modalities.length === 1 || weights.kind === 'random') continue;
      expect(weights.kind).toBe('towers');
      if (weights.kind !== 'towers') continue;
      for (const { graphs, tokenizer } of weights.exports) {
        expect(Object.keys(graphs).sort()).toEqual([...model.modalities].sort());
        expect(tokenizer).not.toBeNull();
      }
    }
  });

  test('without a tokenizer beside their graphs have that of their family', () => {
    const { weights } = resolveModel('onnx32/open_clip/ViT-B-32/openai');
    expect(weights).toMatchObject({
      exports: [{ tokenizer: { from: 'hub', repo: 'openai/clip-vit-base-patch32', file: 'tokenizer.json' } }],
    });
  });

  test('take what their names say if they are of LanguageBind', () => {
    expect(resolveModel('LanguageBind/Video_V1.5_FT_Audio_FT_Image').modalities.toSorted()).toEqual([
      'audio',
      'image',
      'text',
      'video',
    ]);
    expect(resolveModel('LanguageBind/Audio_FT')).toMatchObject({ modalities: ['audio', 'text'], picture: null });
  });

  test('are unknown where they were tuned somewhere else', () => {
    expect(() => resolveModel('tuned/shop/model-1')).toThrow(
      'Could not find model properties for model=tuned/shop/model-1',
    );
  });
});
