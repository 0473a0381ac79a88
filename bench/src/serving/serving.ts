import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { definition } from '../definition.ts';
import { median, quantile } from '../quantile.ts';
import { compare, type Row } from '../row.ts';
import { Connection } from '../server/connection.ts';
import { ServerProcess } from '../server/server-process.ts';
import { additionOf, documentsPath, indexPath, settingsOf } from './requests.ts';
import { latency, recalls, type Searched, searchAll } from './searches.ts';
import { makeVectors, type Vectors } from './vectors.ts';
import { Writer, type Written } from './writer.ts';

interface ServingDefinition {
  documents: number;
  queries: number;
  /** Searches of each case and round. */
  searches: number;
  passRates: number[];
  rounds: number;
  writer: { requestsPerSecond: number; documentsPerRequest: number };
}

/** One case in one round: searches while nothing is written, then while a writer is at work. */
interface Round {
  passRate: number;
  quiet: Searched[];
  busy: Searched[];
}

/** Documents of one request. */
const BATCH = 128;
/** Vectors for documents that are written during the measurement. */
const SPARE = 50_000;
const P99_TARGET = { reach: 0.77, chase: 0.91 };

/** Recall and latency over HTTP, filters included, while documents are added, replaced and removed. */
export const serving: Bench = async ({ quick, say }) => {
  const plan = definition<ServingDefinition>('serving', quick);
  const vectors = makeVectors(plan.documents + SPARE, plan.queries);
  const data = await mkdtemp(join(tmpdir(), 'pelorus-bench-'));
  const server = await ServerProcess.start(data);
  const connection = new Connection(server.address);
  const writer = new Writer(server.address, vectors, plan.documents, plan.writer);
  try {
    say(`adding ${plan.documents} documents`);
    const ingestSeconds = await ingest(server, vectors, plan.documents);
    const settleSeconds = await server.untilIdle();
    const { rounds, written } = await measure(server, connection, writer, vectors, plan, say);
    say('comparing with exact searches');
    const rows = rowsOf(rounds, written, vectors, writer, plan);
    const { residentBytes } = await server.read();
    const notes = ['the client shares the machine', `vectors: ${vectors.title}`];
    return { rows, notes, dataset: { ...plan, ingestSeconds, settleSeconds, residentBytes } };
  } finally {
    connection.close();
    await writer.close();
    await server.stop();
    await rm(data, { recursive: true, force: true });
  }
};

async function ingest(server: ServerProcess, { rows, dim }: Vectors, count: number): Promise<number> {
  await server.call('POST', indexPath, settingsOf(dim));
  const started = performance.now();
  let next = 0;
  const lane = async () => {
    const connection = new Connection(server.address);
    while (next < count) {
      const documents = Array.from({ length: Math.min(BATCH, count - next) }, (_, i) => next + i);
      next += documents.length;
      const answer = await connection.post(documentsPath, additionOf({ documents, rows: documents }, rows, dim));
      if ((JSON.parse(answer) as { errors: boolean }).errors) throw new Error('a document was refused');
    }
    connection.close();
  };
  await Promise.all([lane(), lane()]);
  return (performance.now() - started) / 1000;
}

async function measure(
  server: ServerProcess,
  connection: Connection,
  writer: Writer,
  vectors: Vectors,
  { passRates, rounds: count, searches }: ServingDefinition,
  say: (line: string) => void,
): Promise<{ rounds: Round[]; written: Written[] }> {
  const [rounds, written]: [Round[], Written[]] = [[], []];
  const search = (passRate: number, searches: number) => searchAll(connection, vectors, writer, passRate, searches);
  for (const passRate of passRates) await search(passRate, Math.ceil(searches / 4)); // warms up
  for (let round = 1; round <= count; round += 1) {
    say(`round ${round} of ${count}`);
    const quiet = new Map<number, Searched[]>();
    for (const passRate of passRates) quiet.set(passRate, await search(passRate, searches));
    writer.start();
    for (const passRate of passRates) {
      rounds.push({ passRate, quiet: quiet.get(passRate) ?? [], busy: await search(passRate, searches) });
    }
    written.push(await writer.stop());
    await server.untilIdle();
  }
  return { rounds, written };
}

function rowsOf(
  rounds: readonly Round[],
  written: readonly Written[],
  vectors: Vectors,
  writer: Writer,
  { passRates, writer: { documentsPerRequest } }: ServingDefinition,
): Row[] {
  const lists = passRates.flatMap((passRate) => {
    const all = rounds.filter((round) => round.passRate === passRate);
    return [all.flatMap(({ busy }) => busy), all.flatMap(({ quiet }) => quiet)];
  });
  const found = recalls(lists, vectors, writer.documents).map((recall) => Number(recall.toFixed(4)));
  const cases = passRates.flatMap((passRate, which) => {
    const [busy = null, quiet = null] = found.slice(2 * which, 2 * which + 2);
    const all = rounds.filter((round) => round.passRate === passRate);
    const name = passRate === 1 ? 'unfiltered' : `filter, ${Number((passRate * 100).toPrecision(3))} % pass`;
    return [
      compare(`${name}: recall@10 with writes`, 'higher', busy, 'without writes', quiet),
      latencyRow(`${name}: p50 with writes (ms)`, all, 0.5, busy),
      { ...latencyRow(`${name}: p99 with writes (ms)`, all, 0.99, busy), target: P99_TARGET },
    ];
  });
  const requests = written.flatMap(({ times }) => times);
  const seconds = written.reduce((sum, each) => sum + each.seconds, 0);
  return [
    ...cases,
    compare('documents written (1/s)', 'higher', (requests.length * documentsPerRequest) / seconds),
    compare('write acknowledged, p50 (ms)', 'lower', quantile(requests, 0.5)),
    compare('write acknowledged, p99 (ms)', 'lower', quantile(requests, 0.99)),
  ];
}

/** With writes beside without; the ratio is the median of the rounds'. */
function latencyRow(metric: string, rounds: readonly Round[], q: number, recall: number | null): Row {
  const [busy, quiet] = [rounds.map((round) => latency(round.busy, q)), rounds.map((round) => latency(round.quiet, q))];
  const ratio = median(busy.map((milliseconds, round) => (quiet[round] ?? 0) / milliseconds));
  return { ...compare(metric, 'lower', median(busy), 'without writes', median(quiet), recall), ratio };
}
