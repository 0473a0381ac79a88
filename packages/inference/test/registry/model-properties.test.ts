import { PelorusError } from '@pelorus/contract';
import { describe, expect, test } from 'vitest';
import { parseModelFile } from '../../src/model-file/model-file.js';
import { resolveModel } from '../../src/registry/resolve.js';

function refusal(model: string, properties?: object): PelorusError {
  try {
    resolveModel(model, properties);
  } catch (error) {
    if (error instanceof PelorusError) return error;
  }
  throw new Error(`${model} was expected to be refused`);
}

/** The message within the JSON list that such errors carry. */
function listed(error: PelorusError): string {
  const [entry, ...rest] = JSON.parse(error.message) as { loc: string[]; msg: string; type: string }[];
  expect(rest).toEqual([]);
  expect(entry).toMatchObject({ loc: ['__root__'], type: 'value_error' });
  expect(error).toMatchObject({ code: 'invalid_argument', status: 400, link: '' });
  return entry?.msg ?? '';
}

test.each([undefined, {}])('an unknown name with properties %j is refused in the documented words', (properties) => {
  const error = refusal('nope', properties);
  expect(error).toMatchObject({ code: 'invalid_argument', status: 400, link: null });
  expect(error.message).toBe(
    'Could not find model properties for model=nope. Please check that the model name is correct. ' +
      'Please provide model_properties if the model is a custom model and is not supported by default',
  );
});

test('no_model without properties is refused in plain words', () => {
  const error = refusal('no_model');
  expect(error.message).toMatch(
    /^Invalid model properties for model=no_model\. Reason: model_properties has missing key 'dimensions'\. /,
  );
  expect(error).toMatchObject({ code: 'invalid_argument', link: null });
});

describe('a name without an organisation', () => {
  const repoOf = (properties: object) => resolveModel('x', { dimensions: 384, ...properties }).weights;

  test.each([
    ['all-MiniLM-L6-v2', 'sentence-transformers/all-MiniLM-L6-v2'],
    ['all_datasets_v4_MiniLM-L6', 'flax-sentence-embeddings/all_datasets_v4_MiniLM-L6'],
    ['multi-qa-MiniLM-L6-cos-v1', 'sentence-transformers/multi-qa-MiniLM-L6-cos-v1'],
  ])('names the pipeline %s as %s does', (name, repo) => {
    const weights = repoOf({ name });
    expect(weights).toMatchObject({ kind: 'hub', repo });
    // An encoder of one word is tried after it.
    expect(weights).toMatchObject({ graphs: [{ repo }, { repo }, { repo: name }, { repo: name }] });
  });

  test('is a repository of one word for other types', () => {
    expect(repoOf({ type: 'hf', name: 'bert-base-uncased' })).toMatchObject({ repo: 'bert-base-uncased' });
  });

  test('ends in a normalisation where its pipeline in the registry does', () => {
    expect(resolveModel('x', { name: 'all-MiniLM-L6-v2', dimensions: 384 }).unitLength).toBe(true);
    expect(resolveModel('x', { name: 'stsb-xlm-r-multilingual', dimensions: 768 }).unitLength).toBe(false);
  });
});

test("a pipeline of the registry ends in a normalisation in a folder of the operator's too", () => {
  const file = parseModelFile(
    { models: { 'all-MiniLM-L6-v2': { folder: '/m' }, mine: { folder: '/n', properties: { dimensions: 384 } } } },
    '/models.json',
  );
  for (const name of ['all-MiniLM-L6-v2', 'stsb-xlm-r-multilingual']) {
    const isUnit = name === 'all-MiniLM-L6-v2';
    expect(resolveModel('mine', { name, dimensions: 384 }, file)).toMatchObject({
      weights: { kind: 'folder', path: '/n' },
      unitLength: isUnit,
    });
  }
  expect(resolveModel('x', { name: 'all-MiniLM-L6-v2', dimensions: 384 }, file).unitLength).toBe(true);
});

