import { expect, test } from 'vitest';
import { lineOf, titleField } from '../../src/documents/title.js';

test.each(['title', 'Name', 'Bezeichnung', 'Artikelbezeichnung', 'product_name', 'Titre', 'Titel'])(
  'the field %s names a document',
  (field) => {
    expect(titleField({ _id: '1', Nummer: 'A-1', [field]: 'Sofa' })).toBe(field);
  },
);

test.each(['Beschreibung', 'username', 'Artikel_Nr', '_id'])('the field %s names none', (field) => {
  expect(titleField({ _id: '1', [field]: 'Sofa' })).toBeUndefined();
});

test.each([
  [
    { _id: '1', image: 'https://a.test/x.jpg', title: 'Sofa', about: 'Soft', data: 'data:image/png;base64,AA' },
    { title: 'Sofa', text: 'Soft' },
  ],
  [
    { _id: '1', url: 's3://bucket/x', about: 'Note: soft', more: 'Red' },
    { title: 'Note: soft', text: 'Red' },
  ],
  [
    { _id: 'https://a.test/1', image: 'https://a.test/x.jpg', n: 3, empty: ' ' },
    { title: undefined, text: '' },
  ],
  [
    { _id: '1', about: 'x'.repeat(161) },
    { title: `${'x'.repeat(160)}…`, text: '' },
  ],
] as const)('a document in a line says what people read, and no addresses: %j', (document, line) => {
  expect(lineOf(document)).toEqual(line);
});
