import { expect } from 'vitest';
import type { Case, Exchange, Part } from './case.js';
import { add, finds } from './documents.js';
import { create, field, own } from './indexes.js';
import { inBothKinds, S, U } from './kinds.js';

type Hit = readonly [id: string, score?: number];
const ranks = (index: string, body: object, ...hits: readonly Hit[]): Exchange => ({
  request: `POST /indexes/${index}/search`,
  body: { searchMethod: 'LEXICAL', ...body },
  status: 200,
  answer: expect.objectContaining({
    hits: hits.map(([_id, score]) =>
      expect.objectContaining({ _id, ...(score !== undefined && { _score: expect.closeTo(score, 6) }) }),
    ),
  }),
});
/** The documents that words find, in any order. */
const found = (section: string, q: string, ...ids: readonly string[]): Case => ({
  section,
  about: `the words ${q}`,
  exchanges: [finds('texts', { q }, ...ids)],
});

const texts = [
  { _id: 'tshirt', title: 'A red t-shirt' },
  { _id: 'shirt', title: 'shirt, red; T for two' },
  { _id: 'shoes', title: 'Running shoes' },
  { _id: 'cafe', title: 'CAFÉ ﬁne Straße' },
  { _id: 'dance', title: 'we danced all night long' },
  { _id: 'long', title: 'all long nights' },
  { _id: 'chinese', title: '朋友你好' },
  { _id: 'emoji', title: 'party 🎉' },
  { _id: 'other', title: 'nothing', tags: ['red'], n: 3, v: { vector: [1, 0], content: 'crimson' } },
];

const splitting: Case[] = [
  found('search 4.1', 'running', 'shoes'),
  found('search 4.1', 'running night', 'shoes', 'dance', 'long'),
  found('search 4.1', '"all night" we', 'dance'),
  found('search 4.1', '"all night long"', 'dance'),
  found('search 4.1', '"long all"'),
  found('search 4.1', '"red" "shirt"', 'tshirt', 'shirt'),
  found('search 4.2', '"red" two', 'tshirt', 'shirt'),
  found('search 4.2', '"red" nobody', 'tshirt', 'shirt'),
  found('search 4.1', '"nobody" red'),
  found('search 4.1', '"red', 'tshirt', 'shirt'),
  found('search 4.1', 're"d"', ...[]),
  found('search 4.1', '"run"ning', ...['shoes']),
  found('search 4.1', '""" running', 'shoes'),
  found('search 4.1', String.raw`\"running\"`, 'shoes'),
  found('search 4.2', ''),
  found('search 4.2', '""'),
  found('search 4.2', '   '),
  found('search 4.2', '!!!'),
  found('search 4.2', '"*"'),
  found('search 4.2', '*', ...texts.map(({ _id }) => _id)),
  found('search 4.2', '* running', 'shoes'),
  found('search 4.2', '"running" *'),
  found('search 4.2', '"*" running'),
  found('search 4.2', 'running "!"'),
  found('search 4.2', '"running" "*"'),
  found('search 4.2', '" " running', 'shoes'),
  found('search 4.2', '"running" !!!', 'shoes'),
  found('search 4.2', 't-shirt', 'tshirt'),
  found('search 4.2', 'crimson', 'other'),
  found('search 4.2', 'nothing!!!', 'other'),
];

const analysing: Case[] = [
  found('search 4.4', 'RUNNING', 'shoes'),
  found('search 4.4', 'shoe', 'shoes'),
  found('search 4.4', 'cafe', 'cafe'),
  found('search 4.4', 'fine', 'cafe'),
  found('search 4.4', 'strasse', 'cafe'),
  found('search 4.4', 'STRASSE', 'cafe'),
  found('search 4.4', 'ｒｕｎｎｉｎｇ', 'shoes'),
  found('search 4.4', 'dances', 'dance'),
  found('search 4.4', '朋友', 'chinese'),
  found('search 4.4', '你好', 'chinese'),
  found('search 4.4', '🎉', 'emoji'),
  {
    section: 'search 4.4',
    about: 'a language that is none is taken for English',
    exchanges: [
      finds('texts', { q: 'shoe', language: 'xx' }, 'shoes'),
      finds('texts', { q: 'shoe', language: 'en' }, 'shoes'),
    ],
  },
];