describe('a broken rule is named', () => {
  test.each([
    [
      'x',
      { type: 'hf', name: 'a/b' },
      "model_properties has missing key 'dimensions'. please update your model properties with required key",
    ],
    ['x', { dimensions: 3 }, "model_properties has missing key 'name'. "],
    ['x', { type: 'open_clip', dimensions: 3 }, "has missing key 'name'"],
    ['x', { type: 'languagebind', name: 'n', dimensions: 3 }, "has missing key 'supported_modalities'"],
    [
      'x',
      { type: 'hf', dimensions: -1 },
      "Invalid model properties: 'dimensions' must be a positive integer, but received -1.",
    ],
    ['x', { type: 'hf', dimensions: '512' }, "'dimensions' must be a positive integer, but received '512'."],
    ['x', { type: 'hf', dimensions: true }, "'dimensions' must be a positive integer, but received True."],
    ['x', { type: 'hf', dimensions: 0 }, "'dimensions' must be a positive integer, but received 0."],
    ['x', { type: 'hf', dimensions: 1.5 }, "'dimensions' must be a positive integer, but received 1.5."],
    [
      'x',
      { type: 'no_model', dimensions: 3 },
      "To use the 'no_model' feature, you must provide 'model = no_model' and 'type = no_model', but received 'model = x' and 'type = no_model'",
    ],
    ['no_model', { type: 'hf', dimensions: 3 }, "but received 'model = no_model' and 'type = hf'"],
    [
      'x',
      { type: 'bert', dimensions: 3 },
      'Invalid model type. Please check the model type in model_properties. Supported model types are [',
    ],
  ])('%s %j', (model, properties, reason) => {
    const message = listed(refusal(model, properties));
    expect(message.startsWith(`Invalid model properties for model=${model}. Reason: `)).toBe(true);
    expect(message).toContain(reason);
  });

  test('in ASCII, whatever the name', () => {
    const error = refusal('模型', { type: 'hf' });
    expect(error.message).toMatch(/^[\x20-\x7e]+$/);
    expect(listed(error)).toContain('model=模型.');
  });
});

describe('a member that is null is one that is not there', () => {
  const s3 = { Bucket: 'models', Key: 'm.zip' };
  test.each([
    [{ name: 'a/b' }, { localpath: null, url: null, modelLocation: null, onnx: null }],
    [{ name: 'a/b' }, { tokens: null, poolingMethod: null, text_query_prefix: null, modelSize: null }],
    [{ modelLocation: { s3 } }, { modelLocation: { s3, hf: null, authRequired: null } }],
    [
      { type: 'open_clip', name: 'hf-hub:a/b' },
      { localpath: null, jit: null, precision: null, tokens: null, tokenizer: null, mean: null, tritonModelName: null },
    ],
    [
      { type: 'open_clip', name: 'n', url: 'https://x.example/m.zip' },
      { outputNormalised: null, onnx: { text: null, image: null } },
    ],
  ])('%j with %j', (given, nulls) => {
    const properties = { type: 'hf', dimensions: 3, ...given };
    const model = resolveModel('x', { ...properties, ...nulls });
    expect(model.key).toBe(resolveModel('x', properties).key);
    // It is shown as it was given.
    expect(model.properties).toEqual({ ...properties, ...nulls });
  });

  test('so is a type, and what has to be there', () => {
    expect(resolveModel('x', { type: null, name: 'a/b', dimensions: 3 }).type).toBe('sbert');
    const clip = { type: 'open_clip', name: null, dimensions: 3 };
    expect(listed(refusal('x', clip))).toContain("missing key 'name'");
    // Clients know it in these words.
    expect(listed(refusal('x', { type: 'hf', name: 'a/b', dimensions: null }))).toContain('must be a positive integer');
  });
});

test.each(['trustRemoteCode', 'trust_remote_code'])('%s is taken and changes nothing', (member) => {
  const properties = { type: 'hf', dimensions: 3, name: 'a/b' };
  expect(resolveModel('x', { ...properties, [member]: true }).key).toBe(resolveModel('x', properties).key);
});

