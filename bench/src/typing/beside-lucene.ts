import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../command.ts';
import { LineProcess } from '../line-process.ts';
import { LUCENE, lucene } from '../lucene.ts';
import { DATASETS, ROOT, searchExecutable } from '../paths.ts';
import { median } from '../quantile.ts';
import { compare, type Row, type Target } from '../row.ts';
import type { Search, Searched } from '../search/engine.ts';
import { KEYSTROKES, type Keystroke, textOf } from './keystrokes.ts';
import { type Meant, meantWords, type Titles, wordsOf } from './titles.ts';

/** The same searches without a server, beside Lucene. */
export interface LibraryPlan {
  queries: number;
  warmUps: number;
  rounds: number;
  target: Target;
}

const K = 10;
const SEED = 50;
/** Titles of one write to the file. */
const WRITTEN = 10_000;
const FIELD = 'title';

interface Measured {
  /** The mean over the queries, in each round. */
  micros: number[];
  found: number;
}

/**
 * Processor time of the thread that searches, ours and Lucene's prefix and fuzzy queries in turns, each in a process of its
 * own that answers the protocol of the search bench.
 */
export async function libraryRows(
  titles: Titles,
  plan: LibraryPlan,
  say: (line: string) => void,
  notes: string[],
): Promise<Row[]> {
  await run('cargo', ['build', '--release', '--locked', '--quiet', '-p', 'pelorus-bench-search'], ROOT);
  const cells = KEYSTROKES.filter(({ beside }) => beside);
  const meant = meantWords(titles, plan.queries, SEED);
  const directory = written(titles, cells, meant);
  const ours = new LineProcess(searchExecutable(), ['serve', 'ours', directory]);
  const peer = await lucene('Search.java', say)
    .then(({ command, args }) => new LineProcess(command, [...args, directory]))
    .catch((error: Error) => {
      notes.push(`${LUCENE} DOES NOT RUN HERE: ${error.message}`);
      return null;
    });
  try {
    const rows: Row[] = [];
    for (const cell of cells) {
      say(`the library: ${cell.name}`);
      rows.push(await rowOf(cell, { ours, peer }, titles, meant, plan, notes));
    }
    return rows;
  } finally {
    for (const engine of [ours, peer]) await engine?.close();
  }
}

/** A folder with the titles and the queries of each cell, as the engines of the search bench read them. */
function written(titles: Titles, cells: readonly Keystroke[], meant: readonly Meant[]): string {
  const directory = join(DATASETS, `titles-${titles.count}-${titles.words.length}`);
  mkdirSync(directory, { recursive: true });
  for (const cell of cells) {
    writeFileSync(join(directory, `${cell.name}.txt`), meant.map((each) => `${textOf(cell, each)}\n`).join(''));
  }
  const documents = join(directory, 'documents.tsv');
  if (existsSync(documents)) return directory;
  writeFileSync(join(directory, 'fields.txt'), `${FIELD}\n`);
  const incoming = `${documents}.incoming`;
  writeFileSync(incoming, '');
  for (let first = 0; first < titles.count; first += WRITTEN) {
    const count = Math.min(WRITTEN, titles.count - first);
    const lines = Array.from({ length: count }, (_, at) => `\t${wordsOf(titles, first + at).join(' ')}\n`);
    writeFileSync(incoming, lines.join(''), { flag: 'a' });
  }
  renameSync(incoming, documents); // last: its presence means a whole set
  return directory;
}

interface Engines {
  ours: LineProcess;
  peer: LineProcess | null;
}

async function rowOf(
  keystroke: Keystroke,
  { ours, peer }: Engines,
  titles: Titles,
  meant: readonly Meant[],
  { queries, warmUps, rounds, target }: LibraryPlan,
  notes: string[],
): Promise<Row> {
  const { name, prefix, typos } = keystroke;
  const cell = { title: name, words: name, terms: 2, ...(prefix && { prefix }), ...(typos && { typos }) };
  const search: Search = { kind: 'search', cell, k: K, count: queries };
  const engines = [ours, ...(peer === null ? [] : [peer])];
  const measured = engines.map((): Measured => ({ micros: [], found: 0 }));
  for (let round = -warmUps; round < rounds; round += 1) {
    for (const [at, engine] of engines.entries()) {
      const { micros, hits } = await engine.ask<Searched>(search);
      const sum = measured[at] as Measured;
      sum.found = hits.filter((some, query) => hasMeant(titles, some, meant[query] as Meant)).length / hits.length;
      if (round >= 0) sum.micros.push(micros.reduce((total, each) => total + each, 0) / micros.length);
    }
  }
  const [own, theirs] = measured as [Measured, Measured | undefined];
  const metric = `${name}, the library (CPU us)`;
  const row = compare(metric, 'lower', median(own.micros), null, null, Number(own.found.toFixed(3)));
  if (theirs === undefined) return row;
  notes.push(`${name}: ${LUCENE} finds ${theirs.found.toFixed(3)}, ours ${own.found.toFixed(3)}`);
  const ratio = median(own.micros.map((each, round) => (theirs.micros[round] ?? 0) / each));
  return { ...row, peer: LUCENE, theirs: median(theirs.micros), ratio, ...(typos && { target }) };
}

/** Tells whether a hit has the words that were meant. */
function hasMeant(titles: Titles, hits: readonly number[], { first, last }: Meant): boolean {
  return hits.some((title) => [first, last].every((word) => wordsOf(titles, title).includes(word)));
}
