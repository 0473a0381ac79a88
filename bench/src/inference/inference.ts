import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { allVectors, createInference, InputBatch, parseModelFile } from '@pelorus/inference';
import { preparePicture } from '@pelorus/node';
import type { Bench } from '../bench.ts';
import { definition } from '../definition.ts';
import { median } from '../quantile.ts';
import { compare, type Row } from '../row.ts';
import { MEDIA } from './media.ts';
import { measurePictures, type TowerModel } from './pictures.ts';
import { Pillow } from './pillow.ts';
import { measureTexts } from './texts.ts';

interface InferenceDefinition {
  /** Different pictures, each of `side` times `side` pixels. */
  pictures: number;
  side: number;
  rounds: number;
  /** Pictures of one call by URL. */
  fetched: number;
  /** Pictures of one call by URL to a model that takes time. */
  modelled: number;
  /** Pictures of one call that brings them in the size that the model takes. */
  embedded: number;
  /** Texts of one call. */
  texts: number;
}

/** The usual picture size of vision towers. */
const TENSOR_SIDE = 224;
const PREPARATION = {
  size: TENSOR_SIDE,
  mean: [0.5, 0.5, 0.5],
  std: [0.5, 0.5, 0.5],
  interpolation: 'bicubic',
  resize: 'shortest',
} as const;
const MODEL = 'random/small';
const TARGETS = { timesPillow: { reach: 1, chase: 1.5 }, loopDelayMs: 20 };
const RESOLUTION_MS = 1;

/**
 * Pictures on their way to a model: one thread beside Pillow, and by URL to a model that costs nothing. Pictures through
 * a tower, and texts through the default model, beside ONNX Runtime.
 */
export const inference: Bench = async ({ quick, say }) => {
  const plan = definition<InferenceDefinition>('inference', quick);
  const folder = await mkdtemp(join(tmpdir(), 'pelorus-bench-'));
  const pillow = await Pillow.start(say);
  try {
    say('making pictures');
    const files = await pillow.make(folder, plan.pictures, plan.side);
    const prepared = await measurePreparing(pillow, files, plan, say);
    const fetched = await measureFetching(files, plan, say);
    const texts = await measureTexts(plan, say);
    const tower = { folder, ...(await pillow.tower(folder)) };
    const fed = await measureFeeding(files, plan, tower, say);
    const small = await mkdtemp(join(folder, 'small-'));
    const pictures = await measurePictures(tower, await pillow.make(small, plan.embedded, tower.side), plan, say);
    return {
      rows: [...prepared, ...fetched, fed, ...pictures, ...texts],
      notes: [
        'ours makes the float tensor, Pillow ends at bytes',
        'the server of the pictures is a thread of this process, and shares the machine',
      ],
      dataset: { model: MODEL, ...plan },
    };
  } finally {
    await pillow.close();
    await rm(folder, { recursive: true, force: true });
  }
};

/**
 * The share of the time of a call in which the model has something to compute, while its pictures come by URL: a worker
 * always has a batch where one waits.
 */
async function measureFeeding(
  files: readonly string[],
  { rounds, modelled }: InferenceDefinition,
  { folder, side: size, dimensions }: TowerModel,
  say: (line: string) => void,
): Promise<Row> {
  const server = await PictureThread.start(files);
  const properties = { type: 'open_clip', name: 'tower', dimensions, size };
  const modelFile = parseModelFile({ models: { tower: { folder, properties } } }, join(folder, 'models.json'));
  const models = createInference({ modelFile, hubUrl: null, mavenCommand: null, mediaNetworks: ['127.0.0.1/32'] });
  const model = models.resolve('tower');
  const shareOf = async (count: number) => {
    const busy: [start: number, end: number][] = [];
    const telemetry = ({ inferMs }: { inferMs: number }) => busy.push([performance.now() - inferMs, performance.now()]);
    const start = performance.now();
    const inputs = InputBatch.of(server.inputs(count));
    allVectors(await models.embed(model, inputs, { normalize: true, media: MEDIA, telemetry }));
    return covered(busy) / (performance.now() - start);
  };
  try {
    await shareOf(files.length); // loads the model
    const shares: number[] = [];
    for (let round = 1; round <= Math.min(rounds, 3); round += 1) {
      shares.push(await shareOf(modelled));
      say(`round ${round}: the model computes ${Math.round(100 * (shares.at(-1) ?? 0))} % of the time`);
    }
    const metric = 'pictures by URL: time in which the model computes (%)';
    return { ...compare(metric, 'higher', 100 * median(shares), 'target', 85), target: { reach: 1, chase: 1.1 } };
  } finally {
    await models.close();
    await server.stop();
  }
}

