import { expect } from 'vitest';
import type { Case, Part } from './case.js';
import { add, facet, findsFirst, reads, readsFacets } from './documents.js';
import { create, field, small, structured } from './indexes.js';
import { type Kind, S, U } from './kinds.js';

const tensorT = { tensorFields: ['t'] };

/** Documents added once more, with a prefix that tells whether their texts were embedded anew. */
const again = (
  about: string,
  first: { fields: object; rest?: object },
  second: { fields: object; rest?: object },
  reused: boolean,
  index: Kind = U,
  searched = 't',
): Case => {
  const found = (textQueryPrefix: string, exactly: boolean) =>
    findsFirst(
      index,
      { q: 'same', textQueryPrefix, filter: '_id:again', searchableAttributes: [searched] },
      { _score: exactly ? expect.closeTo(1, 5) : expect.toSatisfy((score: number) => score < 0.99) },
    );
  return {
    section: '6.9',
    about: `${about}, in an index that is ${index}`,
    exchanges: [
      add(index, [{ _id: 'again', ...first.fields }], { textChunkPrefix: 'old ', ...first.rest }),
      add(index, [{ _id: 'again', ...second.fields }], {
        textChunkPrefix: 'new ',
        useExistingTensors: true,
        ...second.rest,
      }),
      found('old ', reused),
      found('new ', !reused),
    ],
  };
};

const combinedA = (weight: number) => ({ mappings: { m: { type: 'multimodal_combination', weights: { a: weight } } } });
const combinedAB = { mappings: { m: { type: 'multimodal_combination', weights: { a: 1, b: 1 } } } };

const existing: Case[] = [
  again(
    'the same text is not embedded anew',
    { fields: { t: 'same' }, rest: tensorT },
    { fields: { t: 'same' }, rest: tensorT },
    true,
  ),
  again('the same text is not embedded anew', { fields: { t: 'same' } }, { fields: { t: 'same' } }, true, S),
  again(
    'other fields may change',
    { fields: { t: 'same', other: '1' }, rest: tensorT },
    { fields: { t: 'same', other: '2' }, rest: tensorT },
    true,
  ),
  again(
    'other fields may change',
    { fields: { t: 'same', other: '1' } },
    { fields: { t: 'same', other: '2' } },
    true,
    S,
  ),
  again(
    'another text is embedded',
    { fields: { t: 'other' }, rest: tensorT },
    { fields: { t: 'same' }, rest: tensorT },
    false,
  ),
  again('another text is embedded', { fields: { t: 'other' } }, { fields: { t: 'same' } }, false, S),
  again(
    'a field that was no tensor field is embedded',
    { fields: { t: 'same' } },
    { fields: { t: 'same' }, rest: tensorT },
    false,
  ),
  again('a field that was not there is embedded', { fields: {} }, { fields: { t: 'same' } }, false, S),
  again(
    'existing vectors are not asked for',
    { fields: { t: 'same' }, rest: tensorT },
    { fields: { t: 'same' }, rest: { ...tensorT, useExistingTensors: false } },
    false,
  ),
  again(
    'a combination of the same part and weight',
    { fields: { a: 'same' }, rest: combinedA(1) },
    { fields: { a: 'same' }, rest: combinedA(1) },
    true,
    U,
    'm',
  ),
  again(
    'a combination of the same part and another weight',
    { fields: { a: 'same' }, rest: combinedA(1) },
    { fields: { a: 'same' }, rest: combinedA(2) },
    false,
    U,
    'm',
  ),
  again(
    'a combination of another part',
    { fields: { a: 'other' }, rest: combinedA(1) },
    { fields: { a: 'same' }, rest: combinedA(1) },
    false,
    U,
    'm',
  ),
  again(
    'a combination with a part that is missing both times',
    { fields: { a: 'same' }, rest: combinedAB },
    { fields: { a: 'same' }, rest: combinedAB },
    false,
    U,
    'm',
  ),
  {
    section: '6.9',
    about: 'fields are not merged: what the new version lacks is gone',
    exchanges: [
      add(U, [{ _id: 'merged', t: 'same', other: 'x' }], tensorT),
      add(U, [{ _id: 'merged', t: 'same' }], { ...tensorT, useExistingTensors: true }),
      readsFacets(U, { _id: 'merged', t: 'same' }, facet('t', 'same')),
    ],
  },
  {
    section: '6.9',
    about: 'a tensor field that is one no more loses its vector',
    exchanges: [
      add(U, [{ _id: 'plain', t: 'same' }], tensorT),
      add(U, [{ _id: 'plain', t: 'same' }], { tensorFields: [], useExistingTensors: true }),
      readsFacets(U, { _id: 'plain', t: 'same' }),
    ],
  },
  {
    section: '6.9',
    about: 'an unknown id is a new document',
    exchanges: [
      add(U, [{ _id: 'unknown', t: 'same' }], { ...tensorT, useExistingTensors: true }),
      reads(U, { _id: 'unknown', t: 'same' }),
    ],
  },
  {
    section: '6.9',
    about: 'a text that equals the content of a stored custom vector keeps that vector',
    exchanges: [
      add(U, [{ _id: 'quirk', c: { vector: Array(32).fill(2), content: 'same' } }], {
        tensorFields: ['c'],
        mappings: { c: { type: 'custom_vector' } },
      }),
      add(U, [{ _id: 'quirk', c: 'same' }], { tensorFields: ['c'], useExistingTensors: true }),
      readsFacets(
        U,
        { _id: 'quirk', c: 'same' },
        facet('c', 'same', Array(32).fill(expect.closeTo(1 / Math.sqrt(32), 5))),
      ),
    ],
  },
];

/** Vectors that are used again. */
export const existingTensors: Part = {
  title: 'vectors that are used again',
  preparation: [create(U, small), create(S, structured([field('t', 'text'), field('other', 'text')], ['t']))],
  cases: existing,
};
