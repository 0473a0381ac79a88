import { expect } from 'vitest';
import type { Case, Exchange, Part } from './case.js';
import { add } from './documents.js';
import { inBody } from './errors.js';
import { create, own } from './indexes.js';
import { U } from './kinds.js';
import { legs } from './ranked.js';

const documents = [
  { _id: 'a', title: 'Wi-Fi speaker' },
  { _id: 'b', title: 'A wifi router' },
  { _id: 'c', title: 'Jack of 3.5 mm' },
  { _id: 'd', title: '3.5mm jack' },
  { _id: 'e', title: '35mm film' },
  { _id: 'f', title: 'T-shirts' },
  { _id: 'g', title: 'Lamp', body: 'shade' },
];

/** A cluster shares out no score among spellings. */
const onCluster = {
  status: 400,
  answer: expect.objectContaining({ code: 'invalid_argument', message: expect.stringContaining('splitJoinTokens') }),
};
const finds = (body: object, found: string[], rest: object = {}): Exchange => ({
  request: `POST /indexes/${U}/search`,
  body: { searchMethod: 'LEXICAL', ...body },
  status: 200,
  answer: expect.objectContaining({ hits: found.map((_id) => expect.objectContaining({ _id })), ...rest }),
});
const joined = (q: string, found: string[], rest: object = {}): Exchange => ({
  ...finds({ q, splitJoinTokens: true, ...rest }, found),
  onCluster,
});
const spellings = (about: string, exchanges: Exchange[]): Case => ({ section: 'search 4.8', about, exchanges });

const cases: Case[] = [
  spellings(
    'words are in one or in two as they were typed unless it is said',
    [undefined, null, false].flatMap((splitJoinTokens) => [
      finds({ q: 'wifi', splitJoinTokens }, ['b']),
      finds({ q: 'tshirt', splitJoinTokens }, []),
    ]),
  ),
  spellings('one word and two find each other, the typed spelling first', [
    joined('wifi', ['b', 'a']),
    joined('Wi-Fi', ['a', 'b']),
    joined('wi fi', ['a', 'b']),
    joined('tshirt', ['f']),
  ]),
  spellings('digits are neither parted nor joined', [
    joined('3.5mm', ['d', 'c']),
    joined('3.5 mm', ['c', 'd']),
    joined('35mm', ['e']),
  ]),
  spellings('parts stand side by side in one field', [joined('lampshade', []), joined('wifispeaker', [])]),
  spellings('quoted phrases match themselves alone', [joined('"wifi"', ['b']), joined('"wi fi"', ['a'])]),
  spellings('words with punctuation between them are not joined', [joined('wi, fi', ['a'])]),
  spellings('every word has to be there, in one spelling or the other', [
    joined('', ['a', 'b'], {
      q: { customVector: { vector: [1, 0], content: 'wi fi' } },
      searchMethod: 'HYBRID',
      hybridParameters: { ...legs('lexical', 'lexical'), lexicalOperand: 'and' },
    }),
  ]),
  spellings('highlights mark the parts, and an explanation tells the spelling', [
    {
      ...finds({ q: 'tshirt', splitJoinTokens: true, lexicalHighlights: true, explain: true }, ['f'], {
        hits: [
          expect.objectContaining({
            _lexicalHighlights: { title: ['<em>T</em>-<em>shirts</em>'] },
            _explanation: expect.objectContaining({
              details: [
                expect.objectContaining({
                  operation: 'idfShare',
                  term: 't shirt',
                  details: expect.arrayContaining([
                    expect.objectContaining({ description: expect.stringContaining('"t shirt", which is the same') }),
                  ]),
                }),
              ],
            }),
          }),
        ],
      }),
      onCluster,
    },
  ]),
  ...[2, 'maybe', {}, ['wifi']].map((splitJoinTokens) =>
    spellings(`no splitJoinTokens ${JSON.stringify(splitJoinTokens)}`, [
      {
        request: `POST /indexes/${U}/search`,
        body: { q: 'wifi', searchMethod: 'LEXICAL', splitJoinTokens },
        status: 422,
        answer: expect.objectContaining({
          detail: expect.arrayContaining([expect.objectContaining({ loc: inBody('splitJoinTokens') })]),
        }),
      },
    ]),
  ),
];

const preparation = [create(U, own(2)), add(U, documents, { tensorFields: [] })];

export const spelledWords: Part = { title: 'Words in one or in two', preparation, cases };