describe('properties that name no usable model are a bad request', () => {
  test.each<[object, string]>([
    [{ type: 'hf', dimensions: 3 }, 'name no model'],
    [{ type: 'hf', dimensions: 3, name: 'a/b/c' }, 'not the name of a hub repository'],
    [{ type: 'hf', dimensions: 3, name: '../etc' }, 'not the name of a hub repository'],
    [
      { type: 'hf', dimensions: 3, name: 'a/b', poolingMethod: 'max' },
      "poolingMethod of x must be 'mean' or 'cls', received 'max'",
    ],
    [{ type: 'hf', dimensions: 3, name: 'a/b', tokens: 0 }, "'tokens' must be a positive integer, received 0"],
    [
      { type: 'hf', dimensions: 3, name: 'a/b', text_query_prefix: 7 },
      "'textQueryPrefix' must be a string, received a number",
    ],
    [{ type: 'hf_stella', dimensions: 3, name: 'a/b' }, "must have 'trust_remote_code' true"],
    [
      { type: 'hf_stella', dimensions: 3, name: 'a/b', trust_remote_code: 'yes' },
      "'trustRemoteCode' must be true or false, received a string",
    ],
    [
      { type: 'hf', dimensions: 3, name: 'a/b', model_size: 'big' },
      '\'modelSize\' must be a number above 0, received "big"',
    ],
    [{ type: 'hf', dimensions: 3, name: 'a/b', modelSize: -1 }, "'modelSize' must be a number above 0, received -1"],
    [
      { type: 'hf', dimensions: 3, modelLocation: { hf: { repoId: 'a/b' }, auth_required: 'maybe' } },
      "'authRequired' must be true or false, received a string",
    ],
    [
      {
        ...{ type: 'hf', dimensions: 3, name: 'a/b' },
        tritonTextEncoderProperties: { name: '', sources: ['https://x.example/model.onnx'] },
      },
      'name of the text graph of x must be a string that is not empty',
    ],
    ...['../b', 'b@evil.example', 'b/c', '.b.', 'b?x'].map((Bucket): [object, string] => [
      { type: 'hf', dimensions: 3, modelLocation: { s3: { Bucket, Key: 'm.zip' } } },
      `the location of x must have the name of a bucket, letters, digits, dots and hyphens, received '${Bucket}'`,
    ]),
    [
      { type: 'hf', dimensions: 3, modelLocation: { s3: { Bucket: 'models', Key: '../other/m.zip' } } },
      "no . or .. in its path, received '../other/m.zip'",
    ],
    [
      { type: 'hf', dimensions: 3, modelLocation: { hf: { repoId: 'a/b', filename: '../../m.zip' } } },
      "no . or .. in its path, received '../../m.zip'",
    ],
    ...['/srv/model.onnx', 'hf://model.onnx', 's3://model.onnx', 'ftp://x.example/model.onnx'].map(
      (source): [object, string] => [
        { type: 'hf', dimensions: 3, name: 'a/b', onnx: { text: { sources: [source] } } },
        'must be an http(s) URL, s3://BUCKET/KEY or hf://ORGANISATION/REPOSITORY/FILE, received',
      ],
    ),
    [{ type: 'hf', dimensions: 3, localpath: '/etc/passwd' }, 'only the operator may do'],
    [
      { type: 'hf', dimensions: 3, url: 'https://x.example/m.zip', modelLocation: { hf: { repoId: 'a/b' } } },
      'more than one place',
    ],
    [
      { type: 'hf', dimensions: 3, url: 'https://x.example/pytorch_model.bin?sig=secret' },
      '.zip, .tar, .tar.gz or .tgz file that holds model.onnx and tokenizer.json, received /pytorch_model.bin',
    ],
    [{ type: 'hf', dimensions: 3, url: 'file:///etc/passwd' }, 'must be an http(s) URL, received file:///etc/passwd'],
    [
      { type: 'hf', dimensions: 3, url: 'https://user:secret@x.example/m.zip?sig=secret' },
      'without a user name and password, received them with https://x.example/m.zip',
    ],
    [
      { type: 'hf', dimensions: 3, url: 'https://user:secret@/m.zip' },
      'must be an http(s) URL, received https:///m.zip',
    ],
    [{ type: 'hf', dimensions: 3, url: { href: 'https://secret@x' } }, "'url' must be a string, received an object"],
    [{ type: 'hf', dimensions: 3, name: 'https://secret@x.example/a' }, 'not the name of a hub repository'],
    [
      { type: 'hf', dimensions: 3, onnx: { text: { sources: ['https://secret@x.example/m.bin?secret'] } } },
      'source https://x.example/m.bin of x must be named model.onnx',
    ],
    [{ type: 'hf', dimensions: 3, onnx: { text: { sources: [] } } }, '1 to 5 sources'],
    [
      { type: 'hf', dimensions: 3, onnx: { text: { sources: ['https://x.example/weights.bin'] } } },
      'must be named model.onnx',
    ],
  ])('%j', (properties, reason) => {
    const error = refusal('x', properties);
    expect(error).toMatchObject({ code: 'bad_request', status: 400, link: '/docs' });
    expect(error.message).toContain(reason);
    expect(error.message).not.toContain('secret');
  });

  test('a location must have exactly one of s3 and hf', () => {
    for (const modelLocation of [{}, { s3: { Bucket: 'b', Key: 'k.zip' }, hf: { repoId: 'a/b' } }]) {
      expect(refusal('x', { type: 'hf', dimensions: 3, modelLocation })).toMatchObject({ code: 'invalid_argument' });
    }
  });
});

