import { expect } from 'vitest';
import type { Case, Exchange, Part } from './case.js';
import { add, facet, failure, findsFirst, hasFacets, isMissing, reads, refuse } from './documents.js';
import { create, field, small, structured } from './indexes.js';
import { inBothKinds, type Kind, S, U } from './kinds.js';

const mapped = (weights: Readonly<Record<string, number>>) => ({
  mappings: { m: { type: 'multimodal_combination', weights } },
});
const declared = { a: 0.25, b: 0.75 };

/** The same case for each kind of index, and what a request says besides where fields are not declared. */
const asDeclared = (section: string, about: string, make: (index: Kind, rest: object) => readonly Exchange[]): Case[] =>
  inBothKinds(section, about, (index) => make(index, index === U ? mapped(declared) : {}));

/** The vector of the document is that of the query. */
const hasVectorOf = (index: string, _id: string, q: unknown, rest: object = {}): Exchange =>
  findsFirst(
    index,
    { q, filter: `_id:${_id}`, searchableAttributes: ['m'], ...rest },
    { _id, _score: expect.closeTo(1, 5) },
  );
/** It is another one. */
const hasNotVectorOf = (index: string, _id: string, q: unknown, rest: object = {}): Exchange =>
  findsFirst(
    index,
    { q, filter: `_id:${_id}`, searchableAttributes: ['m'], ...rest },
    { _id, _score: expect.toSatisfy((score: number) => score < 0.99, 'less than 0.99') },
  );

const both = { _id: 'both', a: 'red', b: 'shoe' };

