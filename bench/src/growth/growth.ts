import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Bench } from '../bench.ts';
import { definition } from '../definition.ts';
import { folderBytes } from '../documents/disk.ts';
import { CACHE } from '../paths.ts';
import { median, quantile } from '../quantile.ts';
import { compare, type Row } from '../row.ts';
import { Connection } from '../server/connection.ts';
import type { Probed } from '../server/probe.ts';
import { ServerProcess } from '../server/server-process.ts';
import { expected, recallOf, scoresOf } from '../serving/exact.ts';
import { makeVectors, rowText, type Vectors } from '../serving/vectors.ts';
import { K, recallByTenth, type TenthRecall } from './recall.ts';
import { FILTER, idsOf, index, SEARCH } from './requests.ts';

interface GrowthDefinition {
  documents: number;
  /** Requests under way at once. */
  connections: number;
  batchSize: number;
  /** Different searches beside the ingest, */
  queries: number;
  /**
   * and those of them that are compared with an exact search: in each tenth, without a filter and with one, after the last
   * document, and when nothing is left to do.
   */
  compared: number;
}

export interface AdderData extends Pick<GrowthDefinition, 'documents' | 'connections' | 'batchSize'> {
  address: string;
  rows: Float32Array;
  dim: number;
}

export interface SearcherData {
  address: string;
  bodies: string[];
  /** The same with a filter that a tenth of the documents passes. */
  filteredBodies: string[];
}

export interface Added {
  /** The times at which it began and each tenth of the documents had been acknowledged. */
  tenths: number[];
  /** The ids of each request and the time of its acknowledgement, in milliseconds since the epoch. */
  batches: { ids: number[]; at: number }[];
}

export interface Searched {
  /** The time at which it was asked, in milliseconds since the epoch. */
  at: number;
  query: number;
  filtered: boolean;
  found: number[];
  milliseconds: number;
  /**
   * The time that the server took right after it to say that it is well, which is the least a request can take then.
   */
  healthMs: number;
}

const TARGETS = { lastTenth: 0.8, besideMs: 3, searchMs: 2, recall: 0.99, backgroundSeconds: 90, memoryRatio: 1.5 };

/** The growth of an index to a million documents: its rate, searches beside it, work left behind, memory. */
export const growth: Bench = async ({ quick, say }) => {
  const plan = definition<GrowthDefinition>('growth', quick);
  say('making vectors');
  const vectors = makeVectors(plan.documents, plan.queries);
  await mkdir(CACHE, { recursive: true });
  const data = await mkdtemp(join(CACHE, 'growth-'));
  let server = await ServerProcess.start(data);
  try {
    const modelProperties = { type: 'no_model', dimensions: vectors.dim };
    await server.call('POST', index, { model: 'no_model', modelProperties });
    const empty = await server.read();
    say(`adding ${plan.documents} documents`);
    const grown = await grow(server, vectors, plan);
    const atOnce = await searchAll(server, vectors, plan);
    say('waiting until nothing is left to do');
    const backgroundSeconds = await server.untilIdle();
    const settled = await server.read();
    const { backend } = await server.call<{ backend: { memoryBytes: number } }>('GET', `${index}/stats`);
    say('comparing with exact searches');
    const afterwards = await searchAll(server, vectors, plan);
    const [recallAtOnce = 0, recallAfterwards = 0] = recalls(vectors, plan, [atOnce, afterwards]);
    await server.stop();
    const bytes = await folderBytes(data);
    say('starting again');
    server = await ServerProcess.start(data);
    await server.call('POST', SEARCH, { q: 'brown', searchMethod: 'LEXICAL' });
    const restarted = await server.read();
    const tenths = recallByTenth(vectors, grown, grown.searched, plan.compared);
    const rows = [
      ...ingestRows(grown.tenths, plan.documents),
      ...searchRows(grown),
      ...recallRows(tenths),
      ...searchTimes('right after the last document', atOnce.milliseconds, recallAtOnce),
      ...searchTimes('when nothing is left to do', afterwards.milliseconds, recallAfterwards),
      compare('work after the last document (s)', 'lower', backgroundSeconds, 'target', TARGETS.backgroundSeconds),
      ...memoryRows({ peak: grown.peakBytes, empty, settled, restarted, told: backend.memoryBytes }),
      compare('on disk (bytes/document)', 'lower', bytes / plan.documents),
    ];
    const notes = [
      'clients and server share the machine',
      `vectors: ${vectors.title}`,
      ...tenthNotes(grown, plan.documents),
      ...recallNotes(tenths),
    ];
    return { rows, notes, dataset: { ...plan, dim: vectors.dim } };
  } finally {
    await server.stop();
    await rm(data, { recursive: true, force: true });
  }
};