/** The length of a line that its intervals cover, those that overlap counted once. */
function covered(intervals: [start: number, end: number][]): number {
  let [sum, reached] = [0, Number.NEGATIVE_INFINITY];
  for (const [start, end] of intervals.toSorted(([a], [b]) => a - b)) {
    sum += Math.max(0, end - Math.max(start, reached));
    reached = Math.max(reached, end);
  }
  return sum;
}

/** A server of pictures on a thread of this process. */
class PictureThread {
  readonly #worker: Worker;
  readonly #port: number;

  private constructor(worker: Worker, port: number) {
    this.#worker = worker;
    this.#port = port;
  }

  static async start(files: readonly string[]): Promise<PictureThread> {
    const worker = new Worker(new URL('./picture-server.ts', import.meta.url), { workerData: files });
    const [port] = (await once(worker, 'message')) as [number];
    return new PictureThread(worker, port);
  }

  /** So many pictures by URL, each by one of its own. */
  inputs(count: number) {
    const pointers = Array.from({ length: count }, (_, number) => `http://127.0.0.1:${this.#port}/${number}`);
    return pointers.map((pointer) => ({ kind: 'media', pointer, medium: 'image', patches: false }) as const);
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}

/** One thread each, in turns. The first pass of both warms up. */
async function measurePreparing(
  pillow: Pillow,
  files: readonly string[],
  { rounds }: InferenceDefinition,
  say: (line: string) => void,
): Promise<Row[]> {
  const pictures = files.map((file) => readFileSync(file));
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const [here, there] = [pictures.map((bytes) => preparing(bytes)), await pillow.prepare(files, TENSOR_SIDE)];
    if (round === 0) continue;
    ours.push(median(here));
    theirs.push(median(there));
    say(`round ${round} of ${rounds}: ours ${median(here).toFixed(2)} ms, Pillow ${median(there).toFixed(2)} ms`);
  }
  const metric = 'JPEG of a megapixel to a tensor, one thread (ms)';
  // The least: whoever else is on the machine disturbs it least.
  const [least, leastOfPillow] = [Math.min(...ours), Math.min(...theirs)];
  return [{ ...compare(metric, 'lower', least, pillow.title, leastOfPillow), target: TARGETS.timesPillow }];
}

function preparing(bytes: Uint8Array): number {
  const start = performance.now();
  preparePicture(bytes, PREPARATION, null, { bytesMax: bytes.byteLength, pixelsMax: 100_000_000 });
  return performance.now() - start;
}

/** Pictures by URL from the loopback interface, and how late the event loop is meanwhile. */
async function measureFetching(
  files: readonly string[],
  { rounds, fetched }: InferenceDefinition,
  say: (line: string) => void,
): Promise<Row[]> {
  const server = await PictureThread.start(files);
  const models = createInference({ hubUrl: null, mavenCommand: null, mediaNetworks: ['127.0.0.1/32'] });
  const model = models.resolve(MODEL);
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  const embed = async (count: number) => {
    const inputs = server.inputs(count);
    const start = performance.now();
    allVectors(await models.embed(model, InputBatch.of(inputs), { normalize: true, media: MEDIA }));
    return (1000 * count) / (performance.now() - start);
  };
  try {
    await embed(files.length); // starts the threads
    const rates: number[] = [];
    const delays: number[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      delay.reset();
      delay.enable();
      rates.push(await embed(fetched));
      delay.disable();
      delays.push(Math.max(0, delay.percentile(99) / 1e6 - RESOLUTION_MS));
      say(`round ${round} of ${rounds}: ${Math.round(rates.at(-1) ?? 0)} pictures/s by URL`);
    }
    return [
      compare('pictures by URL, to a model that costs nothing (pictures/s)', 'higher', median(rates)),
      compare('event loop delay meanwhile, p99 (ms)', 'lower', median(delays), 'target', TARGETS.loopDelayMs),
    ];
  } finally {
    await models.close();
    await server.stop();
  }
}
