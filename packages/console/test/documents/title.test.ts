import { expect, test } from 'vitest';
import { titleField } from '../../src/documents/title.js';

test.each(['title', 'Name', 'Bezeichnung', 'Artikelbezeichnung', 'product_name', 'Titre', 'Titel'])(
  'the field %s names a document',
  (field) => {
    expect(titleField({ _id: '1', Nummer: 'A-1', [field]: 'Sofa' })).toBe(field);
  },
);

test.each(['Beschreibung', 'username', 'Artikel_Nr', '_id'])('the field %s names none', (field) => {
  expect(titleField({ _id: '1', [field]: 'Sofa' })).toBeUndefined();
});
