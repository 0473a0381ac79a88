import { describe, expect, test } from 'vitest';
import { type DocumentRules, readItem } from '../../src/transfer/document-rules.js';
import { FieldNames } from '../../src/transfer/field-names.js';

const rules = (rest: Partial<DocumentRules> = {}): DocumentRules => ({
  idField: undefined,
  makesIds: false,
  nulls: 'drop',
  unstorable: 'refuse',
  kept: new Set(),
  omitted: new Set(),
  texts: new Set(),
  names: new FieldNames([]),
  ...rest,
});

function read(text: string, rest: Partial<DocumentRules> = {}, place = 1): string {
  const document = readItem({ place, text }, rules(rest));
  return 'message' in document ? document.message : document.text;
}

describe('ids', () => {
  test('are texts or whole numbers, as they are spelt', () => {
    expect(read('{"_id":"a","n":1.50}')).toBe('{"_id":"a","n":1.50}');
    expect(read('{"n":1.50,"_id":18446744073709551616}')).toBe('{"_id":"18446744073709551616","n":1.50}');
    for (const id of ['1.5', 'true', 'null', '""', '[]']) expect(read(`{"_id":${id}}`)).toMatch(/^A document needs/);
    expect(read('{}')).toMatch(/^A document needs an `_id`/);
  });

  test.each([
    ['{"n":1.0,"_id": 7 ,"m":2}', '{"n":1.0,"_id": "7" ,"m":2}'],
    ['{"_id":-7}', '{"_id":"-7"}'],
    ['{"a":{"_id":1.0},"_id":1}', '{"_id":"1","a":{"_id":1.0}}'],
    ['{"a":{"_id":1},"\\u005fid":2}', '{"_id":"2","a":{"_id":1}}'],
    ['{"_id":9007199254740993}', '{"_id":"9007199254740993"}'],
  ])('that are numbers become texts where they stand: %s', (text, expected) => {
    expect(read(text)).toBe(expected);
  });

  test.each(['1.0', '1e0', '-0.0', '1E2'])('are no numbers with a fraction or an exponent: %s', (id) => {
    expect(read(`{"_id":${id},"n":1}`)).toMatch(/^A document needs/);
    expect(read(`{"n":{"_id":1},"_id":${id}}`)).toMatch(/^A document needs/);
  });

  test('stay where their member is left out', () => {
    expect(read('{"_id":"a","n":1}', { omitted: new Set(['_id']) })).toBe('{"_id":"a","n":1}');
  });

  test('are taken from a field, which stays', () => {
    expect(read('{"sku":"007","n":1.0}', { idField: 'sku' })).toBe('{"_id":"007","sku":"007","n":1.0}');
    expect(read('{"_id":"other","sku":12345678901234567890}', { idField: 'sku' })).toBe(
      '{"_id":"12345678901234567890","sku":12345678901234567890}',
    );
    expect(read('{"sku":1.5}', { idField: 'sku' })).toBe("No text and no whole number in 'sku' to be the id");
  });

  test('made for documents are those of the same text at the same place, and of no other', () => {
    const idOf = (text: string, place: number) => JSON.parse(read(text, { makesIds: true }, place))._id;
    const ids = [idOf('{"a":1}', 1), idOf('{"a":1}', 2), idOf('{"a":2}', 1), idOf('{}', 3)];
    expect(new Set(ids).size).toBe(4);
    expect([idOf('{"a":1}', 1), idOf('{"a":1}', 2), idOf('{"a":2}', 1), idOf('{}', 3)]).toEqual(ids);
    expect(read('{"_id":"own"}', { makesIds: true })).toBe('{"_id":"own"}');
    expect(read('{ }', { makesIds: true }, 3)).toMatch(/^\{"_id":"[\w-]{22}"\}$/);
  });
});

