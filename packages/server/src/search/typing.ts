import type { engine, Problem } from '@pelorus/contract';
import { broken, brokenTogether } from '../validation/problems.js';
import { checkFieldName } from './field-names.js';
import type { hybridMethods, SearchMethod, SearchRequest } from './shape.js';

/** Characters of a word from which on it may have one typo, and two. */
const oneTypoFrom = 4;
const twoTyposFrom = 8;

/** Members that say something about the words of a search. */
const ofWords = [
  'fieldWeights',
  'stopWords',
  'textRanking',
  'prefix',
  'typoTolerance',
  'splitJoinTokens',
  'decompound',
  'phraseSlop',
  'didYouMean',
] as const;

/** Checks that a search with rules for words has words, and that longer words may have no fewer typos. */
export function* typingProblems(
  request: SearchRequest,
  method: SearchMethod,
  { retrieval, ranking }: ReturnType<typeof hybridMethods>,
): Generator<Problem> {
  for (const name of ofWords) {
    if (request[name] == null) continue;
    if (method === 'TENSOR') {
      yield brokenTogether(
        `${name} can only be provided for 'LEXICAL' and 'HYBRID' search. Search method is ${method}.`,
      );
    }
    if (method === 'HYBRID' && retrieval === 'tensor' && ranking === 'tensor') {
      yield brokenTogether(
        `${name} cannot be provided where words have no say: both retrievalMethod and rankingMethod are 'tensor'`,
      );
    }
  }
  const typos = plannedTypos(request);
  if (typos !== null && typos.twoFrom < typos.oneFrom) {
    yield broken(
      ['body', 'typoTolerance', 'twoTyposFrom'],
      `ensure this value is not below oneTypoFrom, which is ${typos.oneFrom}`,
    );
  }
}

/** @throws PelorusError for the name of a field that none can have. */
export function checkTypingFields({ prefix, typoTolerance }: SearchRequest): void {
  const byField = [
    typeof prefix === 'object' ? prefix : null,
    typeof typoTolerance === 'object' ? typoTolerance?.fields : null,
  ];
  for (const fields of byField) for (const name of Object.keys(fields ?? {})) checkFieldName(name);
}

/** The words that a search does without; null where it has all. */
export function plannedStopWords({ stopWords }: SearchRequest): engine.StopWords | null {
  if (stopWords == null || stopWords === 'none') return null;
  if (typeof stopWords !== 'string') return { language: null, words: [...stopWords] };
  return { language: stopWords === 'auto' ? null : stopWords, words: null };
}

/** The rules by which words of a search match others; null where they match themselves alone. */
export function plannedTyping(request: SearchRequest): engine.Typing | null {
  const typos = plannedTypos(request);
  const prefix = plannedPrefix(request);
  const splitJoin = request.splitJoinTokens ?? false;
  const compounds = request.decompound ?? false;
  const isWhole = prefix.prefix === 'none' && prefix.prefixFields.length === 0;
  const isExact = isWhole && typos === null && !splitJoin && !compounds;
  return isExact ? null : { ...prefix, typos, splitJoin, compounds };
}

function plannedPrefix({ prefix }: SearchRequest): Pick<engine.Typing, 'prefix' | 'prefixFields'> {
  if (prefix == null || typeof prefix === 'string') return { prefix: prefix ?? 'none', prefixFields: [] };
  const fields = Object.entries(prefix).filter(([, words]) => words !== 'none');
  return { prefix: 'none', prefixFields: fields.map(([field, words]) => ({ field, prefix: words })) };
}

function plannedTypos({ typoTolerance }: SearchRequest): engine.Typos | null {
  if (typoTolerance == null || typoTolerance === false) return null;
  const said = typoTolerance === true ? {} : typoTolerance;
  const exact = Object.entries(said.fields ?? {}).filter(([, forgives]) => !forgives);
  return {
    oneFrom: said.oneTypoFrom ?? oneTypoFrom,
    twoFrom: said.twoTyposFrom ?? Math.max(twoTyposFrom, said.oneTypoFrom ?? 0),
    exactFields: exact.map(([field]) => field),
  };
}
