import { randomNumbers } from '../serving/vectors.ts';

/** Made-up titles: as those of `search/examples/typing.rs`, eight words of a vocabulary with few common ones. */
export interface Titles {
  /** The vocabulary, the commonest first. */
  readonly words: readonly string[];
  /** `[titles][8]`, places in the vocabulary. */
  readonly places: Uint32Array;
  readonly count: number;
}

/** Two neighbouring words of a title, as they are meant, and the last of them with a typo. */
export interface Meant {
  readonly title: number;
  readonly first: string;
  readonly last: string;
  readonly typo: string;
}

const TITLE_WORDS = 8;
const SEED = 1;
const ONSETS = ['b', 'd', 'f', 'g', 'k', 'l', 'm', 'n', 'p', 'r', 's', 't', 'v', 'st', 'tr', 'ch'];
const VOWELS = ['a', 'e', 'i', 'o', 'u', 'ai', 'ou'];
const CODAS = ['n', 'r', 's', 'l', 't'];

type Random = () => number;
const below = (random: Random, end: number) => Math.floor(random() * end);
const pick = <T>(random: Random, from: readonly T[]) => from[below(random, from.length)] as T;

/** The same titles on every machine. */
export function makeTitles(count: number, vocabulary: number): Titles {
  const random = randomNumbers(SEED);
  const words = Array.from({ length: vocabulary }, () => spelled(random));
  const places = new Uint32Array(count * TITLE_WORDS);
  // A word is as often among the first ten as among the next ninety.
  for (let i = 0; i < places.length; i += 1) places[i] = Math.floor(vocabulary ** random()) - 1;
  return { words, places, count };
}

export const wordsOf = ({ words, places }: Titles, title: number): string[] =>
  Array.from(places.subarray(title * TITLE_WORDS, (title + 1) * TITLE_WORDS), (place) => words[place] as string);

/** Other queries for each seed: the first two words of some titles. */
export function meantWords(titles: Titles, count: number, seed: number): Meant[] {
  const random = randomNumbers(seed);
  return Array.from({ length: count }, () => {
    const title = below(random, titles.count);
    const [first = '', last = ''] = wordsOf(titles, title);
    return { title, first, last, typo: mistyped(last, random) };
  });
}

/** The word with one typo behind its first letter: a letter too many, too few or another one, or two neighbours swapped. */
export function mistyped(word: string, random: Random): string {
  for (;;) {
    const letters = [...word];
    const at = 1 + below(random, letters.length - 2);
    const letter = String.fromCharCode(97 + below(random, 26));
    const kind = below(random, 4);
    if (kind === 0) letters.splice(at, 0, letter);
    else if (kind === 1) letters.splice(at, 1);
    else if (kind === 2) letters[at] = letter;
    else letters.splice(at, 2, letters[at + 1] as string, letters[at] as string);
    const typed = letters.join('');
    // Equal letters may have been swapped, or one replaced by itself.
    if (typed !== word) return typed;
  }
}

/** A word of two to five syllables. */
function spelled(random: Random): string {
  const syllable = () =>
    pick(random, ONSETS) + pick(random, VOWELS) + (below(random, 4) === 0 ? pick(random, CODAS) : '');
  return Array.from({ length: 2 + below(random, 4) }, syllable).join('');
}
