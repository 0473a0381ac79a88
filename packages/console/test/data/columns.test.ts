import { expect, test } from 'vitest';
import {
  columnsOf,
  documentOf,
  doubledIdOf,
  doubleOf,
  idColumnOf,
  leaningOf,
  misfitsOf,
  tensorColumnsOf,
  undatedOf,
} from '../../src/pages/data/import/columns.js';

const textRows = [
  {
    id: '1',
    zip: '01234',
    year: '1999',
    rated: 'true',
    tags: '["a"]',
    plot: 'A plot that is long enough to mean something.',
  },
  {
    id: '2',
    zip: '56789',
    year: '-2.5e3',
    rated: 'FALSE',
    tags: '[]',
    plot: 'Another plot that is quite different from it.',
  },
].map((fields, place) => ({ row: place + 2, fields }));

test('types of texts are guessed, and numbers with leading zeros stay texts', () => {
  const types = Object.fromEntries(columnsOf(textRows, true).map(({ name, type }) => [name, type]));
  expect(types).toEqual({ id: 'number', zip: 'text', year: 'number', rated: 'truth', tags: 'json', plot: 'text' });
});

test('the column of ids and those with meaning are found', () => {
  const columns = columnsOf(textRows, true);
  expect(idColumnOf(columns)).toBe('id');
  expect(tensorColumnsOf(columns, 'id')).toEqual(['plot']);
  const double = columnsOf([...textRows, ...textRows], true);
  expect(idColumnOf(double)).toBeUndefined();
});

const idOf = (rows: readonly Record<string, string>[]) =>
  idColumnOf(
    columnsOf(
      rows.map((fields, place) => ({ row: place + 2, fields })),
      true,
    ),
  );

test.each(['Artikel-Nr.', 'SKU', 'Nr', 'Nr.', 'ID', '_id', 'Art.-Nr', 'Artikelnummer', 'product_id', 'parentId'])(
  'the column %s has ids where every row has one of its own',
  (name) => {
    const rows = [
      { text: 'a b', [name]: 'x' },
      { text: 'c d', [name]: 'y' },
    ];
    expect(idOf(rows)).toBe(name);
    expect(idOf([...rows, { text: 'e f', [name]: 'x' }])).toBeUndefined();
    expect(idOf([...rows, { text: 'e f' }])).toBeUndefined();
  },
);

test.each([
  [['A-1', 'A-2'], 'first'],
  [['1001', '1002'], 'first'],
  [['01234', '05678'], 'first'],
  [['A-1', 'A-1'], undefined],
  [['Alien', 'Heat'], undefined],
  [['Alien 3', 'Heat 2'], undefined],
  [['1.5', '2.5'], undefined],
  [['2024-05-01', '2024-05-02'], undefined],
  [['1.5.2024', '2.5.2024'], undefined],
  [['https://a.test/1', 'https://a.test/2'], undefined],
])('a first column with %j has ids only where they are codes of their own', (texts, id) => {
  expect(idOf(texts.map((first) => ({ first, other: 'the same' })))).toBe(id);
  expect(idOf(texts.map((first) => ({ other: 'the same', first })))).toBeUndefined();
});

test('a row becomes a document by the plan, or says why it does not', () => {
  const plan = {
    id: 'id',
    keepsId: false,
    tensorColumns: [],
    leftOut: ['zip'],
    names: new Map([['plot', 'story']]),
    types: { year: 'number', rated: 'truth', tags: 'json' },
  } as const;
  const made = documentOf({ row: 2, fields: { ...textRows[0]?.fields } }, plan);
  expect(made).toEqual({
    document: { _id: '1', year: 1999, rated: true, tags: ['a'], story: textRows[0]?.fields.plot },
  });
  const fault = (fields: object) => documentOf({ row: 2, fields: { id: '1', ...fields } }, plan);
  expect(fault({ year: 'soon' })).toEqual({ fault: 'soon in year is no number.', id: '1' });
  expect(fault({ rated: 'perhaps' })).toEqual({ fault: 'perhaps in rated is no truth.', id: '1' });
  expect(fault({ id: { a: 1 } })).toEqual({ fault: expect.stringContaining('cannot be an id'), id: '' });
  const late = documentOf({ row: 2, fields: { year: 'soon', id: '7' } }, plan);
  expect(late).toMatchObject({ id: '7' });
  expect(documentOf({ row: 2, fields: { year: '1' } }, plan)).toEqual({
    fault: expect.stringContaining('has no id'),
    id: '',
  });
  expect(documentOf({ row: 2, fault: 'broken' }, plan)).toEqual({ fault: 'broken', id: '' });
});

