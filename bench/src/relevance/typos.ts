import { ndcg } from '../../../packages/console/src/relevance/figures.ts';
import { compare, type Row } from '../row.ts';
import { randomNumbers } from '../serving/vectors.ts';
import { mistyped } from '../typing/titles.ts';
import type { Collection, Query } from './collection.ts';

/** The typos of a query. */
export interface TypoKind {
  readonly name: string;
  /** Words that get typos: all where there are fewer. */
  readonly words: number;
  /** Typos of each. */
  readonly edits: number;
  /** Letters of such a word at least. */
  readonly from: number;
  /** The least share of the nDCG without typos. */
  readonly reach?: number;
}

export const TYPO_KINDS: readonly TypoKind[] = [
  { name: 'a typo', words: 1, edits: 1, from: 4, reach: 0.9 },
  { name: 'a typo in two words', words: 2, edits: 1, from: 4, reach: 0.9 },
  { name: 'two typos in a long word', words: 1, edits: 2, from: 8, reach: 0.9 },
  { name: 'a typo in every word', words: Number.POSITIVE_INFINITY, edits: 1, from: 4 },
];

/** Drawings of typos for each query. */
const DRAWINGS = 3;
const SEED = 43;
/** Queries that lose most, of each kind. */
const EXAMPLES = 5;

/** A query with typos. */
export interface Mistyped {
  readonly text: string;
  readonly query: Query;
  /** Words as typed and as meant. */
  readonly words: readonly { readonly typed: string; readonly meant: string }[];
}

/** Queries with typos of a kind, the same each time; those that have no word for them stay out. */
export function mistypedQueries(queries: readonly Query[], kind: TypoKind): Mistyped[] {
  const random = randomNumbers(SEED);
  return Array.from({ length: DRAWINGS }, () => queries.map((query) => mistypedQuery(query, kind, random)))
    .flat()
    .filter(({ words }) => words.length > 0);
}

function mistypedQuery(query: Query, { words: count, edits, from }: TypoKind, random: () => number): Mistyped {
  const places = [...query.text.matchAll(/[a-z]+/gi)].filter(([word]) => word.length >= from);
  while (places.length > count) places.splice(Math.floor(random() * places.length), 1);
  const words = places.map(([meant]) => {
    let typed = meant;
    // The second typo could undo the first.
    do typed = Array.from({ length: edits }).reduce<string>((word) => mistyped(word, random), meant);
    while (typed === meant);
    return { typed, meant };
  });
  let text = '';
  let end = 0;
  for (const [at, place] of places.entries()) {
    text += query.text.slice(end, place.index) + words[at]?.typed;
    end = place.index + place[0].length;
  }
  return { text: text + query.text.slice(end), query, words };
}

/** A way to rank: the ids of each text, in its order. */
export type Ranking = (texts: readonly string[], forgivesTypos: boolean) => Promise<readonly (readonly string[])[]>;

/** nDCG with typos over that without; lines tell which words cost most. */
export async function typoRows(
  collection: Collection,
  depth: number,
  ours: Ranking,
  peer: { name: string; rank: Ranking } | null,
): Promise<{ rows: Row[]; lines: string[] }> {
  const { queries, name: set } = collection;
  const texts = queries.map(({ text }) => text);
  const gainsOf = async (rank: Ranking, some: readonly { text: string; query: Query }[], forgives: boolean) => {
    const ranked = await rank(
      some.map(({ text }) => text),
      forgives,
    );
    return some.map(({ query }, at) => ndcg(ranked[at] ?? [], query.grades, depth));
  };
  const untouched = queries.map((query, at) => ({ text: texts[at] ?? '', query }));
  const exact = await gainsOf(ours, untouched, false);
  const gainOf = new Map(queries.map((query, at) => [query, exact[at] ?? 0]));
  const row = (what: string, mine: number, beside: string, theirs: number | null, reach?: number): Row => ({
    ...compare(`${what}, nDCG@${depth}`, 'higher', mine, beside, theirs),
    set,
    ...(reach !== undefined && { target: { reach, chase: 1 } }),
  });
  const forgiving = mean(await gainsOf(ours, untouched, true));
  const rows = [row('no typo, typoTolerance', forgiving, 'without typoTolerance', mean(exact), 1)];
  const lines: string[] = [];
  for (const kind of TYPO_KINDS) {
    const typed = mistypedQueries(queries, kind);
    const gains = await gainsOf(ours, typed, true);
    const meant = typed.map(({ query }) => gainOf.get(query) ?? 0);
    rows.push(row(`${kind.name}, typoTolerance`, mean(gains), 'without typos', mean(meant), kind.reach));
    const strict = mean(await gainsOf(ours, typed, false));
    rows.push(row(`${kind.name}, typoTolerance`, mean(gains), 'without typoTolerance', strict));
    if (peer !== null) {
      const theirs = mean(await gainsOf(peer.rank, typed, true));
      rows.push(row(`${kind.name}, typoTolerance`, mean(gains), peer.name, theirs));
    }
    lines.push(...costliest(typed, meant, gains).map((line) => `${set}, ${kind.name}: ${line}`));
  }
  return { rows, lines };
}

const mean = (values: readonly number[]) => values.reduce((sum, each) => sum + each, 0) / values.length;

function costliest(typed: readonly Mistyped[], meant: readonly number[], gains: readonly number[]): string[] {
  const lost = typed.map(({ words }, at) => ({ words, loss: (meant[at] ?? 0) - (gains[at] ?? 0) }));
  const worst = lost.toSorted((one, other) => other.loss - one.loss).slice(0, EXAMPLES);
  return worst.map(({ words, loss }) => {
    const some = words.slice(0, EXAMPLES).map(({ typed: as, meant: of }) => `${as} for ${of}`);
    return `${loss.toFixed(2)} lost by ${some.join(', ')}`;
  });
}
