import { randomNumbers } from '../serving/vectors.ts';
import type { Request } from './generator.ts';

/** The kinds of changed scores. */
export const SCORE_KINDS = ['plain', '1 modifier', '10 modifiers', '100 modifiers', 'recency'] as const;
export type ScoreKind = (typeof SCORE_KINDS)[number];

/** Words that every document holds. */
export const WORDS = ['river', 'meadow', 'harbor', 'valley', 'forest'] as const;
/** Words that some documents hold, which make them long or short. */
const OTHERS = ['stone', 'lamp', 'coat'] as const;
const OTHERS_MAX = 60;
/** A word comes so often at most. */
const TIMES_MAX = 3;
const FIELDS = 100;
/** The moment that recency counts from, and the age at which it is half, in seconds. No document is older. */
export const NOW = 1_800_000_000;
export const SCALE_DAYS = 365;
const DAY_SECONDS = 86_400;
export const SCALE_SECONDS = SCALE_DAYS * DAY_SECONDS;
export const HALF = 0.5;

export interface ScoredDocument {
  id: number;
  text: string;
  time: number;
  /** The fields that change scores: `n0`, `n1` and so on. */
  numbers: number[];
}

/** The factor of a field's value, or what is added of it to a score. */
export interface Modifier {
  field: string;
  weight: number;
}

export interface Modifiers {
  multiply: Modifier[];
  add: Modifier[];
}

const COUNTS: Partial<Record<ScoreKind, number>> = { '1 modifier': 1, '10 modifiers': 10, '100 modifiers': FIELDS };

/** The fields that change scores, half of them by multiplying; none where nothing but time does. */
export function modifiersOf(kind: ScoreKind): Modifiers {
  const count = COUNTS[kind] ?? 0;
  const fields = Array.from({ length: count }, (_, at) => `n${at}`);
  const multiplied = Math.ceil(count / 2);
  return {
    multiply: fields.slice(0, multiplied).map((field) => ({ field, weight: 1 })),
    add: fields.slice(multiplied).map((field) => ({ field, weight: 0.02 })),
  };
}

/** Documents of a range, the same on every machine. */
export function scoredDocuments(first: number, end: number): ScoredDocument[] {
  return Array.from({ length: end - first }, (_, at) => scoredDocument(first + at));
}

function scoredDocument(id: number): ScoredDocument {
  const random = randomNumbers(id + 1);
  const below = (limit: number) => Math.floor(random() * limit);
  const held = WORDS.flatMap((word) => Array.from({ length: 1 + below(TIMES_MAX) }, () => word));
  const others = Array.from({ length: below(OTHERS_MAX) }, () => OTHERS[below(OTHERS.length)]);
  const time = NOW - below(SCALE_SECONDS);
  const numbers = Array.from({ length: FIELDS }, () => Math.round((0.9 + random() / 5) * 1e4) / 1e4);
  return { id, text: [...held, ...others].join(' '), time, numbers };
}

/** A document's members besides its id, as JSON without brackets. */
export function membersOf({ text, time, numbers }: ScoredDocument): string {
  return `"text":"${text}","time":${time},${numbers.map((number, at) => `"n${at}":${number}`).join(',')}`;
}

/** The index of a service whose documents' fields change scores. */
export interface Scores {
  /** The ways in which it can be told to. */
  readonly spellings: readonly string[];
  create(): Promise<void>;
  addition(documents: readonly ScoredDocument[]): Request;
  settle(): Promise<void>;
  /** A search by one word for the best ten. */
  search(kind: ScoreKind, word: string, spelling: string): Request;
}