interface Grown extends Added {
  searched: Searched[];
  /** Most anonymous memory that was seen. */
  peakBytes: number;
}

async function grow(server: ServerProcess, vectors: Vectors, plan: GrowthDefinition): Promise<Grown> {
  const { address } = server;
  const { rows, dim } = vectors;
  const { documents, connections, batchSize } = plan;
  const adder = start('adder', { address, rows, dim, documents, connections, batchSize } satisfies AdderData);
  const bodiesOf = (filter: string | null) =>
    Array.from({ length: plan.queries }, (_, query) => searchOf(vectors, query, filter));
  const [bodies, filteredBodies] = [bodiesOf(null), bodiesOf(FILTER)];
  const searcher = start('searcher', { address, bodies, filteredBodies } satisfies SearcherData);
  let peakBytes = 0;
  const looking = setInterval(async () => {
    peakBytes = Math.max(peakBytes, (await server.read()).anonymousBytes);
  }, 250);
  try {
    const [added] = (await once(adder, 'message')) as [Added];
    searcher.postMessage('stop');
    const [searched] = (await once(searcher, 'message')) as [Searched[]];
    return { ...added, searched, peakBytes };
  } finally {
    clearInterval(looking);
    await Promise.all([adder.terminate(), searcher.terminate()]);
  }
}

const start = (role: string, workerData: AdderData | SearcherData) =>
  new Worker(new URL(`./${role}-worker.ts`, import.meta.url), { workerData });

function searchOf({ queries, dim }: Vectors, query: number, filter: string | null): string {
  const q = `{"customVector":{"vector":${rowText(queries, query, dim)}}}`;
  const filterPart = filter === null ? '' : `"filter":"${filter}",`;
  return `{"q":${q},${filterPart}"limit":${K},"showHighlights":false,"attributesToRetrieve":["price"]}`;
}

interface Answers {
  /** The documents of each answer. */
  found: number[][];
  milliseconds: number[];
}

/** Asks every query once. */
async function searchAll(server: ServerProcess, vectors: Vectors, { queries }: GrowthDefinition): Promise<Answers> {
  const connection = new Connection(server.address);
  const answers: Answers = { found: [], milliseconds: [] };
  for (let query = 0; query < queries; query += 1) {
    const started = performance.now();
    const answer = await connection.post(SEARCH, searchOf(vectors, query, null));
    answers.milliseconds.push(performance.now() - started);
    answers.found.push(idsOf(answer));
  }
  connection.close();
  return answers;
}

/** Recalls of several rounds of answers against exact searches. */
function recalls(
  { rows, queries, dim }: Vectors,
  { compared }: GrowthDefinition,
  rounds: readonly Answers[],
): number[] {
  const documents = Array.from({ length: rows.length / dim }, (_, row) => row);
  const sums = rounds.map(() => ({ hits: 0, wanted: 0 }));
  for (let query = 0; query < compared; query += 1) {
    const scores = scoresOf(rows, queries.subarray(query * dim, (query + 1) * dim));
    const truth = expected(scores, documents, () => true, K);
    for (const [round, sum] of sums.entries()) {
      const { hits, wanted } = recallOf(rounds[round]?.found[query] ?? [], truth, new Set());
      sum.hits += hits;
      sum.wanted += wanted;
    }
  }
  return sums.map(({ hits, wanted }) => hits / wanted);
}

/** Documents added in a second, from the end of one tenth to that of another. */
function rateOf(tenths: readonly number[], documents: number, from: number, to: number): number {
  const [start = 0, end = 0] = [tenths[from], tenths[to]];
  return (((to - from) / 10) * documents) / ((end - start) / 1000);
}

/** The searches without a filter that were asked from the end of one tenth to that of another. */
function searchedIn({ tenths, searched }: Grown, from: number, to: number, filtered = false): Searched[] {
  const [start = 0, end = 0] = [tenths[from], tenths[to]];
  return searched.filter((each) => each.filtered === filtered && each.at >= start && each.at < end);
}

