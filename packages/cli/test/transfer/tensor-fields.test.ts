import { expect, test } from 'vitest';
import { guessTensorFields } from '../../src/transfer/tensor-fields.js';

const many = (make: (at: number) => object) => Array.from({ length: 40 }, (_, at) => make(at));

test.each<[fields: string[], documents: object[]]>([
  [['title'], many((at) => ({ title: `A film of number ${at}`, genre: ['A drama of sorts', 'A comedy'][at % 2] }))],
  [
    ['name', 'body'],
    many((at) => ({ id: `${at}`, name: `Some quite long name ${at}`, body: `Of it a text ${at} more` })),
  ],
  [['body'], many((at) => ({ name: `A name ${at}`, body: `Words of a long description, number ${at}, `.repeat(5) }))],
  [
    ['t'],
    many((at) => ({
      url: `https://example.org/some/long/way/${at}`,
      day: 'Jun 12 1998',
      at: `2024-01-01T00:00:${at}Z`,
      t: `two tales ${at}`,
    })),
  ],
  [
    ['a'],
    many((at) => (at % 2 === 0 ? { a: `words here ${at}` } : { a: `words here ${at}`, b: `few of longer words ${at}` }))
      .slice(0, 39)
      .concat({ a: 'x y' }),
  ],
  [['word'], many((at) => ({ code: `C${at}`, word: `Hamburg${at}` }))],
  [[], many((at) => ({ origin: ['LAX', 'SFO'][at % 2], delay: at }))],
  [[], many((at) => ({ _id: `a text that is an id ${at}`, n: at }))],
  [[], []],
])('the fields to embed are %j', (fields, documents) => {
  expect(guessTensorFields(documents)).toEqual(fields);
});
