import { LUCENE } from '../lucene.ts';
import { median } from '../quantile.ts';
import { compare, type Row } from '../row.ts';
import { recall } from '../vector/recall.ts';
import { type Corpus, partOf } from './corpus.ts';
import { BATCH, K } from './database.ts';
import { aimAtBest, pick, type Turns } from './turns.ts';

const TARGETS = {
  addedPerSecond: 5000,
  timesTheBest: { reach: 3, chase: 3 },
  /** 1.2 times what OpenSearch takes at most, which is Lucene's files and more. */
  timesLucenesDisk: { reach: 1 / 1.2, chase: 1 },
};

type Say = (line: string) => void;

/** Adds the corpus everywhere, a part of it in each round, and looks at what has come of it. */
export async function measureAdding(turns: Turns, corpus: Corpus, rounds: number, say: Say): Promise<Row[]> {
  const empty = await turns.take(1, (database) => database.state());
  const added = await turns.take(rounds, async (database, round) => {
    const { first, end } = partOf(corpus.count, round, rounds);
    const count = end - first;
    const seconds = await database.add(first, count);
    const rates = { acknowledged: count / seconds, settled: count / (seconds + (await database.settle())) };
    say(`round ${round + 1} of ${rounds}: ${database.title} adds ${Math.round(rates.acknowledged)} documents/s`);
    return rates;
  });
  const full = await turns.take(1, async (database) => {
    const { documents, residentBytes } = await database.state();
    if (documents !== corpus.count) throw new Error(`it has ${documents} of ${corpus.count} documents`);
    const before = empty.get(database)?.[0]?.residentBytes ?? 0;
    return { resident: (residentBytes - before) / corpus.count, disk: (await database.diskBytes()) / corpus.count };
  });
  const { found, milliseconds } = await measureSearches(turns, corpus, rounds, say);
  const [acknowledged, settled] = [pick(added, (rates) => rates.acknowledged), pick(added, (rates) => rates.settled)];
  const [disk, resident] = [pick(full, (sizes) => sizes.disk), pick(full, (sizes) => sizes.resident)];
  const linked = new Map([...settled].filter(([database]) => database.links));
  const metric = `add, ${BATCH} a request (docs/s)`;
  const reached = turns.ours(found);
  return [
    compare(metric, 'higher', turns.ours(acknowledged), 'target', TARGETS.addedPerSecond, reached),
    ...aimAtBest(turns.rows(metric, 'higher', acknowledged, reached), TARGETS.timesTheBest),
    ...turns.rows('add, linked into the graph (docs/s)', 'higher', linked, reached),
    ...turns.rows(`recall@${K} of what was added`, 'higher', found),
    ...turns.rows('nearest neighbors, p50 (ms)', 'lower', milliseconds, reached),
    compare('on disk (bytes/document)', 'lower', turns.ours(disk), 'vector and text', corpus.bytesPerDocument),
    ...turns
      .rows('on disk (bytes/document)', 'lower', disk)
      .map((row) => (row.peer === LUCENE ? { ...row, target: TARGETS.timesLucenesDisk } : row)),
    ...turns.rows('resident, empty taken off (bytes/document)', 'lower', resident),
  ];
}

async function measureSearches(turns: Turns, corpus: Corpus, rounds: number, say: Say) {
  say('searching, and comparing with exact searches');
  const truth = corpus.nearest(K);
  await turns.take(1, (database) => database.search()); // warms up
  const searched = await turns.take(rounds, (database) => database.search());
  return {
    found: pick(searched, ({ neighbors }) => Number(recall(neighbors, truth).toFixed(4))),
    milliseconds: pick(searched, ({ seconds }) => 1000 * median(seconds)),
  };
}

/** Starts every database anew, and empties it. */
export async function measureEnd(turns: Turns, corpus: Corpus, rounds: number, say: Say): Promise<Row[]> {
  say('starting again');
  const restarts = await turns.take(rounds, (database) => database.restart());
  say('deleting all');
  const cleared = await turns.take(1, async (database) => corpus.count / (await database.clear()));
  return [
    ...turns.rows('start to the first answer (s)', 'lower', restarts),
    ...turns.rows('delete of all (docs/s)', 'higher', cleared),
  ];
}