describe('members', () => {
  test('with values that no field holds become texts of JSON, or are left out', () => {
    const text =
      '{"_id":"1","n":[1,2],"o":[{"a":9007199254740993}],"m":{"a":{"b":null,"c":1}},"t":{"a":"x"},"l":["x"],"w":{"a":1,"b":true},"v":{"vector":[1]},"e":[]}';
    const held = '"l":["x"],"w":{"a":1,"b":true},"v":{"vector":[1]},"e":[]}';
    const kept = new Set(['v']);
    const texts = String.raw`"n":"[1,2]","o":"[{\"a\":9007199254740993}]","m":"{\"a\":{\"c\":1}}","t":"{\"a\":\"x\"}",`;
    expect(read(text, { unstorable: 'json', kept })).toBe(`{"_id":"1",${texts}${held}`);
    expect(read(text, { unstorable: 'drop', kept })).toBe(`{"_id":"1",${held}`);
  });

  test('with nulls are left out, or refused', () => {
    expect(read('{"_id":"1","a":null,"m":{"x":1.0,"y":null},"l":[null]}')).toBe('{"_id":"1","m":{"x":1.0},"l":[null]}');
    expect(read('{"_id":"1","m":{"y":null}}', { nulls: 'refuse' })).toBe("The field 'm' is null, or an entry of it");
  });

  test.each([
    ['{"a":', '}'],
    ['[', ']'],
  ])('nested too deep are refused: %s', (open, close) => {
    const nested = (depth: number) => `{"_id":"1","m":${open.repeat(depth)}1${close.repeat(depth)}}`;
    for (const depth of [100, 20_000, 1_000_000]) {
      for (const nulls of ['drop', 'refuse'] as const) {
        expect(read(nested(depth), { nulls })).toBe('Nested too deep: more than 100 lists and maps in each other');
      }
    }
    expect(read(nested(99))).toBe(nested(99));
  });

  test.each([
    ['maps of numbers stay', '{"m":{"a":1.0,"b":2}}', '{"m":{"a":1.0,"b":2}}'],
    ['lists of texts stay', '{"l":["a","b"],"e":[]}', '{"l":["a","b"],"e":[]}'],
    ['other maps become fields', '{"m":{"a":"x","b":2.50,"c":{"d":["y"]}}}', '{"m_a":"x","m_b":2.50,"m_c_d":["y"]}'],
    ['a map of numbers in a map stays one', '{"m":{"a":"x","s":{"l":1}}}', '{"m_a":"x","m_s":{"l":1}}'],
    ['lists of numbers become texts', '{"l":[1.50,2,9007199254740993]}', '{"l":["1.50","2","9007199254740993"]}'],
    ['mixed lists become texts', '{"l":["a",1,true,null]}', '{"l":["a","1","true"]}'],
    ['lists in lists become one', '{"l":[["a"],["b",["c"]]]}', '{"l":["a","b","c"]}'],
    ['lists of maps become one for each key', '{"l":[{"a":"x","n":1},{"a":"y"}]}', '{"l_a":["x","y"],"l_n":["1"]}'],
    ['nulls in a map are left out', '{"m":{"a":"x","b":null}}', '{"m_a":"x"}'],
    [
      'a name that is taken gets a number',
      '{"m":{"a":"x"},"m.a":"y","m_a":"z"}',
      '{"m_a_2":"x","m_a_3":"y","m_a":"z"}',
    ],
    [
      'ways to one name become several',
      '{"m":{"a.b":"x","a":{"b":"y"}},"m.a":{"b":"z"},"l":{"a":"x","b":"y"},"l.a":1,"l.a ":2}',
      '{"m_a_b":"x","m_a_b_2":"y","m_a_b_3":"z","l_a":"x","l_b":"y","l_a_2":1,"l_a_3":2}',
    ],
  ])('nested ones are flattened: %s', (_, text, expected) => {
    const names = new FieldNames(Object.keys(JSON.parse(text)));
    const id = '{"_id":"1",';
    expect(read(id + text.slice(1), { names, unstorable: 'flatten' })).toBe(id + expected.slice(1));
    // An import that is repeated finds the same names.
    expect(read(id + text.slice(1), { names, unstorable: 'flatten' })).toBe(id + expected.slice(1));
  });

  test('nested ones stay where they are kept, and so does a long list of numbers', () => {
    const text = `{"_id":"1","v":{"vector":[1,2],"content":"x"},"w":[${'0.5,'.repeat(63)}1]}`;
    expect(read(text, { unstorable: 'flatten', kept: new Set(['v']) })).toBe(text);
    const vector = Array.from({ length: 64 }, (_, i) => i + 0.5);
    const map = JSON.stringify({ _id: '1', v: { vector, content: 'x' } });
    expect(JSON.parse(read(map, { unstorable: 'flatten' }))).toEqual({ _id: '1', v_vector: vector, v_content: 'x' });
  });

  test('with nulls in lists are refused, where nulls are and lists would be flattened', () => {
    const text = '{"_id":"1","l":["a",null]}';
    expect(read(text, { unstorable: 'flatten', nulls: 'refuse' })).toBe("The field 'l' is null, or an entry of it");
    expect(read(text, { unstorable: 'refuse', nulls: 'refuse' })).toBe(text);
  });

  test('named by a flag are left out', () => {
    expect(read('{"_id":"1","a":1.10,"b":2}', { omitted: new Set(['b']) })).toBe('{"_id":"1","a":1.10}');
  });

  test('are texts where the field is one of texts', () => {
    expect(read('{"_id":"1","t":3.10,"u":true,"v":["x"],"w":1}', { texts: new Set(['t', 'u', 'v']) })).toBe(
      '{"_id":"1","t":"3.10","u":"true","v":["x"],"w":1}',
    );
  });

  test('get names that fields can have', () => {
    const names = new FieldNames([
      'US Gross',
      'US_Gross',
      'título',
      '名',
      '1st',
      '',
      '_score',
      'marqo__x',
      'a.b',
      's.l',
    ]);
    const text =
      '{"_id":"1","US Gross":1,"US_Gross":2,"título":3,"名":4,"1st":5,"":6,"_score":7,"marqo__x":8,"a.b":"c","s.l":9}';
    expect(JSON.parse(read(text, { names }))).toEqual({
      _id: '1',
      US_Gross_2: 1,
      US_Gross: 2,
      titulo: 3,
      field: 4,
      field_1st: 5,
      field_2: 6,
      score: 7,
      field_marqo__x: 8,
      a_b: 'c',
      s: { l: 9 },
    });
    expect(names.note).toContain('"US Gross" as US_Gross_2, "título" as titulo, "名" as field, "1st" as field_1st');
    expect(new FieldNames(['a']).note).toBe(undefined);
  });

  test('are entries of a map only where no field has its name', () => {
    const names = new FieldNames(['price', 'price.usd', 'size.l', 'Size.']);
    expect(read('{"_id":"1","price":"a lot","price.usd":2,"size.l":3,"Size.":4,"size.m":5}', { names })).toBe(
      '{"_id":"1","price":"a lot","price_usd":2,"Size":4,"size":{"l":3,"m":5}}',
    );
    expect(names.note).toBe('fields are called otherwise: "price.usd" as price_usd, "Size." as Size');
  });

  test('get names of their own where they were not known before', () => {
    for (const text of [
      '{"_id":"1","m.a":1,"m":"x"}',
      '{"_id":"1","m":"x","m.a":1}',
      '{"_id":"1","m ":1,"m":2}',
      '{"_id":"1","m ":1,"m.a":2}',
    ]) {
      const written = read(text);
      const fields = [...written.matchAll(/[{,]"(\w+)":/g)].map(([, name]) => name).filter((name) => name !== 'a');
      expect(new Set(fields).size, written).toBe(3);
    }
  });

  test('from an export stay as they are, but for entries of maps', () => {
    expect(read('{"_id":"1","m.a b":1.0,"x":2}', { names: undefined })).toBe('{"_id":"1","x":2,"m":{"a b":1.0}}');
    const given = '{"_id":"1","m.a":1,"_tensors":[]}';
    expect(read(given, { names: undefined })).toBe(given);
  });
});
