import type { RequestListener } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { MediaInput } from '@pelorus/node';
import { expect, onTestFinished, test } from 'vitest';
// As built: its threads do not read TypeScript.
import { MediaEmbedder } from '../../dist/media/media-embedder.js';
import { resolveModel } from '../../src/registry/resolve.js';
import type { TensorBatch } from '../../src/runtime/encoder.js';
import { serveMedia } from './media-server.js';
import { dataUri, picture } from './pictures.js';

const model = resolveModel('random/small');
const media = {
  headers: {},
  patchMethod: null,
  video: null,
  audio: null,
  fileBytesMax: 1,
  treated: ['image' as const],
};

function embedder(mediaMemoryBytes = 64 * 1024 * 1024) {
  const made = new MediaEmbedder({
    mediaNetworks: ['127.0.0.0/8'],
    pictureThreads: 1,
    mediaMemoryBytes,
    ffmpegCommand: null,
    recordingsMax: 1,
    report: () => undefined,
  });
  onTestFinished(() => made.close());
  return made;
}

const inputs = (pointers: readonly string[]): MediaInput[] =>
  pointers.map((pointer, row) => ({ row, pointer, medium: 'image', patches: false }));

/** Zeros for each tensor. */
const zeros = async (_: unknown, { values, shape }: TensorBatch) => {
  const count = values.length / shape.reduce((product, size) => product * size, 1);
  return { vectors: new Float32Array(count * model.dimensions), failures: [] };
};

const requests = { model, media, priority: 'document', encodeTensors: zeros, detect: zeros } as const;

test('the model computes while other pictures are on their way', async () => {
  const { promise: computing, resolve: computes } = Promise.withResolvers<void>();
  const { promise: arrived, resolve: arrives } = Promise.withResolvers<void>();
  const { origin } = await serveMedia({
    '/first.png': picture(1),
    '/second.png': async (_, response) => {
      await computing;
      response.end(picture(2));
      arrives();
    },
  });
  const encodeTensors: typeof zeros = async (medium, tensors) => {
    computes();
    await arrived;
    return zeros(medium, tensors);
  };
  const pointers = ['first', 'second'].map((name) => `${origin}/${name}.png`);
  const outcomes = await embedder().embed(inputs(pointers), { ...requests, encodeTensors });
  expect(outcomes.map(({ kind }) => kind)).toEqual(['vectors', 'vectors']);
});

test('with memory for one picture at a time all are embedded, one after the other', async () => {
  let held = 0;
  let heldMax = 0;
  const serve: RequestListener = (_, response) => {
    response.end(picture(1, 200, 200));
  };
  const paths = Array.from({ length: 30 }, (_, i) => `/${i}.png`);
  const { origin } = await serveMedia(Object.fromEntries(paths.map((path) => [path, serve])));
  const encodeTensors: typeof zeros = async (medium, tensors) => {
    held += 1;
    heldMax = Math.max(heldMax, held);
    await new Promise((resolve) => setImmediate(resolve));
    held -= 1;
    return zeros(medium, tensors);
  };
  const pointers = [...paths.map((path) => origin + path), ...paths.map((_, i) => dataUri(picture(i)))];
  const outcomes = await embedder(1).embed(inputs(pointers), { ...requests, encodeTensors });
  expect(outcomes.map(({ kind }) => kind)).toEqual(new Array(60).fill('vectors'));
  expect(heldMax).toBe(1);
});

test('no more is fetched ahead of the model than a call may hold', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const paths = Array.from({ length: 100 }, (_, i) => `/${i}.png`);
  const server = await serveMedia(Object.fromEntries(paths.map((path, i) => [path, picture(i)])));
  let waiting = 0;
  const encodeTensors: typeof zeros = async (medium, tensors) => {
    waiting++;
    await released;
    return zeros(medium, tensors);
  };
  const all = paths.map((path) => server.origin + path);
  const embedding = embedder().embed(inputs(all), { ...requests, encodeTensors, media: { ...media, connections: 4 } });
  await expect.poll(() => waiting).toBe(4);
  await expect.poll(() => server.requests.length).toBe(20);
  await setTimeout(20);
  expect(server.requests).toHaveLength(20);
  release();
  expect(await embedding).toHaveLength(100);
});

test.each([
  ['it may', { media: { ...media, connections: 3 } }, 3],
  ['are usual', {}, 20],
  ['are usual for films and sounds', { model: { ...model, type: 'languagebind' as const } }, 5],
])('a call takes no more connections than %s', async (_, changed, expected) => {
  let open = 0;
  let openMax = 0;
  const { promise: reached, resolve: isReached } = Promise.withResolvers<void>();
  const paths = Array.from({ length: 50 }, (_, i) => `/${i}.png`);
  const serve: RequestListener = async (_, response) => {
    open += 1;
    openMax = Math.max(openMax, open);
    if (open === expected) isReached();
    await reached;
    open -= 1;
    response.end(picture(1));
  };
  const { origin } = await serveMedia(Object.fromEntries(paths.map((path) => [path, serve])));
  await embedder().embed(inputs(paths.map((path) => origin + path)), { ...requests, ...changed });
  expect(openMax).toBe(expected);
});

test('when the encoder throws, the call does, and what is still to be fetched is not', async () => {
  const never: RequestListener = () => undefined;
  const paths = Array.from({ length: 50 }, (_, i) => `/${i}.png`);
  const server = await serveMedia({
    '/a.png': picture(1),
    ...Object.fromEntries(paths.map((path) => [path, never])),
  });
  const lost = new Error('a worker was lost');
  const encodeTensors = async () => {
    throw lost;
  };
  const pointers = ['/a.png', ...paths].map((path) => server.origin + path);
  await expect(embedder().embed(inputs(pointers), { ...requests, encodeTensors })).rejects.toBe(lost);
  await new Promise((resolve) => setImmediate(resolve));
  expect(server.requests.length).toBeLessThanOrEqual(22);
});
