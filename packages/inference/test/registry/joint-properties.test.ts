import { PelorusError } from '@pelorus/contract';
import { describe, expect, test } from 'vitest';
import { parseModelFile } from '../../src/model-file/model-file.js';
import { resolveModel } from '../../src/registry/resolve.js';

const KNOWN = 'open_clip/ViT-B-32/laion2b_s34b_b79k';
const source = (name: string) => ({ sources: [`https://x.example/${name}/model.onnx`] });
const GRAPHS = { text: source('text'), image: source('image') };
const clip = (members: object) => resolveModel('x', { type: 'open_clip', name: 'mine', dimensions: 4, ...members });

function refusal(properties: object): PelorusError {
  try {
    resolveModel('x', { dimensions: 4, ...properties });
  } catch (error) {
    if (error instanceof PelorusError) return error;
  }
  throw new Error(`${JSON.stringify(properties)} was expected to be refused`);
}

describe('open members follow', () => {
  test('from a name of the registry, its weights included', () => {
    const { weights, picture, text } = resolveModel(KNOWN);
    expect(clip({ name: KNOWN })).toMatchObject({ weights, picture, text, tokens: 77 });
  });

  test('from a repository of the hub that the registry knows', () => {
    const { weights, picture } = resolveModel('Marqo/marqo-fashionSigLIP');
    expect(clip({ name: 'hf-hub:Marqo/marqo-fashionSigLIP' })).toMatchObject({ weights, picture, tokens: 64 });
  });

  test("from an architecture, for graphs of one's own", () => {
    expect(clip({ name: 'ViT-B-16-SigLIP-384', onnx: GRAPHS })).toMatchObject({
      tokens: 64,
      text: { cleaning: 'canonicalize' },
      picture: { size: 384, resize: 'squash' },
      weights: { exports: [{ tokenizer: { repo: 'timm/ViT-B-16-SigLIP' } }] },
    });
  });

  test('from what is usual of the type', () => {
    expect(clip({ onnx: GRAPHS })).toMatchObject({ tokens: 77, text: { cleaning: 'lower' }, picture: { size: 224 } });
  });
});

test.each([
  [{ imagePreprocessor: 'SigLIP' }, { size: 224, mean: [0.5, 0.5, 0.5], resize: 'squash' }],
  [
    { image_preprocessor: 'CLIPA', size: 336 },
    { size: 336, interpolation: 'bilinear', resize: 'squash' },
  ],
  [
    { mean: [0, 0, 0], std: [1, 2, 3], size: [96, 96] },
    { size: 96, mean: [0, 0, 0], std: [1, 2, 3] },
  ],
])("%j decides how pictures of one's own graphs are prepared", (members, picture) => {
  expect(clip({ onnx: GRAPHS, ...members })).toMatchObject({ picture });
});

test('a name alone takes pictures as the name does, whatever is given', () => {
  expect(clip({ name: KNOWN, imagePreprocessor: 'SigLIP', size: 32 }).picture).toEqual(resolveModel(KNOWN).picture);
});

test('both names of the graphs are read alike', () => {
  const long = clip({ tritonTextEncoderProperties: GRAPHS.text, triton_image_encoder_properties: GRAPHS.image });
  expect(long.key).toBe(clip({ onnx: GRAPHS }).key);
  expect(long.weights).toMatchObject({
    kind: 'towers',
    exports: [{ graphs: { text: [{ url: GRAPHS.text.sources[0] }], image: [{ url: GRAPHS.image.sources[0] }] } }],
  });
});

test("a tokenizer of one's own is padded as its file says", () => {
  expect(clip({ onnx: GRAPHS, tokenizer: 'xlm-roberta-base' })).toMatchObject({
    text: { cleaning: 'whitespace', padId: null, isFixedLength: true },
    weights: { exports: [{ tokenizer: { repo: 'xlm-roberta-base' } }] },
  });
});

test.each([
  { name: KNOWN },
  { name: 'hf-hub:Marqo/marqo-fashionSigLIP' },
  { name: 'hf-hub:house/clip' },
  { modelLocation: { hf: { repoId: 'house/clip' } } },
])('a tokenizer that is asked for takes the place of the one of %j', (place) => {
  const { weights, text } = clip({ ...place, tokenizer: 'house/tokens' });
  expect(text).toMatchObject({ cleaning: 'whitespace', padId: null });
  const { exports, ...rest } = weights as Extract<typeof weights, { kind: 'towers' }>;
  expect(rest).toMatchObject({ tokenizerRepo: 'house/tokens' });
  expect(exports.length).toBeGreaterThan(0);
  for (const { tokenizer } of exports) {
    expect(tokenizer).toEqual({ from: 'hub', repo: 'house/tokens', file: 'tokenizer.json' });
  }
});

