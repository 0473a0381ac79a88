import { describe, expect, test } from 'vitest';
import { withProperties } from '../../src/registry/changed-properties.js';
import { vectorKey } from '../../src/registry/model-key.js';
import { registryEntry } from '../../src/registry/registry.js';
import { resolveModel } from '../../src/registry/resolve.js';

const own = { type: 'hf', name: 'org/model', dimensions: 8, poolingMethod: 'cls', text_query_prefix: 'q: ' };

test.each([
  { url: 'https://models.example/moved.zip' },
  { modelLocation: { hf: { repoId: 'mirror/model' } } },
  { model_location: { s3: { Bucket: 'b', Key: 'k.zip' }, auth_required: true } },
  { tokens: 64 },
  { note: 'checked', modelSize: 2 },
])('how a model is fetched and run may change: %j', (change) => {
  const model = withProperties('mine', own, { ...own, ...change });
  expect(model).toMatchObject({ dimensions: 8, pooling: 'cls', properties: { ...own, ...change } });
});

test.each([
  ['type', { type: 'sbert' }],
  ['dimensions', { dimensions: 9 }],
  ['name', { name: 'org/other' }],
  ['poolingMethod', { poolingMethod: 'mean' }],
  ['textQueryPrefix', { text_query_prefix: 'other: ' }],
  ['textChunkPrefix', { textChunkPrefix: 'new: ' }],
  ['mean', { mean: [1, 2, 3] }],
])('%s is what stored vectors depend on', (member, change) => {
  const changed = () => withProperties('mine', own, { ...own, ...change });
  expect(changed).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
  expect(changed).toThrow(`modelProperties.${member} of mine cannot be changed`);
});

describe('properties of a service', () => {
  const far = { type: 'openai', url: 'https://far.example/v1/embeddings', name: 'small', dimensions: 8 };

  test.each([{ url: 'https://near.example/v1/embeddings' }, { batchInputsMax: 4 }, { timeoutMs: 100 }])(
    'the way to it may change: %j',
    (change) => {
      const model = withProperties('far', far, { ...far, ...change });
      expect(model.key).toBe(resolveModel('far', far).key);
      expect(vectorKey(model)).not.toBe(vectorKey(resolveModel('far', far)));
    },
  );

  test.each([
    ['type', { type: 'ollama' }],
    ['name', { name: 'large' }],
    ['sendDimensions', { sendDimensions: true }],
  ])('%s is what stored vectors depend on', (member, change) => {
    expect(() => withProperties('far', far, { ...far, ...change })).toThrow(`modelProperties.${member} of far cannot`);
    expect(resolveModel('far', { ...far, ...change }).key).not.toBe(resolveModel('far', far).key);
  });

  test('properties may take the place of those of the operator', () => {
    const properties = { ...far, type: 'openai', sendDimensions: true };
    const file = new Map([['far', { properties }]]);
    expect(withProperties('far', undefined, properties, { file }).weights).toMatchObject({
      service: { url: far.url, sendsDimensions: true, isOperators: false },
    });
  });
});

describe('a change that is forced', () => {
  test.each([{ type: 'sbert' }, { name: 'org/other' }, { poolingMethod: 'mean' }, { poolingMethod: undefined }])(
    'may be of what stored vectors depend on: %j',
    (change) => {
      const wanted = JSON.parse(JSON.stringify({ ...own, ...change }));
      expect(() => withProperties('mine', own, wanted)).toThrow('With force=true it is changed');
      expect(withProperties('mine', own, wanted, { isForced: true })).toMatchObject({ properties: wanted });
    },
  );

  test.each([
    ['dimensions', { dimensions: 9 }],
    ['textQueryPrefix', { text_query_prefix: 'other: ' }],
    ['textChunkPrefix', { textChunkPrefix: 'new: ' }],
  ])('may not be of what an index cannot work without: %s', (member, change) => {
    expect(() => withProperties('mine', own, { ...own, ...change }, { isForced: true })).toThrow(
      new RegExp(`modelProperties.${member} of mine cannot be changed.*Nor can it with force=true`),
    );
  });

  test('gives no model to an index without one, and takes none away', () => {
    const none = { type: 'no_model', dimensions: 8 };
    const { text_query_prefix: _, ...model } = own;
    expect(() => withProperties('no_model', none, model, { isForced: true })).toThrow("'type = hf'");
    expect(() => withProperties('mine', model, none, { isForced: true })).toThrow("'type = no_model'");
  });

  test('keeps to the rules of properties', () => {
    expect(() => withProperties('mine', own, { type: 'hf' }, { isForced: true })).toThrow("missing key 'dimensions'");
  });
});

test('members that vectors depend on must be given again, except the prefixes', () => {
  const { text_query_prefix: _, ...rest } = own;
  expect(withProperties('mine', own, rest).properties).toEqual(rest);
  const { poolingMethod, ...withoutPooling } = rest;
  expect(() => withProperties('mine', own, withoutPooling)).toThrow("Expected 'cls', received none");
});

test('a spelling of a name is the same name', () => {
  const { poolingMethod, ...rest } = own;
  expect(withProperties('mine', own, { ...rest, pooling_method: 'cls' })).toMatchObject({ pooling: 'cls' });
});

test('a model of the registry takes properties that say the same', () => {
  const { source, type, dimensions, pooling } = registryEntry('hf/e5-small-v2') ?? {};
  const known = { type, name: source ?? 'hf/e5-small-v2', dimensions, ...(pooling && { poolingMethod: pooling }) };
  const moved = { ...known, url: 'https://models.example/e5.zip' };
  expect(withProperties('hf/e5-small-v2', undefined, moved)).toMatchObject({ dimensions: 384, properties: moved });
  expect(() => withProperties('hf/e5-small-v2', undefined, { ...known, dimensions: 385 })).toThrow('Expected 384');
});

test('properties that are none, or break a rule, are refused as at creation', () => {
  expect(() => withProperties('mine', own, {})).toThrow("missing key 'dimensions'");
  expect(() => withProperties('mine', own, { ...own, url: 'a.zip', localpath: 'b' })).toThrow('more than one place');
});

test('the graphs of a joint model may move, and how it takes its inputs may not change', () => {
  const graph = (host: string) => ({ sources: [`https://${host}.example/model.onnx`] });
  const graphs = (host: string) => ({ text: graph(host), image: graph(host) });
  const clip = { type: 'open_clip', name: 'mine', dimensions: 8, size: 96, onnx: graphs('a') };
  const moved = withProperties('mine', clip, { ...clip, onnx: graphs('b') });
  expect(moved).toMatchObject({ picture: { size: 96 }, modalities: ['text', 'image'] });
  for (const change of [{ size: 64 }, { tokenizer: 'a/b' }, { imagePreprocessor: 'SigLIP' }]) {
    expect(() => withProperties('mine', clip, { ...clip, ...change })).toThrow('cannot be changed');
  }
  const audio = 'LanguageBind/Audio_FT';
  const known = { type: 'languagebind', name: audio, dimensions: 768, supportedModalities: ['audio', 'text'] };
  const whole = { ...known, loader: 'languagebind', video_chunk_length: 20, audioChunkLength: 10 };
  expect(() => withProperties(audio, undefined, known)).toThrow("missing key 'loader'");
  expect(withProperties(audio, undefined, whole)).toMatchObject({ modalities: ['text', 'audio'] });
});
