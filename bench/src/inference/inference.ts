import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { allVectors, createInference, InputBatch } from '@pelorus/inference';
import { preparePicture } from '@pelorus/node';
import type { Bench } from '../bench.ts';
import { definition } from '../definition.ts';
import { median } from '../quantile.ts';
import { compare, type Row } from '../row.ts';
import { Pillow } from './pillow.ts';

interface InferenceDefinition {
  /** Different pictures, each of `side` times `side` pixels. */
  pictures: number;
  side: number;
  rounds: number;
  /** Pictures of one call by URL. */
  fetched: number;
}

/** What vision towers take, as a rule. */
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

/** Pictures on their way to a model: one thread beside Pillow, and by URL to a model that costs nothing. */
export const inference: Bench = async ({ quick, say }) => {
  const plan = definition<InferenceDefinition>('inference', quick);
  const folder = await mkdtemp(join(tmpdir(), 'pelorus-bench-'));
  const pillow = await Pillow.start(say);
  try {
    say('making pictures');
    const files = await pillow.make(folder, plan.pictures, plan.side);
    const prepared = await measurePreparing(pillow, files, plan, say);
    const fetched = await measureFetching(files, plan, say);
    return {
      rows: [...prepared, ...fetched],
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
  const server = new Worker(new URL('./picture-server.ts', import.meta.url), { workerData: files });
  const [port] = (await once(server, 'message')) as [number];
  const models = createInference({ hubUrl: null, mavenCommand: null, mediaNetworks: ['127.0.0.1/32'] });
  const model = models.resolve(MODEL);
  const media = {
    headers: {},
    patchMethod: null,
    video: null,
    audio: null,
    fileBytesMax: 1,
    treated: ['image' as const],
  };
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  const embed = async (count: number) => {
    const pointers = Array.from({ length: count }, (_, number) => `http://127.0.0.1:${port}/${number}`);
    const inputs = pointers.map((pointer) => ({ kind: 'media', pointer, medium: 'image', patches: false }) as const);
    const start = performance.now();
    allVectors(await models.embed(model, InputBatch.of(inputs), { normalize: true, media }));
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
    await server.terminate();
  }
}