test("so is the operator's choice for a name of the registry heeded", () => {
  const file = parseModelFile({ models: { [KNOWN]: { properties: { tokenizer: 'house/tokens' } } } }, '/models.json');
  expect(resolveModel(KNOWN, undefined, file).weights).toMatchObject({
    tokenizerRepo: 'house/tokens',
    exports: expect.arrayContaining([
      expect.objectContaining({ tokenizer: expect.objectContaining({ repo: 'house/tokens' }) }),
    ]),
  });
});

test('preparation is part of what tells models apart', () => {
  const keys = [{}, { size: 96 }, { mean: [0, 0, 0] }, { tokenizer: 'a/b' }, { imagePreprocessor: 'CLIPA' }];
  expect(new Set(keys.map((members) => clip({ onnx: GRAPHS, ...members }).key)).size).toBe(keys.length);
});

describe('LanguageBind', () => {
  const zip = (name: string) => ({ url: `https://x.example/${name}.zip` });
  const bound = (members: object) => resolveModel('x', { type: 'languagebind', dimensions: 4, ...members });

  test('each medium has its place', () => {
    const model = bound({
      supportedModalities: ['language', 'video', 'image'],
      modelLocation: { image: zip('image'), video: { hf: { repoId: 'a/b', filename: 'v.zip' } }, tokenizer: zip('t') },
    });
    expect(model).toMatchObject({ modalities: ['text', 'image', 'video'], picture: { interpolation: 'tensor' } });
    expect(model.weights).toMatchObject({
      exports: [{ graphs: { image: [{ from: 'url' }], video: [{ from: 'hub', file: 'v.zip' }] }, tokenizer: zip('t') }],
    });
  });

  test('a model without pictures has no preparation of them', () => {
    const onnx = { text: source('text'), audio: source('audio') };
    expect(bound({ supported_modalities: ['text', 'audio'], onnx })).toMatchObject({ picture: null });
  });

  test.each([
    [{ supportedModalities: 'text' }, 'must be an array'],
    [{ supportedModalities: ['text', 'smell'] }, "are text, image, video and audio, received 'smell'"],
    [{ supportedModalities: ['text', 'language', 'image'] }, "must have 'text', or 'language' in its place"],
    [{ supportedModalities: ['image'] }, "must have 'text'"],
    [{ supportedModalities: ['text'] }, 'one of image, video and audio besides text'],
    [{ supportedModalities: ['text', 'image'] }, 'name no graphs'],
    [{ supportedModalities: ['text', 'audio'], modelLocation: { image: zip('i') } }, "has no 'audio'"],
    [
      { supportedModalities: ['text', 'image'], name: 'n', modelLocation: { image: zip('i') } },
      'both name and model_location',
    ],
    [
      { supportedModalities: ['text', 'image'], onnx: GRAPHS, loader: 5 },
      "loader of x must be 'languagebind', received 5",
    ],
    [
      { supportedModalities: ['text', 'image'], onnx: GRAPHS, video_chunk_length: -1 },
      'video_chunk_length of x must be a number of seconds above 0, received -1',
    ],
    [
      { supportedModalities: ['text', 'image'], onnx: GRAPHS, audioChunkLength: 'x' },
      "audio_chunk_length of x must be a number of seconds above 0, received 'x'",
    ],
    [{ supportedModalities: ['text', 'image'], onnx: { text: source('t') } }, 'have no image graph'],
    [{ supportedModalities: ['text', 'image'], onnx: { ...GRAPHS, audio: source('a') } }, 'bring a graph of audio'],
    [
      { supportedModalities: ['text', 'image'], modelLocation: { image: { hf: { repoId: 'a/b' } } } },
      'must have a filename, that of a .zip, .tar, .tar.gz or .tgz file',
    ],
  ])('%j is refused', (members, reason) => {
    const error = refusal({ type: 'languagebind', ...members });
    expect(error).toMatchObject({ code: 'bad_request', status: 400, link: '/docs' });
    expect(error.message).toContain(reason);
  });

  test('a place is one of s3, hf and url', () => {
    const modelLocation = { image: { ...zip('i'), hf: { repoId: 'a/b', filename: 'c.zip' } } };
    const error = refusal({ type: 'languagebind', supportedModalities: ['text', 'image'], modelLocation });
    expect(error).toMatchObject({ code: 'invalid_argument', message: expect.stringContaining("'s3', 'hf' and 'url'") });
  });
});

