import { expect } from 'vitest';
import type { Case, Part } from './case.js';
import { add, facet, findsFirst, readsFacets } from './documents.js';
import { counts, create, nameAfter, small } from './indexes.js';
import { U } from './kinds.js';

const tensorT = { tensorFields: ['t'] };
const chunked = (about: string, textPreprocessing: object, text: string, ...chunks: readonly string[]): Case => {
  const index = nameAfter(about);
  return {
    section: '6.11',
    about,
    exchanges: [
      create(index, { ...small, textPreprocessing }),
      add(index, [{ _id: 'a', t: text }], tensorT),
      readsFacets(index, { _id: 'a', t: text }, ...chunks.map((chunk) => facet('t', chunk))),
      counts(index, 1, chunks.length),
    ],
  };
};
const by = (splitMethod: string, splitLength: number, splitOverlap = 0) => ({ splitMethod, splitLength, splitOverlap });

const chunks: Case[] = [
  chunked(
    'two sentences a chunk',
    by('sentence', 2),
    'One. Two. Three. Four. Five.',
    'One. Two.',
    'Three. Four.',
    'Five.',
  ),
  chunked('sentences that overlap', by('sentence', 2, 1), 'One. Two. Three.', 'One. Two.', 'Two. Three.'),
  chunked('sentences of other scripts', by('sentence', 2), '你好。再见！तीन। Four.', '你好。再见！', 'तीन। Four.'),
  chunked('characters that overlap, the last of them fewer', by('character', 3, 1), 'abcdef', 'abc', 'cde', 'ef'),
  chunked('characters are code points', by('character', 2), 'a😀文b', 'a😀', '文b'),
  chunked('words, punctuation apart', by('word', 2), 'Hello, wide world', 'Hello ,', 'wide world'),
  chunked('passages', by('passage', 1), 'One.\nOne.\n\nTwo.', 'One.\nOne.', 'Two.'),
  chunked('a short text is one chunk', by('sentence', 9), 'One. Two.', 'One. Two.'),
  chunked('a text of one character', by('character', 1), 'a', 'a'),
  ...['', ' ', '\n\t '].map(
    (text): Case => ({
      section: '6.5',
      about: `the text ${JSON.stringify(text)} in a tensor field has one vector`,
      exchanges: [
        add(U, [{ _id: 'blank', t: text }], tensorT),
        {
          request: `GET /indexes/${U}/documents/blank?expose_facets=true`,
          status: 200,
          answer: { _id: 'blank', t: text, _tensor_facets: [facet('t', expect.any(String))] },
        },
      ],
    }),
  ),
  {
    section: '4.6',
    about: 'the prefix of the index is embedded with each chunk and not stored',
    exchanges: [
      create('prefixed', { ...small, textChunkPrefix: 'p: ', textQueryPrefix: 'q: ' }),
      add('prefixed', [{ _id: 'a', t: 'text' }], tensorT),
      readsFacets('prefixed', { _id: 'a', t: 'text' }, facet('t', 'text')),
      findsFirst('prefixed', { q: 'text', textQueryPrefix: 'p: ' }, { _score: expect.closeTo(1, 5) }),
      add('prefixed', [{ _id: 'a', t: 'text' }], { ...tensorT, textChunkPrefix: '' }),
      findsFirst('prefixed', { q: 'text', textQueryPrefix: '' }, { _score: expect.closeTo(1, 5) }),
      add('prefixed', [{ _id: 'a', t: 'text' }], { ...tensorT, textChunkPrefix: 'q: ' }),
      findsFirst('prefixed', { q: 'text' }, { _score: expect.closeTo(1, 5) }),
    ],
  },
];

/** The cutting and prefixing of texts before they are embedded. */
export const chunking: Part = {
  title: 'chunks of texts',
  preparation: [create(U, small)],
  cases: chunks,
};
