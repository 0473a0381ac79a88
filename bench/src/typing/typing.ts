import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { definition } from '../definition.ts';
import { CACHE } from '../paths.ts';
import { quantile } from '../quantile.ts';
import { compare, type Row } from '../row.ts';
import { Connection } from '../server/connection.ts';
import { ServerProcess } from '../server/server-process.ts';
import { type LibraryPlan, libraryRows } from './beside-lucene.ts';
import { foundTypos } from './found-typos.ts';
import { bodyOf, KEYSTROKES, type Keystroke } from './keystrokes.ts';
import { fillTitles, holdsTitleWith, SEARCH } from './title-index.ts';
import { type Meant, makeTitles, meantWords, type Titles } from './titles.ts';

export interface TypingPlan {
  documents: number;
  vocabulary: number;
  /** Queries of each kind in a round, others in each round. */
  queries: number;
  warmUps: number;
  rounds: number;
  /** Single words with a typo. */
  typos: number;
  /** The most that the median of a keystroke, and of one with a typo, should take. */
  keystrokeMs: number;
  typoMs: number;
  /** The least share of words with a typo that should be found. */
  found: number;
  library: LibraryPlan;
}

/** Queries of the rounds have this seed and the next ones. */
const SEED = 100;

interface Measured {
  times: number[];
  found: number;
  cpuSeconds: number;
}

/** Instant search over HTTP: searches of titles by words that are still being typed, on one connection. */
export const typing: Bench = async ({ quick, say }) => {
  const plan = definition<TypingPlan>('typing', quick);
  const notes = ['the bench shares the machine with the server'];
  const titles = makeTitles(plan.documents, plan.vocabulary);
  await mkdir(CACHE, { recursive: true });
  const data = await mkdtemp(join(CACHE, 'typing-'));
  const server = await ServerProcess.start(data, '--http-threads', '1');
  const rows: Row[] = [];
  try {
    await fillTitles(server, titles, say);
    rows.push(...(await keystrokeRows(server, titles, plan, say)));
    const { row, lines } = await foundTypos(server, titles, plan, say);
    rows.push(row);
    notes.push(...lines);
  } finally {
    await server.stop();
    await rm(data, { recursive: true, force: true });
  }
  rows.push(...(await libraryRows(titles, plan.library, say, notes)));
  return { rows, notes, dataset: plan };
};

/** Keystrokes and `GET /health`, the limit of any request, take turns. */
async function keystrokeRows(
  server: ServerProcess,
  titles: Titles,
  plan: TypingPlan,
  say: (line: string) => void,
): Promise<Row[]> {
  const connection = new Connection(server.address);
  const measured = new Map<Keystroke, Measured>(
    KEYSTROKES.map((each) => [each, { times: [], found: 0, cpuSeconds: 0 }]),
  );
  const health: number[] = [];
  for (let round = -plan.warmUps; round < plan.rounds; round += 1) {
    say(`keystrokes, round ${round}`);
    const meant = meantWords(titles, plan.queries, SEED + round);
    const times = await healthTimes(connection, plan.queries);
    if (round >= 0) health.push(...times);
    for (const [keystroke, sum] of measured) {
      const before = await server.read();
      const made = await searched(connection, keystroke, meant);
      const after = await server.read();
      if (round < 0) continue;
      sum.times.push(...made.times);
      sum.found += made.found;
      sum.cpuSeconds += after.cpuSeconds - before.cpuSeconds;
    }
  }
  connection.close();
  return [...measured].flatMap(([keystroke, sum]) => rowsOf(keystroke, sum, health, plan));
}

async function healthTimes(connection: Connection, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < count; i += 1) {
    const startedMs = performance.now();
    await connection.send('GET', '/health');
    times.push(performance.now() - startedMs);
  }
  return times;
}

async function searched(connection: Connection, keystroke: Keystroke, meant: readonly Meant[]) {
  const bodies = meant.map((each) => bodyOf(keystroke, each));
  const times: number[] = [];
  let found = 0;
  for (const [at, body] of bodies.entries()) {
    const startedMs = performance.now();
    const answer = await connection.post(SEARCH, body);
    times.push(performance.now() - startedMs);
    const { first, last } = meant[at] as Meant;
    if (holdsTitleWith(answer, [first, last])) found += 1;
  }
  return { times, found };
}

function rowsOf(
  { name, typos }: Keystroke,
  { times, found, cpuSeconds }: Measured,
  health: number[],
  plan: TypingPlan,
) {
  const recall = Number((found / times.length).toFixed(3));
  const row = (what: string, ours: number, peer: string | null = null, theirs: number | null = null) =>
    compare(`${name}, ${what}`, 'lower', ours, peer, theirs, recall);
  const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
  return [
    row('p50 (ms)', p50, 'target', typos ? plan.typoMs : plan.keystrokeMs),
    row('p50 (ms)', p50, 'GET /health', quantile(health, 0.5)),
    row('p99 (ms)', p99, 'GET /health', quantile(health, 0.99)),
    row('all threads (CPU us)', (cpuSeconds * 1e6) / times.length),
  ];
}
