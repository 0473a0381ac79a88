import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Bench } from '../bench.ts';
import { definition } from '../definition.ts';
import { CACHE } from '../paths.ts';
import { median } from '../quantile.ts';
import { compare, type Row } from '../row.ts';
import { Connection } from '../server/connection.ts';
import { MAIN, ServerProcess } from '../server/server-process.ts';
import { FORMATS, productOf, writeBadRows, writeFiles } from './files.ts';

interface ImportDefinition {
  documents: number;
  badRows: number;
  rounds: number;
}

/** Documents of a request and requests at once, as the command has them by default. */
const [BATCH, LANES] = [128, 8] as const;
const CPU_AT_END = new URL('./cpu-at-end.ts', import.meta.url).href;
const INDEX = 'products';
/** The goals that the project has set itself: a share of the rate of adding, seconds, and bytes. */
const TARGETS = { share: 0.9, refusalSeconds: 5, refusalBytes: 10_000_000 };

/** The times of a side until all documents were in. */
interface Taken {
  seconds: number;
  /** Processor time of the one who sends, and of the server meanwhile. */
  clientCpu: number;
  serverCpu: number;
}

/** The import of a file by the command beside bodies made beforehand, with the same documents, in turns. */
export const importing: Bench = async ({ quick, say }) => {
  const plan = definition<ImportDefinition>('import', quick);
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(join(CACHE, 'import-'));
  say('writing files');
  const files = await writeFiles(folder, plan.documents);
  const bodies = bodiesOf(plan.documents);
  const server = await ServerProcess.start(join(folder, 'data'));
  try {
    const taken = new Map<string, Taken[]>();
    for (let round = 0; round <= plan.rounds; round += 1) {
      for (const side of ['adding', ...FORMATS] as const) {
        say(`round ${round} of ${plan.rounds}: ${side}`);
        const file = side === 'adding' ? undefined : files[side];
        const one = await measured(server, plan.documents, () =>
          file === undefined ? add(server, bodies) : run(server, file, '--id-field', 'sku', '--tensor-fields', ''),
        );
        // The first round warms up the server.
        if (round > 0) taken.set(side, [...(taken.get(side) ?? []), one]);
      }
    }
    say('refusing rows');
    return {
      rows: [...rowsOf(taken, plan.documents), ...(await refusalOf(server, folder, plan.badRows))],
      notes: [
        'rates are of the wall clock, of the command with its start, on the same cores as the server; where other ' +
          'programs run too, the processor time tells more',
        'made beforehand: the bodies that the other side sends, by the same number of requests at once',
      ],
      dataset: { ...plan, batchSize: BATCH, requestsInFlight: LANES },
    };
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
};

function bodiesOf(count: number): string[] {
  return Array.from({ length: Math.ceil(count / BATCH) }, (_, at) => {
    const length = Math.min(BATCH, count - at * BATCH);
    const documents = Array.from({ length }, (_, more) => {
      const product = productOf(at * BATCH + more);
      return { _id: product.sku, ...product };
    });
    return JSON.stringify({ documents });
  });
}

/** Brings all documents into a new index, which is dropped afterwards. */
async function measured(server: ServerProcess, count: number, bringIn: () => Promise<number>): Promise<Taken> {
  await server.call('POST', `/indexes/${INDEX}`, { model: 'no_model', modelProperties: NO_VECTORS });
  const [before, started] = [await server.read(), performance.now()];
  const clientCpu = await bringIn();
  const [seconds, after] = [(performance.now() - started) / 1000, await server.read()];
  const { numberOfDocuments } = await server.call<{ numberOfDocuments: number }>('GET', `/indexes/${INDEX}/stats`);
  if (numberOfDocuments !== count) throw new Error(`the index has ${numberOfDocuments} of ${count} documents`);
  await server.call('DELETE', `/indexes/${INDEX}`);
  await server.untilIdle();
  return { seconds, clientCpu, serverCpu: after.cpuSeconds - before.cpuSeconds };
}

const NO_VECTORS = { type: 'no_model', dimensions: 1 };

/** Sends bodies over several connections; gives the processor time of this process. */
async function add({ address }: ServerProcess, bodies: readonly string[]): Promise<number> {
  const queue = bodies.values();
  const before = process.cpuUsage();
  const lane = async () => {
    const connection = new Connection(address);
    for (const body of queue) {
      const answer = await connection.post(`/indexes/${INDEX}/documents`, body);
      if (!answer.includes('"errors":false')) throw new Error(`a document was refused: ${answer.slice(0, 500)}`);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/** Imports a file by the command; gives the processor time of its process. */
async function run({ address }: ServerProcess, file: string, ...flags: string[]): Promise<number> {
  const args = ['--import', CPU_AT_END, MAIN, 'import', INDEX, file, '--url', address, '--restart', ...flags];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe', 'pipe'] });
  const [, , stderr, cpu] = child.stdio;
  const [said, microseconds, [code]] = await Promise.all([
    text(stderr as NodeJS.ReadableStream),
    text(cpu as NodeJS.ReadableStream),
    once(child, 'close'),
  ]);
  // A refusal of documents, which one side of this bench asks for, has a code of its own.
  if (code !== 0 && code !== REFUSED) throw new Error(`pelorus import ended with ${code}: ${said}`);
  return Number(microseconds) / 1e6;
}

const REFUSED = 7;

function rowsOf(taken: ReadonlyMap<string, readonly Taken[]>, documents: number): Row[] {
  const of = (side: string, value: (one: Taken) => number) => median((taken.get(side) ?? []).map(value));
  const rate = (side: string) => of(side, ({ seconds }) => documents / seconds);
  const perDocument = (value: (one: Taken) => number) => (side: string) => (1e6 * of(side, value)) / documents;
  const client = perDocument(({ clientCpu }) => clientCpu);
  const whole = perDocument(({ clientCpu, serverCpu }) => clientCpu + serverCpu);
  const target = { reach: TARGETS.share, chase: 1 };
  return FORMATS.flatMap((format) => [
    { ...compare(`${format} (docs/s)`, 'higher', rate(format), 'adding', rate('adding')), target },
    compare(`${format}, processor of both (us/doc)`, 'lower', whole(format), 'adding', whole('adding')),
    compare(`${format}, processor of the client (us/doc)`, 'lower', client(format), 'adding', client('adding')),
  ]);
}

/** Refuses every row of a table. */
async function refusalOf(server: ServerProcess, folder: string, count: number): Promise<Row[]> {
  const [file, failed] = [join(folder, 'bad.csv'), join(folder, 'bad.failed.jsonl')];
  await writeBadRows(file, count);
  await server.call('POST', `/indexes/${INDEX}`, { model: 'no_model', modelProperties: NO_VECTORS });
  const started = performance.now();
  const cpu = await run(server, file, '--id-field', 'sku', '--max-failures', String(count + 1), '--failed', failed);
  const seconds = (performance.now() - started) / 1000;
  const { size } = await stat(failed);
  const title = `${count} bad rows of a table`;
  return [
    compare(`${title} (s)`, 'lower', seconds, 'target', TARGETS.refusalSeconds),
    compare(`${title}, processor (s)`, 'lower', cpu),
    compare(`${title}, written (bytes)`, 'lower', size, 'target', TARGETS.refusalBytes),
  ];
}