describe('properties that make no usable joint model are a bad request', () => {
  test.each([
    [{}, 'name no graphs with the name n: give onnx'],
    [{ name: 'ViT-B-32' }, 'Checkpoints of PyTorch cannot be run'],
    [{ name: 'hf-hub:a/b/c' }, 'not the name of a hub repository'],
    [{ localpath: '/etc/passwd' }, 'only the operator may do'],
    [{ url: 'https://x.example/model.pt' }, 'must be a .zip, .tar, .tar.gz or .tgz file'],
    [{ url: 'https://x.example/m.zip', onnx: GRAPHS }, 'more than one place'],
    [{ onnx: { text: GRAPHS.text } }, 'have no image graph; it needs those of text, image'],
    [{ onnx: GRAPHS, tritonTextEncoderProperties: GRAPHS.text }, 'have both onnx.text and tritonTextEncoderProperties'],
    [{ onnx: { ...GRAPHS, smell: GRAPHS.text } }, "received 'smell'"],
    [{ onnx: { ...GRAPHS, image: { ...GRAPHS.image, maxBatchSize: 129 } } }, 'maxBatchSize of 1 to 128, received 129'],
    [
      { onnx: { ...GRAPHS, image: { ...GRAPHS.image, input: [] } } },
      'input of the image graph of x must be an array of 1 to 3',
    ],
    [
      { onnx: { ...GRAPHS, image: { ...GRAPHS.image, output: [{ name: 'o', dims: [4], dataType: 'FLOAT' }] } } },
      'TYPE_FP32',
    ],
    [{ onnx: { ...GRAPHS, image: { sources: ['https://x.example/model.onnx.data'] } } }, 'a source named model.onnx'],
    [{ onnx: GRAPHS, outputNormalised: 'yes' }, 'outputNormalised of x must be true or false'],
    [{ onnx: GRAPHS, precision: 'fp8' }, "must be 'fp32' or 'fp16', received 'fp8'"],
    [{ onnx: GRAPHS, jit: 1 }, 'jit of x must be true or false'],
    [
      { onnx: GRAPHS, imagePreprocessor: 'Own' },
      "must be one of OpenCLIP, OpenAI, SigLIP, CLIPA, MobileCLIP, received 'Own'",
    ],
    [{ onnx: GRAPHS, size: 0 }, 'an integer from 1 to 2048'],
    [{ onnx: GRAPHS, size: [224, 336] }, 'received [224, 336]'],
    [{ onnx: GRAPHS, mean: [1, 2] }, 'mean of x must be an array of 3 numbers, received [1, 2]'],
    [{ onnx: GRAPHS, std: [1, 0, 1] }, 'numbers that are not 0'],
  ])('%j', (members, reason) => {
    const error = refusal({ type: 'open_clip', name: 'n', ...members });
    expect(error).toMatchObject({ code: 'bad_request', status: 400, link: '/docs' });
    expect(error.message).toContain(reason);
  });
});

test('the operator gives a joint model a folder, by a name of the registry or of his own', () => {
  const onnx = { text: { sources: ['https://x.example/model.onnx'] } };
  const properties = { type: 'clip', name: 'ViT-B/32', dimensions: 512, size: 96 };
  const models = {
    [KNOWN]: { folder: '/m/known' },
    house: { folder: '/m/house', properties },
    text: { properties: { dimensions: 3, onnx } },
  };
  const file = parseModelFile({ models }, '/etc/models.json');
  expect(resolveModel(KNOWN, undefined, file)).toMatchObject({
    ...{ modalities: ['text', 'image'], picture: resolveModel(KNOWN).picture, tokens: 77 },
    weights: { kind: 'folder', path: expect.stringMatching(/known$/) },
  });
  expect(resolveModel('house', undefined, file)).toMatchObject({
    dimensions: 512,
    picture: { size: 96 },
    weights: { kind: 'folder' },
  });
});

test('the operator gives a model of LanguageBind a folder', () => {
  const supportedModalities = ['text', 'audio'];
  const own = { folder: '/m/own', properties: { type: 'languagebind', dimensions: 4, supportedModalities } };
  const models = { own, 'LanguageBind/Audio_FT': { folder: '/m/audio' } };
  const file = parseModelFile({ models }, '/etc/models.json');
  for (const name of Object.keys(models)) {
    const { modalities, weights } = resolveModel(name, undefined, file);
    expect([...modalities].sort()).toEqual(['audio', 'text']);
    expect(weights.kind).toBe('folder');
  }
});
