import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chunk } from '@pelorus/engine';
import { localModels } from '@pelorus/inference';
import type { Bench } from '../bench.ts';
import { definition } from '../definition.ts';
import { median, quantile } from '../quantile.ts';
import { compare, type Row } from '../row.ts';
import { catalogue, type Product } from '../server/catalogue.ts';
import { ServerProcess } from '../server/server-process.ts';
import { medianRatio } from '../vector/rounds.ts';
import { EncoderAlone, type Spent } from './encoder-alone.ts';

interface IngestDefinition {
  documents: number;
  /** Documents of one request. */
  batchSize: number;
  /** Requests that the client has under way at once. */
  requestsInFlight: number;
  rounds: number;
  /** Documents added one by one. */
  singleAdds: number;
  /** Time for which a fresh server is left alone before its memory is read. */
  idleSeconds: number;
}

const MODEL = 'hf/all-MiniLM-L6-v2';
const DIMENSIONS = 384;
const TENSOR_FIELDS = ['title', 'description'] as const;
/** The goals that the project has set itself. */
const TARGETS = { residentMiB: 150, loopDelayMs: 20, ackMs: 5, ingest: { reach: 0.95, chase: 1 } };

interface Round {
  ingest: Spent;
  alone: Spent;
  loopDelayP99Ms: number;
}

/** Documents into a real server process: with embedding, and one by one with vectors of their own. */
export const ingest: Bench = async ({ quick, say }) => {
  const plan = definition<IngestDefinition>('ingest', quick);
  const isHere = (await localModels()).some(({ name, folder }) => name === MODEL && folder !== null);
  if (!isHere) throw new Error(`${MODEL} is not on this machine: run \`npm run setup\` first`);
  const data = await mkdtemp(join(tmpdir(), 'pelorus-bench-'));
  const server = await ServerProcess.start(data);
  try {
    say('idle memory');
    await sleep(plan.idleSeconds * 1000);
    const { residentBytes } = await server.read();
    say('one document at a time');
    const acks = await addSingly(server, plan.singleAdds);
    const batches = batchesOf(catalogue().slice(0, plan.documents), plan.batchSize);
    const texts = batches.flatMap(textsOf);
    const alone = await EncoderAlone.over(texts, MODEL);
    const rounds = await ingestRounds(server, batches, alone, plan, say);
    return {
      rows: [...rowsOf(rounds, texts.length, alone.count, plan), ...singleRows(acks, residentBytes)],
      notes: [
        'the encoder alone has a thread on each core, and each text once, sorted by length',
        'the client that sends the documents shares the machine',
      ],
      dataset: { model: MODEL, texts: texts.length, ...plan },
    };
  } finally {
    await server.stop();
    await rm(data, { recursive: true, force: true });
  }
};

function batchesOf(products: readonly Product[], size: number): Product[][] {
  const count = Math.ceil(products.length / size);
  return Array.from({ length: count }, (_, i) => products.slice(i * size, (i + 1) * size));
}

/** The texts that the server embeds for a request: the distinct chunks of its tensor fields, two sentences each. */
function textsOf(batch: readonly Product[]): string[] {
  const chunks = batch.flatMap((product) => TENSOR_FIELDS.flatMap((field) => chunk(product[field], 'sentence', 2, 0)));
  return [...new Set(chunks)];
}

async function ingestRounds(
  server: ServerProcess,
  batches: readonly Product[][],
  alone: EncoderAlone,
  { rounds, requestsInFlight }: IngestDefinition,
  say: (line: string) => void,
): Promise<Round[]> {
  // The first request loads the model; that is no part of a rate.
  await addAll(server, 'warm-up', batches.slice(0, 2), requestsInFlight);
  const measured: Round[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    say(`round ${round} of ${rounds}: ingest, then the encoder alone`);
    const before = await server.read();
    server.reset();
    const seconds = await addAll(server, `round-${round}`, batches, requestsInFlight);
    const { loopDelayP99Ms, cpuSeconds } = await server.read();
    const ingest = { seconds, cpuSeconds: cpuSeconds - before.cpuSeconds };
    measured.push({ ingest, alone: await alone.run(), loopDelayP99Ms });
  }
  await alone.close();
  return measured;
}

