import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PelorusError } from '@pelorus/contract';
import { describe, expect, test } from 'vitest';
import { parseModelFile, readModelFile } from '../src/model-file/model-file.js';
import { resolveModel } from '../src/registry/resolve.js';
import { temporaryDirectory } from './temporary-directory.js';

const file = (models: unknown) => parseModelFile({ models }, '/etc/pelorus/models.json');

const far = { type: 'openai', url: 'https://far.example/v1/embeddings', name: 'small', dimensions: 8 };

describe('a file that is wrong is refused with the place in it', () => {
  test.each([
    [[], ''],
    [{}, "must have required property 'models'"],
    [{ models: { a: 3 } }, 'models["a"]: must be object'],
    [{ models: { 'hf/e5-base-v2': { folder: 3 } } }, 'models["hf/e5-base-v2"].folder: must be string'],
    [{ models: { 'hf/e5-base-v2': { folders: 'x' } } }, 'models["hf/e5-base-v2"].folders: no such member'],
    [{ models: { a: { properties: { tokens: 0 } } } }, 'models["a"].properties.tokens: must be >= 1'],
    [{ models: {}, model: {} }, 'model: no such member'],
    [{ models: { a: {} } }, 'models["a"]: one of folder, alias, properties is needed'],
    [{ models: { a: { alias: 'b', folder: 'c' } } }, 'models["a"]: alias must stand alone'],
    [{ models: { a: { alias: 'b' } } }, 'models["a"].alias: no model is called "b"'],
    [{ models: { a: { alias: 'b' }, b: { alias: 'a' } } }, 'models["b"].alias: goes round in a circle, a -> b -> a'],
    [{ models: { a: { folder: 'c' } } }, 'models["a"].properties.dimensions: needed'],
    [
      { models: { 'detector/frcnn': { alias: 'b' } } },
      'models["detector/frcnn"]: such a model has a folder and nothing else',
    ],
    [{ models: { 'detector/frcnn': {} } }, 'models["detector/frcnn"]: such a model has a folder and nothing else'],
    [{ models: { no_model: { folder: 'c' } } }, 'models["no_model"]: no_model has no weights'],
    [
      { models: { a: { folder: 'c', keyFile: 'k', properties: { dimensions: 3 } } } },
      'models["a"]: only a service, such as one of type openai, has a key',
    ],
    [{ models: { a: { folder: 'c', properties: far } } }, 'models["a"].folder: a service has none'],
    [
      { models: { a: { keyFile: 'k', keyVariable: 'K', properties: far } } },
      'models["a"]: only one of keyFile and keyVariable may be given',
    ],
    [
      { models: { a: { properties: { ...far, dimensions: undefined } } } },
      `models["a"].properties: [{"loc": ["__root__"], "msg": "Invalid model properties for model=a. Reason: model_properties has missing key 'dimensions'`,
    ],
    [
      { models: { a: { properties: { ...far, url: 'ftp://far.example' } } } },
      'models["a"].properties: the location of a must be an http(s) URL, received ftp://far.example',
    ],
    [
      { models: { a: { properties: { ...far, tokens: 3 } } } },
      `models["a"].properties: modelProperties of a: 'tokens' is no member of type openai`,
    ],
  ])('%j', (value, problem) => {
    const attempt = () => parseModelFile(value, '/etc/pelorus/models.json');
    expect(attempt).toThrow(PelorusError);
    expect(attempt).toThrow(`model file /etc/pelorus/models.json: ${problem}`);
  });

  test('a byte order mark before a file is none of it', async () => {
    const path = join(await temporaryDirectory(), 'models.json');
    await writeFile(path, '\uFEFF{"models": {"a": {"alias": "hf/e5-small-v2"}}}');
    expect(readModelFile(path).get('a')).toMatchObject({ alias: 'hf/e5-small-v2' });
  });

  test('a file that is absent or no JSON is named', async () => {
    const path = join(await temporaryDirectory(), 'models.json');
    expect(() => readModelFile(path)).toThrow(`model file ${path}: ENOENT`);
    await writeFile(path, '{');
    expect(() => readModelFile(path)).toThrow(`model file ${path}: Expected`);
  });
});

test('a folder is taken from the file it stands in, and changes nothing else', () => {
  const model = resolveModel('hf/e5-base-v2', undefined, file({ 'hf/e5-base-v2': { folder: 'e5' } }));
  expect(model).toMatchObject({
    dimensions: 768,
    textQueryPrefix: 'query: ',
    weights: { kind: 'folder', path: '/etc/pelorus/e5' },
  });
});