const millisecondsOf = (searched: readonly Searched[]) => searched.map(({ milliseconds }) => milliseconds);
const healthOf = (searched: readonly Searched[]) => searched.map(({ healthMs }) => healthMs);

/** Notes that tell a steady change from a moment's. */
function tenthNotes(grown: Grown, documents: number): string[] {
  const tenths = Array.from({ length: 10 }, (_, tenth) => tenth);
  const rates = tenths.map((tenth) => rateOf(grown.tenths, documents, tenth, tenth + 1).toFixed(0));
  const times = tenths.map((tenth) => median(millisecondsOf(searchedIn(grown, tenth, tenth + 1))).toFixed(2));
  return [`docs/s by tenth: ${rates.join(', ')}`, `kNN p50 by tenth (ms): ${times.join(', ')}`];
}

function ingestRows(tenths: readonly number[], documents: number): Row[] {
  const [first, last] = [rateOf(tenths, documents, 0, 1), rateOf(tenths, documents, 9, 10)];
  return [
    compare('added (docs/s)', 'higher', rateOf(tenths, documents, 0, 10)),
    compare('last tenth (docs/s)', 'higher', last, 'the first tenth', first),
    compare('last tenth over first', 'higher', last / first, 'target', TARGETS.lastTenth),
  ];
}

function searchTimes(
  when: string,
  times: readonly number[],
  at: number | null = null,
  targetMs: number = TARGETS.searchMs,
): Row[] {
  return [
    compare(`kNN ${when}, p50 (ms)`, 'lower', median(times), 'target', targetMs, at),
    compare(`kNN ${when}, p99 (ms)`, 'lower', quantile(times, 0.99), null, null, at),
  ];
}

function searchRows(grown: Grown): Row[] {
  const beside = (when: string, searched: readonly Searched[]) => [
    ...searchTimes(when, millisecondsOf(searched), null, TARGETS.besideMs),
    compare(`GET /health ${when}, p50 (ms)`, 'lower', median(healthOf(searched))),
  ];
  return [
    ...beside('beside the first three tenths', searchedIn(grown, 0, 3)),
    ...beside('beside the last three tenths', searchedIn(grown, 7, 10)),
    ...searchTimes(
      'with a filter beside the last three tenths',
      millisecondsOf(searchedIn(grown, 7, 10, true)),
      null,
      TARGETS.besideMs,
    ),
  ];
}

const KINDS = [
  { title: '', of: ({ unfiltered }: TenthRecall) => unfiltered },
  { title: ' with a filter', of: ({ filtered }: TenthRecall) => filtered },
];

function recallRows(tenths: readonly TenthRecall[]): Row[] {
  return KINDS.map(({ title, of }) => {
    const least = Math.min(...tenths.map(of));
    return compare(`recall@10${title}, the worst tenth`, 'higher', least, 'target', TARGETS.recall);
  });
}

function recallNotes(tenths: readonly TenthRecall[]): string[] {
  const recalls = KINDS.map(({ title, of }) => {
    const each = tenths.map((tenth) => of(tenth).toFixed(3));
    return `recall@10${title} by tenth: ${each.join(', ')}`;
  });
  return [...recalls, `searches compared by tenth: ${tenths.map(({ compared }) => compared).join(', ')}`];
}

interface Memory {
  peak: number;
  empty: Probed;
  settled: Probed;
  restarted: Probed;
  /** Bytes by the statistics of the index. */
  told: number;
}

function memoryRows({ peak, empty, settled, restarted, told }: Memory): Row[] {
  const mebibytes = (bytes: number) => bytes / 2 ** 20;
  const after = mebibytes(restarted.anonymousBytes);
  return [
    compare('anonymous memory at its peak (MiB)', 'lower', mebibytes(peak), 'after a restart', after),
    compare('peak over restart', 'lower', mebibytes(peak) / after, 'target', TARGETS.memoryRatio),
    compare(
      'anonymous memory when settled (MiB)',
      'lower',
      mebibytes(settled.anonymousBytes),
      'after a restart',
      after,
    ),
    compare(
      'told by the stats (MiB)',
      'higher',
      mebibytes(told),
      'what it grew by, restarted',
      mebibytes(restarted.anonymousBytes - empty.anonymousBytes),
    ),
  ];
}
