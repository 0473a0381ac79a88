import { expect } from 'vitest';
import type { Case, Exchange, Part } from './case.js';
import { add } from './documents.js';
import { inBody } from './errors.js';
import { create, own } from './indexes.js';
import { U } from './kinds.js';
import { legs } from './ranked.js';

const documents = [
  { _id: 'a', title: 'The storm' },
  { _id: 'b', title: 'Of the sea' },
  { _id: 'c', title: 'A boat' },
  { _id: 'd', title: 'Die Brücke' },
];

const search = (body: object, status: number, answer: object): Exchange => ({
  request: `POST /indexes/${U}/search`,
  body: { searchMethod: 'LEXICAL', ...body },
  status,
  answer: expect.objectContaining(answer),
});
const finds = (body: object, found: string[], rest: object = {}): Exchange =>
  search(body, 200, { hits: found.map((_id) => expect.objectContaining({ _id })), ...rest });
const stops = (about: string, exchanges: Exchange[]): Case => ({ section: 'search 4.12', about, exchanges });

const cases: Case[] = [
  stops(
    'every word counts unless it is said',
    [undefined, null, 'none', []].map((stopWords) => finds({ q: 'storm of the boat', stopWords }, ['a', 'b', 'c'])),
  ),
  stops('the function words of the language are left out', [
    finds({ q: 'storm of the boat', stopWords: 'auto' }, ['a', 'c']),
    finds({ q: 'storm of the boat', stopWords: 'en' }, ['a', 'c']),
    finds({ q: 'die Brücke of', stopWords: 'de' }, ['d', 'b']),
    finds({ q: 'die of', language: 'de', stopWords: 'auto' }, ['b']),
  ]),
  stops('words of a list, without case and accents', [
    finds({ q: 'storm of the boat', stopWords: ['BÔAT', 'the'] }, ['a', 'b']),
    finds({ q: 'storm of the boat', stopWords: ['of the'] }, ['a', 'b', 'c']),
  ]),
  stops('a query of nothing else has all of them, and phrases have theirs', [
    finds({ q: 'the', stopWords: 'auto' }, ['a', 'b']),
    finds({ q: '"the storm" of', stopWords: 'auto' }, ['a']),
    finds({ q: '"of the"', stopWords: 'auto' }, ['b']),
  ]),
  stops('no document has to have them', [
    finds(
      {
        q: { customVector: { vector: [1, 0], content: 'a storm of' } },
        searchMethod: 'HYBRID',
        hybridParameters: { ...legs('lexical', 'lexical'), lexicalOperand: 'and' },
        stopWords: 'auto',
      },
      ['a'],
    ),
  ]),
  stops('the last word stays while it is typed', [
    { ...finds({ q: 'boat th', prefix: 'last', stopWords: ['th'] }, ['c', 'a', 'b']), onCluster: { status: 400 } },
    { ...finds({ q: 'th boat', prefix: 'last', stopWords: ['th'] }, ['c']), onCluster: { status: 400 } },
  ]),
  stops('highlights mark the words that are left', [
    finds({ q: 'the storm', stopWords: 'auto', lexicalHighlights: true }, ['a'], {
      hits: [expect.objectContaining({ _lexicalHighlights: { title: ['The <em>storm</em>'] } })],
    }),
  ]),
  ...['english', 'EN', true, 1, [{}], {}].map((stopWords) =>
    stops(`no stopWords ${JSON.stringify(stopWords).slice(0, 20)}`, [
      search({ q: 'x', stopWords }, 422, {
        detail: expect.arrayContaining([
          expect.objectContaining({ loc: expect.arrayContaining([...inBody('stopWords')]) }),
        ]),
      }),
    ]),
  ),
  stops('not with TENSOR', [
    search({ q: { customVector: { vector: [1, 0] } }, searchMethod: 'TENSOR', stopWords: 'auto' }, 422, {
      detail: expect.arrayContaining([expect.objectContaining({ msg: expect.stringContaining('stopWords') })]),
    }),
  ]),
];

const preparation = [create(U, own(2)), add(U, documents, { tensorFields: [] })];

export const stopWords: Part = { title: 'Words that are left out', preparation, cases };
