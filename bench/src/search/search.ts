import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { run } from '../command.ts';
import { definition } from '../definition.ts';
import { LineProcess } from '../line-process.ts';
import { LUCENE, lucene } from '../lucene.ts';
import { DATASETS, ROOT, searchExecutable } from '../paths.ts';
import { median } from '../quantile.ts';
import { compare, type Row, type Target } from '../row.ts';
import type { Build, Built, Cell, Search, Searched } from './engine.ts';

interface SearchDefinition {
  corpus: { documents: number };
  k: number;
  /** Queries of a cell. */
  count: number;
  /** Passes before the clock starts: bounds of words are taken as these are searched for. */
  warmUps: number;
  rounds: number;
  target: Target;
  buildTarget: Target;
  cells: Cell[];
}

interface Engine {
  title: string;
  child: LineProcess;
}

const TANTIVY = 'tantivy 0.27';

/** Searches by words: our crate beside tantivy and Lucene, each in a process of its own on the same documents. */
export const search: Bench = async ({ quick, say }) => {
  const plan = definition<SearchDefinition>('search', quick);
  const notes: string[] = [];
  await run('cargo', ['build', '--release', '--locked', '--quiet', '-p', 'pelorus-bench-search'], ROOT);
  const directory = join(DATASETS, `words-${plan.corpus.documents}`);
  if (!existsSync(join(directory, 'documents.tsv'))) {
    say('making documents');
    await run(searchExecutable(), ['generate', directory, JSON.stringify(plan.corpus)], ROOT);
  }
  const serve = (name: string) => new LineProcess(searchExecutable(), ['serve', name, directory]);
  const ours: Engine = { title: 'pelorus', child: serve('ours') };
  const peers: Engine[] = [{ title: TANTIVY, child: serve('tantivy') }];
  try {
    const { command, args } = await lucene('Search.java', say);
    peers.push({ title: LUCENE, child: new LineProcess(command, [...args, directory]) });
  } catch (error) {
    notes.push(`${LUCENE} DOES NOT RUN HERE: ${(error as Error).message}`);
  }
  try {
    const rows = await build(ours, peers, plan.buildTarget, say);
    for (const cell of plan.cells) {
      say(cell.title);
      rows.push(...(await measure(cell, ours, peers, plan, notes)));
    }
    const ratios = plan.cells.map(({ title }) => worst(rows.filter(({ metric }) => metric === metricOf(title))));
    const lines = [
      `beside the better peer: median ${median(ratios).toFixed(2)}x, least ${Math.min(...ratios).toFixed(2)}x`,
    ];
    return { rows, lines, notes, dataset: { ...plan.corpus, k: plan.k, queries: plan.count, rounds: plan.rounds } };
  } finally {
    for (const { child } of [ours, ...peers]) await child.close();
  }
};

/** Engines build one after the other, so that each has the machine for itself. */
async function build(ours: Engine, peers: readonly Engine[], target: Target, say: (line: string) => void) {
  const built = new Map<Engine, Built>();
  for (const engine of [ours, ...peers]) {
    say(`${engine.title} builds its index`);
    const command: Build = { kind: 'build' };
    built.set(engine, await engine.child.ask<Built>(command));
  }
  const own = built.get(ours);
  return peers.flatMap((peer) => {
    const theirs = built.get(peer);
    const row = (metric: string, of: (built: Built | undefined) => number | undefined): Row => ({
      ...compare(metric, 'lower', of(own) ?? null, peer.title, of(theirs) ?? null),
      target,
    });
    return [
      row('build of the index (s)', (built) => built?.seconds),
      row('build of the index, processor time (s)', (built) => built?.processorSeconds),
    ];
  });
}

const metricOf = (title: string) => `${title} (us)`;
const worst = (rows: Row[]) => Math.min(...rows.map(({ ratio }) => ratio ?? 0));

/** Engines take turns; each round compares what it took itself. */
async function measure(
  cell: Cell,
  ours: Engine,
  peers: readonly Engine[],
  { k, count, warmUps, rounds, target }: SearchDefinition,
  notes: string[],
): Promise<Row[]> {
  const search: Search = { kind: 'search', cell, k, count };
  const engines = [ours, ...peers];
  const means = new Map<Engine, number[]>(engines.map((engine) => [engine, []]));
  const answers = new Map<Engine, Searched>();
  for (let round = -warmUps; round < rounds; round += 1) {
    for (const engine of engines) {
      const answer = await engine.child.ask<Searched>(search);
      answers.set(engine, answer);
      if (round >= 0)
        means.get(engine)?.push(answer.micros.reduce((sum, each) => sum + each, 0) / answer.micros.length);
    }
  }
  const [own, found] = [means.get(ours) ?? [], answers.get(ours)];
  return peers.map((peer) => {
    const [theirs, answer] = [means.get(peer) ?? [], answers.get(peer)];
    if (found === undefined || answer === undefined || differ(found, answer)) {
      notes.push(`${cell.title}: ${peer.title} finds OTHER DOCUMENTS`);
    }
    const row = compare(metricOf(cell.title), 'lower', median(own), peer.title, median(theirs));
    return { ...row, ratio: median(own.map((each, round) => (theirs[round] ?? 0) / each)), target };
  });
}

/**
 * Totals must be equal, and so must be the number of hits. Which they are may differ: the peers round lengths to a
 * byte, and count documents for each field where ours counts those with the word in any.
 */
function differ(ours: Searched, theirs: Searched): boolean {
  const isOther = (a: number[], b: number[]) => a.length !== b.length || a.some((each, i) => each !== b[i]);
  const lengths = ({ hits }: Searched) => hits.map((each) => each.length);
  return isOther(ours.totals, theirs.totals) || isOther(lengths(ours), lengths(theirs));
}