/** Adds all batches to a new index, a few requests at a time; seconds. */
async function addAll(
  server: ServerProcess,
  index: string,
  batches: readonly Product[][],
  requestsInFlight: number,
): Promise<number> {
  await server.call('POST', `/indexes/${index}`, { model: MODEL });
  const queue = [...batches];
  const started = performance.now();
  const lane = async () => {
    for (let batch = queue.shift(); batch !== undefined; batch = queue.shift()) {
      await add(server, index, { documents: batch, tensorFields: TENSOR_FIELDS });
    }
  };
  await Promise.all(Array.from({ length: requestsInFlight }, lane));
  const seconds = (performance.now() - started) / 1000;
  await server.call('DELETE', `/indexes/${index}`);
  return seconds;
}

async function add(server: ServerProcess, index: string, body: object): Promise<void> {
  const { errors } = await server.call<{ errors: boolean }>('POST', `/indexes/${index}/documents`, body);
  if (errors) throw new Error(`a document was refused by index ${index}`);
}

/** Adds documents of about a kilobyte with a vector of their own; milliseconds until each is acknowledged. */
async function addSingly(server: ServerProcess, count: number): Promise<number[]> {
  const index = 'single';
  await server.call('POST', `/indexes/${index}`, {
    model: 'no_model',
    modelProperties: { type: 'no_model', dimensions: DIMENSIONS },
  });
  const text = 'one of very many words '.repeat(44);
  const times: number[] = [];
  for (let i = 0; i < count; i += 1) {
    const vector = Array.from({ length: DIMENSIONS }, (_, j) => Math.sin(i * 7 + j));
    const document = { _id: `id-${i}`, text, custom: { content: `number ${i}`, vector } };
    const body = {
      documents: [document],
      tensorFields: ['custom'],
      mappings: { custom: { type: 'custom_vector' } },
    };
    const started = performance.now();
    await add(server, index, body);
    times.push(performance.now() - started);
  }
  await server.call('DELETE', `/indexes/${index}`);
  return times.slice(Math.floor(count / 10)); // the first tenth warms up
}

function rowsOf(rounds: readonly Round[], texts: number, textsAlone: number, { documents }: IngestDefinition): Row[] {
  const peer = 'the encoder alone';
  const [ours, theirs] = [
    rounds.map(({ ingest }) => texts / ingest.seconds),
    rounds.map(({ alone }) => textsAlone / alone.seconds),
  ];
  const thousand = (pick: (round: Round) => Spent, count: number) =>
    Math.min(...rounds.map((round) => (1000 * pick(round).cpuSeconds) / count));
  const cpu = [thousand(({ ingest }) => ingest, texts), thousand(({ alone }) => alone, textsAlone)] as const;
  const delay = median(rounds.map((round) => round.loopDelayP99Ms));
  return [
    {
      ...compare('ingest with embedding (texts/s)', 'higher', median(ours), peer, median(theirs)),
      ratio: medianRatio(ours, theirs),
      target: TARGETS.ingest,
    },
    // Other programs on the machine take nothing of it.
    compare('ingest with embedding: CPU time of 1,000 texts (s)', 'lower', cpu[0], peer, cpu[1]),
    compare('ingest with embedding (documents/s)', 'higher', (median(ours) * documents) / texts),
    compare('event-loop delay p99 while ingesting (ms)', 'lower', delay, 'target', TARGETS.loopDelayMs),
  ];
}

function singleRows(acks: readonly number[], residentBytes: number): Row[] {
  return [
    compare('add of one document, ack p50 (ms)', 'lower', quantile(acks, 0.5), 'target', TARGETS.ackMs),
    compare('add of one document, ack p99 (ms)', 'lower', quantile(acks, 0.99)),
    compare('idle server, resident (MiB)', 'lower', residentBytes / 2 ** 20, 'target', TARGETS.residentMiB),
  ];
}
