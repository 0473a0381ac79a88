import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseModelFile } from '@pelorus/inference';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ConstantOutput, constantGraph } from '../../../inference/test/onnx/onnx-model.js';
import { field, structured } from '../conformance/indexes.js';
import { images, MediaService } from './media-service.js';

const folder = mkdtempSync(join(tmpdir(), 'pelorus-detectors-'));
const output = (name: string, dims: readonly number[], values: ArrayLike<number>): ConstantOutput => ({
  name,
  dims,
  values: Float32Array.from(values),
});

/** Two parts that hardly overlap, one too small, and one too unsure. The better one comes last. */
const BOXES = [0, 0, 120, 120, 10, 10, 40, 40, 0, 0, 240, 240, 120, 60, 240, 180];
const frcnn = [
  output('boxes', [4, 4], BOXES),
  { name: 'labels', dims: [4], values: [1, 2, 3, 4] },
  output('scores', [4], [0.5, 0.9, 1e-5, 0.8]),
];

/** One cell of the coarsest grid is sure of 160 x 160 pixels of 384, which are 100 x 100 of 240. All others are small. */
const cells = new Float32Array(3024 * 6);
const middle = 48 * 48 + 24 * 24 + 6 * 12 + 6;
cells.set([0, 0, Math.log(5), Math.log(5), 0.9, 1], middle * 6);

/** Heads that look at the upper left quarter, and at the lower right one. */
const quarter = (isSeen: (row: number, column: number) => boolean) =>
  Array.from({ length: 196 }, (_, cell) => (isSeen(Math.floor(cell / 14), cell % 14) ? 1 : 0));
const heads = [...quarter((row, column) => row < 7 && column < 7), ...quarter((row, column) => row > 6 && column > 6)];

const GRAPHS = {
  frcnn: constantGraph([3, 'height', 'width'], frcnn),
  'marqo-yolo': constantGraph([1, 3, 384, 384], [output('output', [1, 3024, 6], cells)]),
  'dino-v1': constantGraph(['batch', 3, 224, 224], [output('attention', [1, 2, 14, 14], heads)]),
  'dino-v2': constantGraph(['batch', 3, 224, 224], [output('attention', [1, 2, 196], heads)]),
};
/** Pixels of 240 x 240 as those of `/red.png`, which has 48 x 24. */
const shown = (bounds: readonly number[]) => {
  const scaled = bounds.map((at, i) => at * (i % 2 === 0 ? 48 / 240 : 24 / 240));
  return `[${scaled.map((at) => (Number.isInteger(at) ? `${at}.0` : at)).join(', ')}]`;
};
const WHOLE = [0, 0, 240, 240];
const PARTS: Readonly<Record<keyof typeof GRAPHS, readonly (readonly number[])[]>> = {
  frcnn: [
    [120, 60, 240, 180],
    [0, 0, 120, 120],
  ],
  'marqo-yolo': [[70, 70, 170, 170]],
  // The two quarters touch by a corner where they are one map.
  'dino-v1': [[0, 0, 224, 224]],
  'dino-v2': [
    [0, 0, 112, 112],
    [112, 112, 224, 224],
  ],
};
const METHODS = Object.keys(GRAPHS) as (keyof typeof GRAPHS)[];

const patched = (patchMethod: string) => ({ imagePreprocessing: { patchMethod } });
let service: MediaService;

beforeAll(async () => {
  const entries = Object.entries({ ...GRAPHS }).map(([method, graph]) => {
    mkdirSync(join(folder, method));
    writeFileSync(join(folder, method, 'model.onnx'), graph);
    return [`detector/${method}`, { folder: method }];
  });
  const modelFile = parseModelFile({ models: Object.fromEntries(entries) }, join(folder, 'models.json'));
  const indexes = METHODS.flatMap((method) => [
    [`found-${method}`, { ...images, ...patched(method) }],
    [`declared-${method}`, structured([field('i', 'image_pointer')], ['i'], patched(method))],
  ]);
  service = await MediaService.open(Object.fromEntries(indexes), { modelFile });
});

afterAll(async () => {
  expect(service.faults).toEqual([]);
  await service.close();
  rmSync(folder, { recursive: true });
});

beforeEach(() => {
  service.takeFetches();
});

describe.each(METHODS)('models 4.5: %s', (method) => {
  test.each([
    [`found-${method}`, 't', { tensorFields: ['t'] }],
    [`declared-${method}`, 'i', {}],
  ])('each of its finds is a chunk, the whole picture first: %s', async (index, name, rest) => {
    await service.add(index, { _id: 'p', [name]: service.at('/red.png') } as { _id: string }, rest);
    expect(service.takeFetches()).toBe(1);
    const facets = await service.facets(index, 'p');
    expect(facets.map(({ chunk }) => chunk)).toEqual([WHOLE, ...PARTS[method]].map(shown));
    expect(facets.every((facet) => facet.field === name)).toBe(true);
    expect(new Set(facets.map(({ vector }) => JSON.stringify(vector))).size).toBe(facets.length);
  });

  test('a part is the highlight of a hit, and queries have one vector', async () => {
    const index = `declared-${method}`;
    await service.add(index, { _id: 'h', i: service.at('/blue.png') } as { _id: string });
    await service.check({
      request: `POST /indexes/${index}/search`,
      body: { q: service.at('/blue.png'), filter: '_id:h' },
      status: 200,
      answer: expect.objectContaining({
        hits: [expect.objectContaining({ _highlights: [{ i: expect.stringMatching(/^\[(\d+\.\d+(, |\]$)){4}/) }] })],
      }),
    });
  });

  test('a picture that cannot be read fails its document alone', async () => {
    const index = `declared-${method}`;
    await service.add(index, { _id: 'ill', i: service.at('/cut.png') } as { _id: string }, {}, 'Could not process');
  });
});

test('models 6.7: they are among the loaded models, and ejected, by the names of their networks', async () => {
  for (const method of METHODS)
    await service.add(`declared-${method}`, { _id: 'loaded', i: service.at('/red.png') } as { _id: string });
  const listed = (...names: string[]) =>
    service.check({
      request: 'GET /models',
      status: 200,
      answer: { models: expect.toSatisfy((rows: unknown[]) => sameRows(rows, ['random/small', ...names])) },
    });
  await listed('faster_rcnn', 'yolox_s.onnx', 'vit_small');
  await service.check({
    request: 'DELETE /models?model_name=vit_small&model_device=cpu',
    status: 200,
    answer: { result: 'success', message: 'successfully eject model_name `vit_small` from device `cpu`' },
  });
  await listed('faster_rcnn', 'yolox_s.onnx');
  await service.add('declared-dino-v2', { _id: 'again', i: service.at('/blue.png') } as { _id: string });
  await listed('faster_rcnn', 'yolox_s.onnx', 'vit_small');
});

/** Tells whether these are the loaded models, in any order. */
function sameRows(rows: readonly unknown[], names: readonly string[]): boolean {
  const rowOf = (name: string) => ({
    model_name: name,
    model_device: 'cpu',
    encoder: name.startsWith('random/') ? 'pelorus' : 'onnxruntime',
    precision: 'f32',
  });
  expect(new Set(rows)).toEqual(new Set(names.map(rowOf)));
  return rows.length === names.length;
}