const combining: Case[] = [
  ...asDeclared('6.8', 'parts are stored as they are, the combination is one chunk', (index, rest) => [
    add(index, [both], rest),
    reads(index, both),
    hasFacets(index, both._id, facet('m', '{"a": "red", "b": "shoe"}')),
  ]),
  ...asDeclared('6.8', 'the vector is the weighted mean of those of the parts', (index, rest) => [
    add(index, [{ ...both, _id: 'mean' }], rest),
    hasVectorOf(index, 'mean', { red: 0.25, shoe: 0.75 }),
    hasNotVectorOf(index, 'mean', { red: 0.75, shoe: 0.25 }),
  ]),
  ...asDeclared('6.8', 'the order of the parts is that of the weights', (index, rest) => [
    add(index, [{ _id: 'order', b: 'shoe', a: 'red' }], rest),
    hasFacets(index, 'order', facet('m', '{"a": "red", "b": "shoe"}')),
  ]),
  ...asDeclared('6.8', 'a part that is missing is left out', (index, rest) => [
    add(index, [{ _id: 'half', b: 'shoe' }], rest),
    hasFacets(index, 'half', facet('m', '{"b": "shoe"}')),
    hasVectorOf(index, 'half', 'shoe'),
  ]),
  ...asDeclared('6.8', 'without parts there is no vector and no error', (index, rest) => [
    add(index, [{ _id: 'none', other: 'x' }], rest),
    hasFacets(index, 'none'),
  ]),
  ...asDeclared('6.8', 'a part is one chunk however long it is', (index, rest) => [
    add(index, [{ _id: 'long', a: 'One. Two. Three. Four.' }], rest),
    hasFacets(index, 'long', facet('m', '{"a": "One. Two. Three. Four."}')),
    hasVectorOf(index, 'long', 'One. Two. Three. Four.'),
  ]),
  ...asDeclared('6.8', 'quotes and other scripts in parts', (index, rest) => [
    add(index, [{ _id: 'quoted', a: 'a "b"', b: '文' }], rest),
    hasFacets(
      index,
      'quoted',
      facet(
        'm',
        expect.toSatisfy((text: string) => JSON.parse(text).a === 'a "b"' && JSON.parse(text).b === '文'),
      ),
    ),
  ]),
  ...asDeclared('4.6', 'the prefix of chunks is put before each part, and is not stored', (index, rest) => [
    add(index, [{ _id: 'prefixed', a: 'red', b: 'shoe' }], { ...rest, textChunkPrefix: 'the ' }),
    hasFacets(index, 'prefixed', facet('m', '{"a": "red", "b": "shoe"}')),
    hasVectorOf(index, 'prefixed', { 'the red': 0.25, 'the shoe': 0.75 }, { textQueryPrefix: '' }),
  ]),
  {
    section: '6.8',
    about: 'a combination need not be among the tensor fields, and its parts may be there',
    exchanges: [
      add(U, [{ ...both, _id: 'parts' }], { ...mapped(declared), tensorFields: ['a'] }),
      hasFacets(U, 'parts', facet('a', 'red'), facet('m', '{"a": "red", "b": "shoe"}')),
    ],
  },
  {
    section: '6.8',
    about: 'a combination among the tensor fields is the same',
    exchanges: [
      add(U, [{ ...both, _id: 'listed' }], { ...mapped(declared), tensorFields: ['m'] }),
      hasFacets(U, 'listed', facet('m', '{"a": "red", "b": "shoe"}')),
    ],
  },
  {
    section: '6.6',
    about: 'negative weights',
    exchanges: [
      add(U, [{ ...both, _id: 'negative' }], mapped({ a: -0.5, b: 1 })),
      hasVectorOf(U, 'negative', { red: -0.5, shoe: 1 }),
    ],
  },
  ...[{ a: 1, b: -1 }, { a: 0 }].map(
    (weights): Case => ({
      section: '6.8',
      about: `parts that leave nothing of each other, by ${JSON.stringify(weights)}`,
      exchanges: [
        refuse(
          U,
          { _id: 'bad', a: 'x', b: 'x' },
          failure('bad', 'Field m has zero magnitude vector, cannot normalize.'),
          mapped(weights as Record<string, number>),
        ),
      ],
    }),
  ),
  {
    section: '6.6',
    about: 'a combination of nothing',
    exchanges: [add(U, [{ ...both, _id: 'nothing' }], mapped({})), hasFacets(U, 'nothing')],
  },
  {
    section: '6.6',
    about: 'several combinations, one of them of one part',
    exchanges: [
      add(U, [{ ...both, _id: 'several' }], {
        mappings: {
          m: { type: 'multimodal_combination', weights: declared },
          n: { type: 'multimodal_combination', weights: { a: 2 } },
        },
      }),
      hasFacets(U, 'several', facet('m', '{"a": "red", "b": "shoe"}'), facet('n', '{"a": "red"}')),
    ],
  },
  {
    section: '6.6',
    about: 'a mapping gives a declared combination other weights, which are stored with the document',
    exchanges: [
      add(S, [{ ...both, _id: 'other' }], mapped({ a: 1, b: 0.5 })),
      hasVectorOf(S, 'other', { red: 1, shoe: 0.5 }),
      reads(S, { ...both, _id: 'other', m: { a: 1, b: 0.5 } }),
    ],
  },
  {
    section: '6.6',
    about: 'a mapping names some of the declared parts',
    exchanges: [
      add(S, [{ ...both, _id: 'some' }], mapped({ a: 1 })),
      hasVectorOf(S, 'some', 'red'),
      reads(S, { ...both, _id: 'some', m: { a: 1 } }),
    ],
  },
  {
    section: '6.8',
    about: 'the declared weights once more leave nothing in the document',
    exchanges: [add(S, [{ ...both, _id: 'same' }], mapped(declared)), reads(S, { ...both, _id: 'same' })],
  },
  {
    section: '6.4',
    about: 'a document that has the combination itself',
    exchanges: [
      refuse(
        U,
        { ...both, _id: 'bad', m: 'x' },
        failure('bad', "Document and mappings object have conflicting fields: {'m'}"),
        mapped(declared),
      ),
      isMissing(U, 'bad'),
    ],
  },
  ...(
    [
      [5, '5', 'int'],
      [true, 'True', 'bool'],
      [['x'], "['x']", 'list'],
    ] as const
  ).map(([a, echo, type]) => ({
    section: '6.4',
    about: `a part of type ${type}`,
    exchanges: [
      refuse(
        U,
        { _id: 'bad', a },
        failure(
          'bad',
          `Multimodal subfields must be strings representing text or image pointer, received a:${echo}, which is of type ${type}`,
        ),
        mapped(declared),
      ),
      isMissing(U, 'bad'),
    ],
  })),
];

/** Vectors of several fields together. */
export const combinations: Part = {
  title: 'combinations of fields',
  preparation: [
    create(U, small),
    create(
      S,
      structured(
        [
          field('a', 'text'),
          field('b', 'text'),
          field('other', 'text'),
          { ...field('m', 'multimodal_combination'), dependentFields: declared },
        ],
        ['m'],
      ),
    ),
  ],
  cases: combining,
};
