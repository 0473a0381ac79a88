import { describe, expect, test } from 'vitest';
import { resolveModel } from '../../src/registry/resolve.js';
import type { ResolvedModel } from '../../src/resolved-model.js';
import { cpuBatchPolicy } from '../../src/runtime/batch-policy.js';
import type { Device } from '../../src/runtime/device.js';
import { type DeviceLimits, Devices } from '../../src/runtime/devices.js';
import type { Encoder } from '../../src/runtime/encoder.js';
import { LoadedModels } from '../../src/runtime/loaded-models.js';
import type { ModelStore } from '../../src/sources/model-store.js';

/** An encoder that is there and computes nothing. */
class IdleEncoder implements Encoder {
  readonly dimensions = 8;
  readonly device: Device;
  isBusy = false;
  isReleased = false;

  constructor(device: Device) {
    this.device = device;
  }

  async encode(): Promise<never> {
    throw new Error('this encoder computes nothing');
  }

  async encodeTensors(): Promise<never> {
    throw new Error('this encoder computes nothing');
  }

  async release(): Promise<void> {
    this.isReleased = true;
  }
}

const limits = (device: Device, modelMemory: number): DeviceLimits => ({
  device,
  modelMemory,
  batchPolicy: cpuBatchPolicy(256),
});

/** Models whose files are always there, on a machine with a GPU and a CPU. */
function loadedModels(gpuMemory: number, cpuMemory: number, bytes = 0) {
  const opened = new Map<string, IdleEncoder>();
  const folder = { path: '/models', graphs: {}, bytes, tokenizer: '', pooling: null, unitLength: false };
  const store = { ensure: async () => folder, withoutFolders: (error: unknown) => error } as unknown as ModelStore;
  const devices = new Devices([limits('cuda:0', gpuMemory), limits('cpu', cpuMemory)]);
  const open = async (model: ResolvedModel, _folder: unknown, device: Device) => {
    const encoder = new IdleEncoder(device);
    opened.set(`${model.name} ${device}`, encoder);
    return encoder;
  };
  const models = new LoadedModels(open, store, devices);
  const get = (name: string, device: Device) => models.get(model(name), device, undefined);
  return { models, opened, get };
}

/** A model of size 1. */
const model = (name: string) => resolveModel(name, { type: 'hf', name: `test/${name}`, dimensions: 8, modelSize: 1 });

const rows = (models: LoadedModels<ResolvedModel>) =>
  models.list().map((row) => `${row.model_name} ${row.model_device}`);

describe('each device', () => {
  test('has a model of its own, opened once', async () => {
    const { models, opened, get } = loadedModels(4, 4);
    const [first, again] = await Promise.all([get('a', 'cpu'), get('a', 'cpu')]);
    expect(again).toBe(first);
    expect((await get('a', 'cuda:0')).encoder).toBe(opened.get('a cuda:0'));
    expect(rows(models)).toEqual(['a cpu', 'a cuda:0']);
  });

  test('has room of its own', async () => {
    const { models, opened, get } = loadedModels(2, 3);
    for (const name of ['a', 'b']) await get(name, 'cpu');
    await get('c', 'cuda:0');
    expect(rows(models)).toEqual(['a cpu', 'b cpu', 'c cuda:0']);
    await get('d', 'cuda:0');
    expect(rows(models)).toEqual(['a cpu', 'b cpu', 'd cuda:0']);
    expect([...opened].filter(([, { isReleased }]) => isReleased).map(([name]) => name)).toEqual(['c cuda:0']);
  });

  test('keeps what is in use, and says so when that leaves no room', async () => {
    const { opened, get } = loadedModels(2, 9);
    await get('a', 'cuda:0');
    await get('a', 'cpu');
    (opened.get('a cuda:0') as IdleEncoder).isBusy = true;
    await expect(get('b', 'cuda:0')).rejects.toMatchObject({
      code: 'model_cache_management_error',
      message: expect.stringContaining('on cuda:0: it takes 1 of a model memory of 2'),
    });
  });
});

test('a model is ejected from one device, or from all', async () => {
  const { models, get } = loadedModels(4, 4);
  for (const device of ['cpu', 'cuda:0'] as const) for (const name of ['a', 'b']) await get(name, device);
  expect(await models.eject('a', 'CUDA:0')).toMatchObject({ name: 'a', devices: ['cuda:0'] });
  expect(rows(models)).toEqual(['a cpu', 'b cpu', 'b cuda:0']);
  expect(await models.eject('b', undefined)).toMatchObject({ name: 'b', devices: ['cpu', 'cuda:0'] });
  expect(rows(models)).toEqual(['a cpu']);
});

test('a model takes what its files say where that is more than it declares', async () => {
  const { models, get } = loadedModels(0, 4, 1.6e9);
  for (const name of ['a', 'b']) await get(name, 'cpu');
  expect(rows(models)).toEqual(['a cpu', 'b cpu']);
  await get('a', 'cpu');
  await get('c', 'cpu');
  expect(rows(models)).toEqual(['a cpu', 'c cpu']);
  const huge = loadedModels(0, 4, 4.2e9);
  await expect(huge.get('a', 'cpu')).rejects.toThrow('it takes 4.2 of a model memory of 4');
});
