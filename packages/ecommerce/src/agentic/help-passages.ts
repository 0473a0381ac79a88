import { setImmediate } from 'node:timers/promises';

/** A page of the help centre of a shop. */
export interface Article {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly url?: string | null;
}

/** A part of an article that may answer a question. */
export interface Passage {
  readonly title: string;
  readonly text: string;
  readonly url: string | null;
}

interface Posting {
  /** Place of the passage. */
  readonly passage: number;
  /** The number of times that the word stands in it and its title. */
  readonly count: number;
  readonly isInTitle: boolean;
}

/** About as much as answers one question, in characters. */
const PASSAGE_LENGTH_MAX = 600;
/** Shorter Latin words are mostly grammar, and say little about what is asked. */
const LATIN_WORD_LENGTH_MIN = 4;
/** Parameters of BM25, as in the indexes. */
const K1 = 1.2;
const B = 0.75;

/** The passages of articles, found by their words: some hundred pages need no index of their own. */
export class HelpPassages {
  readonly #passages: Passage[] = [];
  readonly #wordCounts: number[] = [];
  readonly #postings = new Map<string, Posting[]>();
  #wordCount = 0;

  /** Lets others have their turn after each article: a large help centre takes a tenth of a second or more. */
  static async of(articles: readonly Article[]): Promise<HelpPassages> {
    const passages = new HelpPassages();
    for (const article of articles) {
      passages.#add(article);
      await setImmediate();
    }
    return passages;
  }

  /**
   * The best passages by BM25. Only those count whose title has a word of the question, or that have half of its words:
   * most messages of shoppers ask for products.
   */
  find(question: string, limit: number): Passage[] {
    const words = [...new Set(wordsOf(question))];
    const found = new Map<number, { score: number; known: number; isInTitle: boolean }>();
    for (const word of words) {
      const postings = this.#postings.get(word) ?? [];
      for (const posting of postings) {
        const { passage, isInTitle } = posting;
        const { score, known, ...before } = found.get(passage) ?? { score: 0, known: 0, isInTitle: false };
        found.set(passage, {
          score: score + this.#score(posting, postings.length),
          known: known + 1,
          isInTitle: before.isInTitle || isInTitle,
        });
      }
    }
    return (
      [...found]
        .filter(([, { known, isInTitle }]) => isInTitle || known * 2 >= words.length)
        // Equal passages come in the order of their articles.
        .toSorted(([a, one], [b, other]) => other.score - one.score || a - b)
        .slice(0, limit)
        .map(([passage]) => this.#passages[passage] as Passage)
    );
  }

  #score({ passage, count }: Posting, df: number): number {
    const passageCount = this.#passages.length;
    const meanWordCount = this.#wordCount / passageCount;
    const idf = Math.log(1 + (passageCount - df + 0.5) / (df + 0.5));
    const length = (this.#wordCounts[passage] as number) / meanWordCount;
    return (idf * count * (K1 + 1)) / (count + K1 * (1 - B + B * length));
  }

  #add({ title, text, url }: Article): void {
    const ofTitle = wordsOf(title);
    for (const part of textsOf(text)) {
      const words = [...ofTitle, ...wordsOf(part)];
      const counts = new Map<string, number>();
      for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
      const passage = this.#passages.push({ title, text: part, url: url ?? null }) - 1;
      for (const [word, count] of counts) {
        const postings = this.#postings.get(word) ?? [];
        postings.push({ passage, count, isInTitle: ofTitle.includes(word) });
        this.#postings.set(word, postings);
      }
      this.#wordCounts.push(words.length);
      this.#wordCount += words.length;
    }
  }
}

/** Sentences and lines, joined as long as they fit; a longer one is cut. */
function textsOf(text: string): string[] {
  const texts: string[] = [];
  for (const sentence of text.split(/(?<=[.!?。！？])\s+|\n+/u)) {
    const whole = sentence.trim();
    for (let start = 0; start < whole.length; start += PASSAGE_LENGTH_MAX) {
      const part = whole.slice(start, start + PASSAGE_LENGTH_MAX);
      const last = texts.at(-1);
      if (last === undefined || last.length + part.length >= PASSAGE_LENGTH_MAX) texts.push(part);
      else texts[texts.length - 1] = `${last} ${part}`;
    }
  }
  return texts;
}

const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const { segment, isWordLike } of segmenter.segment(text.normalize('NFKC').toLowerCase())) {
    const isShort = segment.length < LATIN_WORD_LENGTH_MIN && /^\p{Script=Latin}+$/u.test(segment);
    if (isWordLike === true && !isShort) words.push(segment);
  }
  return words;
}