const dogs = ['dogs', 'puppies', 'canines', 'huskies', 'four-legged animals', 'hot dogs', 'dogs is a word'];
const corpus = [
  ...[...dogs, 'something something dogs', 'dogs random words', 'dogs dogs dogs'].map((text, i) => ({
    _id: `doc${i + 1}`,
    text_field_1: text,
  })),
  { _id: 'doc11', text_field_2: 'dogs but wrong field' },
  { _id: 'doc12', text_field_2: 'puppies puppies' },
  { _id: 'doc13', text_field_2: 'canines canines' },
];
const scoring: Case[] = [
  ...inBothKinds('search 4.3', 'BM25 of one word over several fields', (index) => [
    ranks(
      index,
      { q: 'dogs' },
      ['doc10', 0.9099117035883405],
      ['doc1', 0.8034326744450241],
      ['doc6', 0.6482632738011352],
      ['doc8', 0.5433285712074263],
      ['doc9', 0.5433285712074263],
      ['doc11', 0.5181658414945609],
      ['doc7', 0.4676326402342555],
    ),
  ]),
  ...inBothKinds('search 4.3', 'the fields that are named', (index) => [
    ranks(index, { q: 'dogs', searchableAttributes: ['text_field_2'] }, ['doc11']),
    ranks(index, { q: 'puppies', searchableAttributes: ['text_field_1'] }, ['doc2']),
  ]),
  ...inBothKinds('search 4.3', 'everything has the score 0', (index) => [
    ranks(index, { q: '*', limit: 2 }, ['doc1', 0], ['doc2', 0]),
  ]),
  ...inBothKinds('search 3.2', 'a filter changes no score', (index) => [
    ranks(index, { q: 'dogs', filter: '_id:doc1' }, ['doc1', 0.8034326744450241]),
  ]),
  ...inBothKinds('search 11', 'pages join to one list', (index) =>
    [0, 2, 4, 6].map((offset) =>
      ranks(
        index,
        { q: 'dogs', limit: 2, offset },
        ...(['doc10', 'doc1', 'doc6', 'doc8', 'doc9', 'doc11', 'doc7'] as const)
          .slice(offset, offset + 2)
          .map((id) => [id] as const),
      ),
    ),
  ),
  ...inBothKinds('search 4.5', 'highlights are empty, or not there', (index) => [
    {
      request: `POST /indexes/${index}/search`,
      body: { q: 'puppies', searchMethod: 'LEXICAL', limit: 1 },
      status: 200,
      answer: expect.objectContaining({ hits: [expect.objectContaining({ _highlights: [] })] }),
    },
    {
      request: `POST /indexes/${index}/search`,
      body: { q: 'puppies', searchMethod: 'LEXICAL', limit: 1, showHighlights: false },
      status: 200,
      answer: expect.objectContaining({ hits: [expect.not.objectContaining({ _highlights: expect.anything() })] }),
    },
  ]),
  ...inBothKinds('search 4.5', 'members that belong to vectors are ignored', (index) => [
    ranks(
      index,
      {
        q: 'huskies',
        context: { tensor: [{ vector: [1, 0], weight: 1 }] },
        interpolationMethod: 'lerp',
        textQueryPrefix: 'dogs ',
      },
      ['doc4'],
    ),
  ]),
];

/** Searches by words: their hits and scores. */
export const words: Part = {
  title: 'searches by words',
  preparation: [
    create(U, own(2)),
    create(
      S,
      own(2, {
        type: 'structured',
        allFields: ['text_field_1', 'text_field_2'].map((name) => field(name, 'text', 'lexical_search')),
        tensorFields: [],
      }),
    ),
    create('texts', own(2)),
    add(U, corpus),
    add(S, corpus),
    add('texts', texts, { tensorFields: ['v'], mappings: { v: { type: 'custom_vector' } } }),
  ],
  cases: [...splitting, ...analysing, ...scoring],
};
