import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { wordTokenizer } from '../../../inference/test/onnx/onnx-model.js';
import { transformer } from '../../../inference/test/onnx/transformer-model.js';
import { EmulatedMachine, emulationAbsence } from './emulated-machine.js';
import { emptyFolder, ServerProcess } from './server-process.js';

const folder = emptyFolder('devices');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const models = join(folder, 'models.json');
const entry = (name: string, dimensions: number) => {
  mkdirSync(join(folder, name));
  writeFileSync(join(folder, name, 'model.onnx'), transformer({ vocabulary: 50, width: dimensions }));
  writeFileSync(join(folder, name, 'tokenizer.json'), wordTokenizer());
  return { folder: name, properties: { dimensions, tokens: 64, modelSize: 1 } };
};
/** Kernels compute heads of 32 and 64 components: the one model has such, the other has not. */
writeFileSync(
  models,
  JSON.stringify({ models: { 'small/wide': entry('wide', 64), 'small/narrow': entry('narrow', 8) } }),
);

const args = (name: string) => [
  '--data',
  join(folder, name),
  '--models',
  models,
  '--model-dir',
  join(folder, 'models'),
  '--hub',
  'none',
];

const documents = Array.from({ length: 60 }, (_, i) => ({
  _id: `${i}`,
  text: Array.from({ length: 1 + (i % 40) }, (_, j) => `w${(i * 7 + j * 3) % 40}`).join(' '),
}));

/** A server on a machine of two GPUs, with an index of the model that they compute and one of the other. */
async function serve(name: string, more: readonly string[] = []) {
  const machine = new EmulatedMachine(join(folder, `${name}-machine`));
  const server = await ServerProcess.start([...args(name), '--encoder', 'auto', ...more], { env: machine.env });
  onTestFinished(async () => {
    await server.end();
  });
  for (const model of ['wide', 'narrow']) await server.ok('POST', `/indexes/${model}`, { model: `small/${model}` });
  const embed = async (index: string, device = '') => {
    const content = documents.map(({ text }) => text);
    const { embeddings } = await server.ok('POST', `/indexes/${index}/embed${device}`, { content });
    return embeddings as number[][];
  };
  const rows = async () => {
    const { models: listed } = await server.ok('GET', '/models');
    return listed.map((row: Record<string, string>) => `${row.model_name} ${row.model_device} ${row.precision}`);
  };
  return { machine, server, embed, rows };
}