test('a field that every document must have gets the id of rows that lack it', () => {
  const plan = { ...{ keepsId: false, tensorColumns: [], leftOut: [], names: new Map([['Stil', 'stil']]), types: {} } };
  const made = (id: string | undefined, fields: object) =>
    documentOf({ row: 2, fields: { nr: '7', ...fields } }, { ...plan, id, filledField: 'stil' });
  expect(made('nr', {})).toEqual({ document: { _id: '7', stil: '7' } });
  expect(made('nr', { Stil: 's' })).toEqual({ document: { _id: '7', stil: 's' } });
  expect(made(undefined, {})).toEqual({ document: { nr: '7' } });
});

test('the column of ids becomes a text field besides, by its name or the one that it gets', () => {
  const plan = { tensorColumns: [], leftOut: [], types: {} };
  const [row] = [{ row: 2, fields: { 'Art.-Nr': 4711, text: 'x' } }];
  expect(documentOf(row, { ...plan, id: 'Art.-Nr', keepsId: true, names: new Map([['Art.-Nr', 'Art_Nr']]) })).toEqual({
    document: { _id: '4711', Art_Nr: '4711', text: 'x' },
  });
  expect(documentOf(row, { ...plan, id: 'text', keepsId: true, names: new Map() })).toEqual({
    document: { _id: 'x', text: 'x', 'Art.-Nr': 4711 },
  });
  expect(documentOf(row, { ...plan, id: 'text', keepsId: false, names: new Map() })).toEqual({
    document: { _id: 'x', 'Art.-Nr': 4711 },
  });
});

test('values that a type does not fit are counted, and the first is told', () => {
  const years = ['2024', 'soon', undefined, 'never'].map((year, place) => ({
    row: place + 2,
    fields: year === undefined ? {} : { year },
  }));
  expect(misfitsOf(years, 'year', 'number')).toEqual({ count: 2, row: 3, value: 'soon' });
  expect(misfitsOf(years, 'year', 'text')).toBeUndefined();
  expect(misfitsOf([{ row: 2, fault: 'torn' }], 'year', 'number')).toBeUndefined();
});

test('values that are to be dates and are none are told, and stored as they are', () => {
  const plan = {
    ...{ id: undefined, keepsId: false, tensorColumns: [], leftOut: ['left'], names: new Map() },
    types: { since: 'dayFirst', left: 'dayFirst', text: 'text' },
  } as const;
  const row = { row: 2, fields: { since: 'bald', left: 'nie', text: 'x' } };
  expect(undatedOf(row, plan)).toEqual(['since']);
  expect(documentOf(row, plan)).toEqual({ document: { since: 'bald', text: 'x' } });
  expect(undatedOf({ row: 3, fields: { since: '11.03.2024' } }, plan)).toEqual([]);
  expect(documentOf({ row: 3, fields: { since: '11.03.2024' } }, plan)).toEqual({ document: { since: '2024-03-11' } });
});

test('a column that leans to a type says how many values fit, and the first that does not', () => {
  const prices = Array.from({ length: 20 }, (_, place) => ({
    row: place + 2,
    fields: { price: place === 15 ? 'auf Anfrage' : `${place},50`, name: `Lamp ${place}` },
  }));
  expect(leaningOf(prices, 'price')).toEqual({
    ...{ type: 'decimalComma', values: 20, fits: 19 },
    misfit: { count: 1, row: 17, value: 'auf Anfrage' },
  });
  expect(leaningOf(prices, 'name')).toBeUndefined();
});

test('a double is named that keeps a column from being the one of ids', () => {
  const goods = Array.from({ length: 20 }, (_, place) => ({
    row: place + 2,
    fields: { 'Artikel-Nr.': place === 12 ? 'A-5' : `A-${place}`, colour: place < 10 ? 'red' : 'blue' },
  }));
  const double = { column: 'Artikel-Nr.', value: 'A-5', rows: [7, 14] };
  expect(idColumnOf(columnsOf(goods, true))).toBeUndefined();
  expect(doubledIdOf(goods, columnsOf(goods, true))).toEqual(double);
  expect(doubleOf(goods, 'Artikel-Nr.')).toEqual(double);
  expect(doubleOf(goods.slice(0, 12), 'Artikel-Nr.')).toBeUndefined();
  // A column that repeats throughout is none of ids, whatever its name.
  const parents = goods.map(({ row, fields }) => ({ row, fields: { parentId: fields.colour } }));
  expect(doubledIdOf(parents, columnsOf(parents, true))).toBeUndefined();
});
