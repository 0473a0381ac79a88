import { InputBatch } from '@pelorus/node';
import { afterAll, expect, test } from 'vitest';
import { type CacheCounts, createInference, textInputs } from '../src/index.js';
import { createRemoteInference, type InferenceCalls, inferenceCalls } from '../src/remote-inference.js';

const inference = createInference({ hubUrl: null });
afterAll(() => inference.close());

/** Calls whose arguments and results are cloned, as between two threads. */
function acrossThreads(calls: InferenceCalls): InferenceCalls {
  return {
    embed: async (asked, signal) => structuredClone(await calls.embed(structuredClone(asked), signal)),
    embedQuery: async (asked, signal) => structuredClone(await calls.embedQuery(structuredClone(asked), signal)),
    locate: async (asked, signal) => structuredClone(await calls.locate(structuredClone(asked), signal)),
    score: async (asked, signal) => structuredClone(await calls.score(structuredClone(asked), signal)),
    fieldVectors: async (asked, signal) => structuredClone(await calls.fieldVectors(structuredClone(asked), signal)),
    noteModelUse: (model) => calls.noteModelUse(structuredClone(model)),
  };
}

const remote = createRemoteInference({}, inference.shareQueries(), acrossThreads(inferenceCalls(inference)));
const model = remote.resolve('random/small');
const texts = ['a lamp', 'a coat', 'a lamp'];

test('a name means the same on every thread, and a model that nobody knows is refused in the same words', () => {
  expect(model).toEqual(inference.resolve('random/small'));
  const refusal = (resolve: () => unknown) => {
    try {
      return resolve();
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(refusal(() => remote.resolve('nobody/knows'))).toBe(refusal(() => inference.resolve('nobody/knows')));
  const splade = { type: 'splade', name: 'a/b', dimensions: 8 };
  expect(remote.resolveField('x', splade)).toEqual(inference.resolveField('x', splade));
  expect(refusal(() => remote.resolve('x', splade))).toBe(refusal(() => inference.resolve('x', splade)));
  expect(refusal(() => remote.device('moon'))).toBe(refusal(() => inference.device('moon')));
});

test('documents and queries have the vectors that the thread with the models gives them', async () => {
  const inputs = () => InputBatch.of(textInputs(texts));
  const [there, here] = [await inference.embed(model, inputs(), { normalize: true }), inputs()];
  expect(await remote.embed(model, here, { normalize: true })).toEqual(there);
  await expect(remote.embed(model, here, { normalize: true })).rejects.toMatchObject({ code: 'invalid_argument' });
  const query = await inference.embedQuery(model, textInputs(texts), { normalize: true });
  expect(await remote.embedQuery(model, textInputs(texts), { normalize: true })).toEqual(query);
});

test('the cache of query vectors is one, and what it counts is told', async () => {
  const counts: CacheCounts[] = [];
  const options = { normalize: false, cacheTelemetry: (one: CacheCounts) => void counts.push(one) };
  await inference.embedQuery(model, textInputs(['a cloud']), options);
  await remote.embedQuery(model, textInputs(['a cloud', 'a river']), options);
  expect(counts).toEqual([
    { hits: 0, misses: 1 },
    { hits: 1, misses: 1 },
  ]);
});

test('a call that nobody waits for computes nothing, and a model without vectors is refused', async () => {
  const signal = AbortSignal.abort(new Error('enough'));
  const inputs = InputBatch.of(textInputs(texts));
  await expect(remote.embed(model, inputs, { normalize: true, signal })).rejects.toThrow('enough');
  const none = remote.resolve('no_model', { type: 'no_model', dimensions: 4 });
  await expect(remote.embedQuery(none, textInputs(texts), { normalize: true })).rejects.toMatchObject({
    code: 'invalid_argument',
  });
});
