import { compare, type Row } from '../row.ts';
import { Connection } from '../server/connection.ts';
import type { ServerProcess } from '../server/server-process.ts';
import { randomNumbers } from '../serving/vectors.ts';
import { holdsTitleWith, SEARCH } from './title-index.ts';
import { mistyped, type Titles, wordsOf } from './titles.ts';
import type { TypingPlan } from './typing.ts';

/** Letters of a word from which on it may have a typo, by default. */
const CORRECTED_FROM = 4;
const SEED = 3;

/** Reasons why a title with the word that was meant is not among the first ten. */
export type Reason = 'too short for a correction' | 'itself a word of the index' | 'as near to another word' | 'other';

/** The reason why a word is not found by what was typed for it. */
export function reasonOf(typed: string, vocabulary: ReadonlySet<string>, meant: string): Reason {
  if (typed.length < CORRECTED_FROM) return 'too short for a correction';
  if (vocabulary.has(typed)) return 'itself a word of the index';
  for (const word of vocabulary) if (word !== meant && isOneTypo(word, typed)) return 'as near to another word';
  return 'other';
}

/** Tells whether two words differ by a letter put in, left out or replaced, or by two neighbours swapped. */
export function isOneTypo(one: string, other: string): boolean {
  const [long, short] = one.length >= other.length ? [one, other] : [other, one];
  if (long.length - short.length > 1 || long === short) return false;
  let at = 0;
  while (at < short.length && long[at] === short[at]) at += 1;
  if (long.length > short.length) return long.slice(at + 1) === short.slice(at);
  if (long.slice(at + 1) === short.slice(at + 1)) return true;
  return long[at] === short[at + 1] && long[at + 1] === short[at] && long.slice(at + 2) === short.slice(at + 2);
}

/** Searches for single words with a typo, and tells the share that is found and why others are not. */
export async function foundTypos(
  server: ServerProcess,
  titles: Titles,
  { typos, found: target }: TypingPlan,
  say: (line: string) => void,
): Promise<{ row: Row; lines: string[] }> {
  say(`${typos} words with a typo`);
  const random = randomNumbers(SEED);
  const vocabulary = new Set(Array.from(titles.places, (place) => titles.words[place] as string));
  const connection = new Connection(server.address);
  const missed = new Map<Reason, string[]>();
  let found = 0;
  for (let i = 0; i < typos; i += 1) {
    const meant = correctable(titles, random);
    const typed = mistyped(meant, random);
    if (holdsTitleWith(await connection.post(SEARCH, bodyOfTypo(typed)), [meant])) {
      found += 1;
      continue;
    }
    const reason = reasonOf(typed, vocabulary, meant);
    missed.set(reason, [...(missed.get(reason) ?? []), `${typed} for ${meant}`]);
  }
  connection.close();
  const share = found / typos;
  const lines = [...missed].map(
    ([reason, words]) => `not found, ${reason}: ${words.length} of ${typos}, such as ${words.slice(0, 3).join(', ')}`,
  );
  return {
    row: compare('words with a typo, found', 'higher', share, 'target', target, Number(share.toFixed(3))),
    lines,
  };
}

/** The first word of any title that is long enough. */
function correctable(titles: Titles, random: () => number): string {
  for (;;) {
    const [word = ''] = wordsOf(titles, Math.floor(random() * titles.count));
    if (word.length >= CORRECTED_FROM) return word;
  }
}

const bodyOfTypo = (q: string) =>
  JSON.stringify({
    ...{ q, searchMethod: 'LEXICAL', searchableAttributes: ['title'], typoTolerance: true },
    ...{ limit: 10, attributesToRetrieve: ['title'], showHighlights: false },
  });