test('an alias stands for the other name through any number of steps', () => {
  const models = file({ 'hf/e5-large-v2': { alias: 'house' }, house: { alias: 'hf/e5-small-v2' } });
  const model = resolveModel('hf/e5-large-v2', undefined, models);
  expect(model).toMatchObject({ name: 'hf/e5-large-v2', dimensions: 384 });
  expect(model.key).toBe(resolveModel('hf/e5-small-v2').key);
});

test('properties change what the registry says and keep the rest', () => {
  const changes = { tokens: 128, textQueryPrefix: '' };
  const model = resolveModel('hf/e5-base-v2', undefined, file({ 'hf/e5-base-v2': { properties: changes } }));
  expect(model).toMatchObject({
    tokens: 128,
    textQueryPrefix: '',
    textChunkPrefix: 'passage: ',
    pooling: 'mean',
    properties: null,
  });
  expect(model.weights).toEqual(resolveModel('hf/e5-base-v2').weights);
});

test('a new name has the properties it is given, and may have any form when it has a folder', () => {
  const models = file({
    'house encoder': { folder: '/srv/house', properties: { dimensions: 512, poolingMethod: 'cls' } },
  });
  expect(resolveModel('house encoder', undefined, models)).toMatchObject({
    type: 'hf',
    dimensions: 512,
    pooling: 'cls',
    weights: { kind: 'folder', path: '/srv/house' },
  });
});

test('the folder of a name also serves an index that brings properties of its own', () => {
  const models = file({ label: { folder: '/srv/label', properties: { dimensions: 3 } } });
  const model = resolveModel('label', { type: 'hf', name: 'a/b', dimensions: 5 }, models);
  expect(model).toMatchObject({ dimensions: 5, weights: { kind: 'folder', path: '/srv/label' } });
});

describe('an index under another label', () => {
  const models = file({
    'house/encoder': { folder: '/srv/house', properties: { dimensions: 3 } },
    'hf/e5-large-v2': { alias: 'house/encoder' },
  });
  const weights = (properties: object) =>
    resolveModel('label', { type: 'hf', dimensions: 5, ...properties }, models).weights;

  test('is served by what the file maps the name of its properties to', () => {
    const folder = { kind: 'folder', path: '/srv/house' };
    expect(weights({ name: 'house/encoder' })).toEqual(folder);
    expect(weights({ name: 'hf/e5-large-v2' })).toEqual(folder);
    expect(weights({ name: 'house/other' })).toMatchObject({ kind: 'hub', repo: 'house/other' });
  });

  test('keeps a place of its own, and a kind that needs no files', () => {
    const url = 'https://x.example/m.zip';
    expect(weights({ name: 'house/encoder', url })).toEqual({ kind: 'archive', file: { from: 'url', url } });
    expect(weights({ name: 'house/encoder', type: 'random' })).toEqual({ kind: 'random' });
  });
});

test('a service has the place of its key, from the file it stands in, and the properties of its own name alone', () => {
  const models = file({
    far: { properties: far, keyFile: 'far.key' },
    other: { properties: { ...far, type: 'cohere', batchInputsMax: 5, timeoutMs: 7 }, keyVariable: 'KEY' },
    'hf/e5-base-v2': { properties: far },
    same: { alias: 'far' },
  });
  const service = (name: string, properties?: object) => resolveModel(name, properties, models).weights;
  const usual = { form: 'openai', url: far.url, model: 'small', sendsDimensions: false, isOperators: true };
  const bounds = { batchInputsMax: 128, timeoutMs: 60_000 };
  const keyPlace = { file: '/etc/pelorus/far.key' };
  expect(service('far')).toEqual({ kind: 'service', service: { ...usual, ...bounds, keyPlace } });
  expect(service('same')).toEqual(service('far'));
  expect(service('hf/e5-base-v2')).toEqual({ kind: 'service', service: { ...usual, ...bounds, keyPlace: null } });
  expect(service('other')).toMatchObject({
    service: { form: 'cohere', batchInputsMax: 5, timeoutMs: 7, keyPlace: { variable: 'KEY' } },
  });
  // A key goes to the place that the operator has it for, and to no other.
  const theirs = { ...far, url: 'https://elsewhere.example/' };
  expect(service('far', theirs)).toMatchObject({ service: { url: theirs.url, isOperators: false, keyPlace: null } });
  expect(service('label', { type: 'hf', name: 'far', dimensions: 8 })).toMatchObject({ kind: 'hub' });
});

test('moving a folder does not change the key', () => {
  const key = (folder: string) => resolveModel('hf/e5-base-v2', undefined, file({ 'hf/e5-base-v2': { folder } })).key;
  expect(key('/a')).toBe(key('/b'));
});
