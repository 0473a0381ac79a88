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
  readonly runtime = 'onnxruntime';
  readonly precision = 'f32';
  readonly sharesWeights: boolean;
  isBusy = false;
  isReleased = false;
  copies: number;

  constructor(device: Device, copies: number, sharesWeights: boolean) {
    this.device = device;
    this.copies = copies;
    this.sharesWeights = sharesWeights;
  }

  setCopies(count: number): void {
    this.copies = count;
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

const limits = (device: Device, modelMemory: number, copiesMax: number, copyBytes = 0): DeviceLimits => ({
  device,
  modelMemory,
  copyBytes,
  copiesMax,
  batchPolicy: cpuBatchPolicy(256),
});

/** Models whose files are always there, on a machine with a GPU and a CPU. */
function loadedModels(
  gpuMemory: number,
  cpuMemory: number,
  bytes = 0,
  copiesMax = 1,
  copyBytes = 0,
  sharesWeights = false,
) {
  const opened = new Map<string, IdleEncoder>();
  const folder = { path: '/models', graphs: {}, bytes, tokenizer: '', pooling: null, unitLength: false };
  const store = { ensure: async () => folder, withoutFolders: (error: unknown) => error } as unknown as ModelStore;
  const devices = new Devices([limits('cuda:0', gpuMemory, copiesMax), limits('cpu', cpuMemory, copiesMax, copyBytes)]);
  const open = async (model: ResolvedModel, _folder: unknown, device: Device, copies: number) => {
    const encoder = new IdleEncoder(device, copies, sharesWeights);
    opened.set(`${model.name} ${device}`, encoder);
    return encoder;
  };
  const models = new LoadedModels(open, store, devices, async () => sharesWeights);
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

test('a model that takes all of the memory does not fit', async () => {
  const { models, get } = loadedModels(0, 1);
  await expect(get('a', 'cpu')).rejects.toMatchObject({
    code: 'model_cache_management_error',
    message: expect.stringContaining('on cpu: it takes 1 of a model memory of 1, and must take less.'),
  });
  expect(rows(models)).toEqual([]);
  await expect(loadedModels(0, 1.001).get('a', 'cpu')).resolves.toMatchObject({ size: 1 });
});

test('a copy counts with what it takes besides its weights', async () => {
  const { models, get } = loadedModels(0, 2.1, 0.4e9, 10, 0.1e9);
  expect(await get('a', 'cpu')).toMatchObject({ copies: 4, copySize: 0.5 });
  expect(models.bytes()).toBe(2e9);
  // Without it there is room for one more.
  expect(await loadedModels(0, 2.1, 0.4e9, 10).get('a', 'cpu')).toMatchObject({ copies: 5, copySize: 0.4 });
});

test('copies that have their weights in common count once', async () => {
  const { models, opened, get } = loadedModels(0, 2.1, 0.4e9, 10, 0, true);
  expect(await get('a', 'cpu')).toMatchObject({ copies: 1, copySize: 0.4 });
  await get('b', 'cpu');
  await models.eject('b', undefined);
  expect(opened.get('a cpu')?.copies).toBe(1);
  expect(models.bytes()).toBe(0.4e9);
});

test('a device that is lost has no models any more', async () => {
  const { models, get, opened } = loadedModels(5, 5);
  for (const device of ['cpu', 'cuda:0'] as const) for (const name of ['a', 'b']) await get(name, device);
  await models.releaseDevice('cuda:0');
  expect(rows(models)).toEqual(['a cpu', 'b cpu']);
  expect([...opened].filter(([, { isReleased }]) => isReleased).map(([name]) => name)).toEqual([
    'a cuda:0',
    'b cuda:0',
  ]);
});

test('a model is ejected from one device, or from all', async () => {
  const { models, get } = loadedModels(4, 4);
  for (const device of ['cpu', 'cuda:0'] as const) for (const name of ['a', 'b']) await get(name, device);
  expect(await models.eject('a', 'CUDA:0')).toMatchObject({ name: 'a', devices: ['cuda:0'] });
  expect(rows(models)).toEqual(['a cpu', 'b cpu', 'b cuda:0']);
  expect(await models.eject('b', undefined)).toMatchObject({ name: 'b', devices: ['cpu', 'cuda:0'] });
  expect(rows(models)).toEqual(['a cpu']);
});

describe('models that the list calls otherwise than they are asked for', () => {
  const both = async () => {
    const { models } = loadedModels(4, 4);
    for (const name of ['detector-a', 'detector-b'])
      for (const device of ['cpu', 'cuda:0'] as const)
        await models.get({ ...model(name), listedName: 'vit_small' }, device, undefined);
    return models;
  };

  test('have one row for each device, however many they are', async () => {
    expect(rows(await both())).toEqual(['vit_small cpu', 'vit_small cuda:0']);
  });

  test('are ejected together by that name, and alone by their own', async () => {
    const models = await both();
    expect(await models.eject('detector-b', 'cpu')).toMatchObject({ name: 'detector-b', devices: ['cpu'] });
    expect(rows(models)).toEqual(['vit_small cpu', 'vit_small cuda:0']);
    expect(await models.eject('vit_', undefined)).toMatchObject({ name: 'vit_small', devices: ['cpu', 'cuda:0'] });
    expect(rows(models)).toEqual([]);
  });
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

describe('copies', () => {
  /** Copies of each model that is in memory. */
  const copiesOf = ({ models, opened }: ReturnType<typeof loadedModels>) =>
    rows(models).map((row) => [row.split(' ')[0], opened.get(row)?.copies]);

  test('are all counted: a model has as many as compute at once, where there is room', async () => {
    const small = loadedModels(0, 4, 0.5e9, 4);
    await small.get('a', 'cpu');
    expect(copiesOf(small)).toEqual([['a', 4]]);
    const large = loadedModels(0, 4, 1.1e9, 8);
    await large.get('a', 'cpu');
    expect(copiesOf(large)).toEqual([['a', 3]]);
  });

  test('within the size that a model declares cost nothing', async () => {
    const models = loadedModels(0, 2.5, 0.2e9, 5);
    for (const name of ['a', 'b']) await models.get(name, 'cpu');
    expect(copiesOf(models)).toEqual([
      ['a', 5],
      ['b', 5],
    ]);
  });

  test('are shared among models, and none is unloaded while another has two', async () => {
    const models = loadedModels(0, 6.5, 1e9, 6);
    await models.get('a', 'cpu');
    expect(copiesOf(models)).toEqual([['a', 6]]);
    await models.get('b', 'cpu');
    expect(copiesOf(models)).toEqual([
      ['a', 3],
      ['b', 3],
    ]);
    for (const name of ['c', 'd', 'e', 'f']) await models.get(name, 'cpu');
    expect(copiesOf(models)).toEqual(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, 1]));
    await models.get('g', 'cpu');
    expect(copiesOf(models)).toEqual(['b', 'c', 'd', 'e', 'f', 'g'].map((name) => [name, 1]));
  });

  test('come back to the model that was used last, once there is room', async () => {
    const models = loadedModels(0, 5.5, 1e9, 4);
    for (const name of ['a', 'b', 'c']) await models.get(name, 'cpu');
    const before = new Map(copiesOf(models) as [string, number][]);
    expect([...before.values()].reduce((sum, copies) => sum + copies)).toBe(5);
    await models.get('a', 'cpu');
    await models.models.eject('b', undefined);
    expect(copiesOf(models).at(-1)).toEqual(['a', 4]);
    expect(models.opened.get('c cpu')?.copies).toBe(1);
  });

  test('are taken from a busy model too', async () => {
    const models = loadedModels(0, 2.5, 1e9, 2);
    await models.get('a', 'cpu');
    (models.opened.get('a cpu') as IdleEncoder).isBusy = true;
    await models.get('b', 'cpu');
    expect(copiesOf(models)).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
  });
});