describe('properties describe a model of their own', () => {
  test('both spellings of a member are read', () => {
    const camel = resolveModel('x', {
      type: 'hf',
      name: 'a/b',
      dimensions: 3,
      poolingMethod: 'cls',
      textQueryPrefix: 'q: ',
    });
    const snake = resolveModel('x', {
      type: 'hf',
      name: 'a/b',
      dimensions: 3,
      pooling_method: 'cls',
      text_query_prefix: 'q: ',
    });
    expect({ ...snake, properties: null }).toEqual({ ...camel, properties: null });
    expect(camel).toMatchObject({ pooling: 'cls', textQueryPrefix: 'q: ', tokens: 128, textChunkPrefix: null });
  });

  test('without a type they become sbert with 128 tokens, and are kept so', () => {
    const { type, tokens, properties } = resolveModel('x', { name: 'a/b', dimensions: 3 });
    expect({ type, tokens }).toEqual({ type: 'sbert', tokens: 128 });
    expect(properties).toEqual({ name: 'a/b', dimensions: 3, type: 'sbert', tokens: 128 });
  });

  test('they win over the registry, even for a name it knows', () => {
    expect(resolveModel('hf/e5-base-v2', { type: 'hf', name: 'a/b', dimensions: 3 })).toMatchObject({
      dimensions: 3,
      textQueryPrefix: null,
    });
  });

  test('equal properties in another order have one key, other weights or lengths another', () => {
    const key = (properties: object) => resolveModel('x', properties).key;
    const base = { type: 'hf', name: 'a/b', dimensions: 3 };
    expect(key({ dimensions: 3, name: 'a/b', type: 'hf' })).toBe(key(base));
    expect(key({ ...base, text_query_prefix: 'q: ' })).toBe(key(base));
    const others = [{ name: 'a/c' }, { dimensions: 4 }, { tokens: 64 }, { poolingMethod: 'cls' }];
    expect(new Set([base, ...others.map((other) => ({ ...base, ...other }))].map(key)).size).toBe(5);
  });

  test.each([
    [
      { url: 'https://x.example/m.zip?sig=1' },
      { kind: 'archive', file: { from: 'url', url: 'https://x.example/m.zip?sig=1' } },
    ],
    [
      { model_location: { s3: { Bucket: 'b', Key: 'p/m.zip' } } },
      { kind: 'archive', file: { from: 's3', bucket: 'b', key: 'p/m.zip' } },
    ],
    [
      { modelLocation: { hf: { repo_id: 'a/b', filename: 'm.zip' } } },
      { kind: 'archive', file: { from: 'hub', repo: 'a/b', file: 'm.zip' } },
    ],
    [
      { modelLocation: { hf: { repoId: 'a/b' } }, name: 'c/d' },
      { kind: 'hub', repo: 'a/b' },
    ],
    [
      { onnx: { text: { sources: ['s3://b/p/model.onnx', 'hf://a/b/tokenizer.json'] } } },
      { kind: 'files', tokenizerRepo: null },
    ],
    [
      { name: 'a/b', tritonTextEncoderProperties: { sources: ['https://x.example/model.onnx'] } },
      { kind: 'files', tokenizerRepo: 'a/b' },
    ],
  ])('%j says where the weights are', (place, weights) => {
    expect(resolveModel('x', { type: 'hf', dimensions: 3, ...place }).weights).toMatchObject(weights);
  });

  test('no_model has the dimensions it is given and embeds nothing', () => {
    expect(resolveModel('no_model', { type: 'no_model', dimensions: 7 })).toMatchObject({
      dimensions: 7,
      embeds: false,
    });
  });
});