const cosine = (a: readonly number[], b: readonly number[]) => {
  const dot = (x: readonly number[], y: readonly number[]) =>
    x.reduce((sum, of, i) => sum + of * (y[i] ?? Number.NaN), 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
};

function expectSame(found: readonly number[][], expected: readonly number[][]): void {
  expect(found.length).toBe(expected.length);
  for (const [row, vector] of found.entries()) expect(cosine(vector, expected[row] ?? [])).toBeGreaterThan(0.999);
}

test('a machine without a driver has no CUDA device', async () => {
  const server = await ServerProcess.start(args('none'));
  onTestFinished(async () => {
    await server.end();
  });
  await server.ok('POST', '/indexes/wide', { model: 'small/wide' });
  const refused = await server.call('POST', '/indexes/wide/embed?device=cuda', { content: 'w1' });
  expect(refused).toMatchObject({
    status: 400,
    body: {
      code: 'hardware_compatability_error',
      message: 'Requested device is not available to this Pelorus instance. Requested device: `cuda`',
    },
  });
});

const absence = emulationAbsence();
if (absence !== null) console.warn(`skipped: no CUDA device was emulated, since ${absence}`);

describe.skipIf(absence !== null)('on a machine with two CUDA devices', () => {
  test('models run on the one that is named, on the CPU where none is, and leave it alone', async () => {
    const { server, embed, rows } = await serve('named');
    const onFirst = await embed('wide', '?device=cuda');
    expect(await rows()).toEqual(['small/wide cuda f16']);
    expect(await embed('wide', '?device=cuda:0')).toEqual(onFirst);
    expect(await embed('wide', '?device=cuda1')).toEqual(onFirst);
    expectSame(onFirst, await embed('wide'));
    expect(await rows()).toEqual(['small/wide cuda f16', 'small/wide cuda:1 f16', 'small/wide cpu f32']);

    const added = await server.ok('POST', '/indexes/wide/documents?device=cuda1', {
      documents,
      tensorFields: ['text'],
    });
    expect(added.errors).toBe(false);
    const { hits } = await server.ok('POST', '/indexes/wide/search', { q: documents[17]?.text });
    expect(hits[0]).toMatchObject({ _id: '17', _score: expect.closeTo(1, 3) });

    const missing = await server.call('POST', '/indexes/wide/embed?device=cuda2', { content: 'w1' });
    expect(missing).toMatchObject({ status: 400, body: { code: 'hardware_compatability_error' } });
    const { cuda_devices: devices } = await server.ok('GET', '/device/cuda');
    expect(devices.map((row: { device_id: number }) => row.device_id)).toEqual([0, 1]);

    const eject = (device: string) => server.call('DELETE', `/models?model_name=small/wide&model_device=${device}`);
    expect(await eject('cuda1')).toMatchObject({ status: 200 });
    expect(await eject('cuda1')).toMatchObject({ status: 404, body: { code: 'model_not_in_cache' } });
    expect(await rows()).toEqual(['small/wide cuda f16', 'small/wide cpu f32']);
    expect(await eject('cuda:0')).toMatchObject({ status: 200 });
    expect(await rows()).toEqual(['small/wide cpu f32']);
  });

  test('a model that no kernel computes runs on the CPU, which the log tells once', async () => {
    const { server, embed, rows } = await serve('narrow');
    const vectors = await embed('narrow', '?device=cuda');
    expect(await embed('narrow', '?device=cpu')).toEqual(vectors);
    expect(await rows()).toEqual(['small/narrow cpu f32']);
    const told = 'Model small/narrow runs on the CPU, not on cuda: kernel attention takes heads of 32 or 64 components';
    expect(server.output.split(told)).toHaveLength(2);
  });

  test('a device without room has the CPU compute, and computes again when it has', async () => {
    const { machine, server, embed, rows } = await serve('full');
    const expected = await embed('wide', '?device=cpu');
    machine.set('room 0');
    expect(await embed('wide', '?device=cuda')).toEqual(expected);
    expect(server.output).toContain('Model small/wide runs on the CPU, not on cuda: the device has no room for');
    machine.set();
    expectSame(await embed('wide', '?device=cuda1'), expected);
    machine.set('fail cuMemAlloc_v2 2');
    const texts = [...documents, ...documents].map(({ text }, i) => `${text} w${i % 40}`);
    const { embeddings } = await server.ok('POST', '/indexes/wide/embed?device=cuda1', { content: texts });
    expect(embeddings).toHaveLength(texts.length);
    expect(server.output).toContain('The CPU computed some texts in the place of cuda:1: the device has no room for');
    expect(await server.ok('GET', '/health')).toMatchObject({ inference: { status: 'green' } });
    expect(await rows()).toEqual(['small/wide cpu f32', 'small/wide cuda:1 f16']);
  });

  test('a device that is lost is told of in the log and in health, and the server lives', async () => {
    const { machine, server, embed, rows } = await serve('lost');
    await embed('wide', '?device=cuda');
    machine.set('fail cuLaunchKernel 719');
    const texts = documents.map(({ text }) => `w39 ${text}`);
    const after = await server.ok('POST', '/indexes/wide/embed?device=cuda', { content: texts });
    expect(after.embeddings).toHaveLength(texts.length);
    const reason =
      'The CPU computes in the place of cuda: the device is lost: cuLaunchKernel failed with CUDA_ERROR_LAUNCH_FAILED: unspecified launch failure.';
    expect(await server.ok('GET', '/health')).toMatchObject({
      status: 'yellow',
      inference: { status: 'yellow', reasons: [reason] },
    });
    expect(server.output).toContain('The CPU computes in the place of cuda until the server is started anew');
    machine.set();
    // Vectors of texts that are known would come from the cache.
    const { embeddings } = await server.ok('POST', '/indexes/wide/embed?device=cuda', { content: ['w1 w2 w3'] });
    const on = await server.ok('POST', '/indexes/wide/embed?device=cuda1', { content: ['w1 w2 w3'] });
    expectSame(embeddings, on.embeddings);
    expect(await rows()).toEqual(['small/wide cpu f32', 'small/wide cuda:1 f16']);
  });

  test('its models have a bound of their own', async () => {
    const { server } = await serve('bound', ['--max-cuda-model-memory', '0.5']);
    const refused = await server.call('POST', '/indexes/wide/embed?device=cuda', { content: 'w1' });
    expect(refused).toMatchObject({
      status: 409,
      body: {
        code: 'model_cache_management_error',
        message: 'There is not enough room to load model small/wide on cuda: it takes 1 of a model memory of 0.5.',
      },
    });
    expect(await server.call('POST', '/indexes/wide/embed?device=cpu', { content: 'w1' })).toMatchObject({
      status: 200,
    });
  });

  test('a device that is named runs models that are else left to ONNX Runtime', async () => {
    const { embed, rows } = await serve('runtime', ['--encoder', 'onnxruntime']);
    const vectors = await embed('wide');
    expect(await rows()).toEqual(['small/wide cpu f32']);
    expectSame(await embed('wide', '?device=cuda'), vectors);
    expect(await rows()).toEqual(['small/wide cpu f32', 'small/wide cuda f16']);
  });
});
