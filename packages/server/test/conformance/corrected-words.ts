import { expect } from 'vitest';
import type { Case, Exchange, Part } from './case.js';
import { add } from './documents.js';
import { inBody } from './errors.js';
import { create, own } from './indexes.js';
import { U } from './kinds.js';
import { legs } from './ranked.js';

const documents = [
  { _id: 'a', title: 'A stormy kettle', body: 'for Übungen' },
  { _id: 'b', title: 'Kettlebells x2000', body: 'stormz' },
  { _id: 'c', title: 'Wi-Fi wife' },
  ...Array.from({ length: 100 }, (_, at) => ({ _id: `of${at}`, title: 'water' })),
  { _id: 'rare', title: 'wader' },
];

/** A cluster's dictionary has stems alone. */
const onCluster = {
  status: 400,
  answer: expect.objectContaining({
    code: 'invalid_argument',
    message: expect.stringMatching(/didYouMean|typoTolerance/),
  }),
};
const search = (body: object, answer: unknown, status = 200): Exchange => ({
  request: `POST /indexes/${U}/search`,
  body: { searchMethod: 'LEXICAL', ...body },
  status,
  answer,
});
const meant = (q: string, didYouMean: string, rest: object = {}): Exchange => ({
  ...search({ q, didYouMean: true, ...rest }, expect.objectContaining({ didYouMean })),
  onCluster,
});
const silent = (q: string, rest: object = {}): Exchange => ({
  ...search({ q, didYouMean: true, ...rest }, expect.not.objectContaining({ didYouMean: expect.anything() })),
  onCluster,
});
const corrections = (about: string, exchanges: Exchange[]): Case => ({ section: 'search 4.9', about, exchanges });

const cases: Case[] = [
  corrections(
    'nothing is corrected unless it is said',
    [undefined, null, false].map((didYouMean) =>
      search({ q: 'kettel', didYouMean }, expect.not.objectContaining({ didYouMean: expect.anything() })),
    ),
  ),
  corrections('words that no document has become the nearest, and all between them stays', [
    meant('Stromy  (kettel)!', 'stormy  (kettle)!'),
    meant('kettelbels, ubungne', 'kettlebells, ubungen'),
    meant('kettel', 'kettle', { typoTolerance: true }),
  ]),
  corrections('hits are those of the query as it was asked', [
    {
      ...search(
        { q: 'kettel wife', didYouMean: true, trackTotalHits: true },
        expect.objectContaining({
          didYouMean: 'kettle wife',
          query: 'kettel wife',
          totalHits: 1,
          hits: [expect.objectContaining({ _id: 'c' })],
        }),
      ),
      onCluster,
    },
  ]),
  corrections('a word that documents have gives way to one that a hundred times as many have', [
    meant('wader', 'water'),
    silent('water'),
  ]),
  corrections('words that are right, short, quoted, with a digit, or far from all stay', [
    silent('a stormy kettles'),
    silent('wif'),
    silent('"kettel"'),
    silent('x2001'),
    silent('umbrella'),
    silent('*'),
  ]),
  corrections('words of the fields that are searched', [
    meant('stormx', 'stormz', { searchableAttributes: ['body'] }),
    meant('stormx', 'stormy', { searchableAttributes: ['title'] }),
  ]),
  corrections('a beginning of a word, and another spelling, are right', [
    meant('kettlebelx', 'kettlebells', { prefix: 'last' }),
    silent('kettlebel', { prefix: 'last' }),
    meant('wifi', 'wife'),
    silent('wifi', { splitJoinTokens: true }),
  ]),
  corrections('the words of a hybrid search', [
    meant('', 'kettle', {
      q: { customVector: { vector: [1, 0], content: 'kettel' } },
      searchMethod: 'HYBRID',
      hybridParameters: legs('disjunction', 'rrf'),
    }),
  ]),
  corrections('not with TENSOR, nor where vectors find and rank', [
    search(
      { q: { customVector: { vector: [1, 0] } }, searchMethod: 'TENSOR', didYouMean: true },
      expect.objectContaining({
        detail: expect.arrayContaining([expect.objectContaining({ msg: expect.stringContaining('didYouMean') })]),
      }),
      422,
    ),
    search(
      {
        q: { customVector: { vector: [1, 0], content: 'x' } },
        searchMethod: 'HYBRID',
        hybridParameters: legs('tensor', 'tensor'),
        didYouMean: true,
      },
      expect.objectContaining({
        detail: expect.arrayContaining([expect.objectContaining({ msg: expect.stringContaining('didYouMean') })]),
      }),
      422,
    ),
  ]),
  corrections('not with a cursor', [
    search(
      { q: 'kettel', didYouMean: true, withCursor: true },
      expect.objectContaining({ code: 'invalid_argument', message: expect.stringContaining('didYouMean') }),
      400,
    ),
  ]),
  ...[2, 'maybe', {}].map((didYouMean) =>
    corrections(`no didYouMean ${JSON.stringify(didYouMean)}`, [
      search(
        { q: 'x', didYouMean },
        expect.objectContaining({
          detail: expect.arrayContaining([expect.objectContaining({ loc: inBody('didYouMean') })]),
        }),
        422,
      ),
    ]),
  ),
];

const preparation = [create(U, own(2)), add(U, documents, { tensorFields: [] })];

export const correctedWords: Part = { title: 'The query that was meant', preparation, cases };
