import { describe, expect, test } from 'vitest';
import { lastOfEachId, splitList } from '../../src/documents/document-list.js';

const split = async (list: string, most = 128) => {
  const { documents, count } = await splitList(Buffer.from(list), most);
  return { documents: documents.map(({ json, id }) => [json.toString().trim(), id]), count };
};

describe('a list of documents is split', () => {
  test.each<[about: string, list: string, documents: [json: string, id: string | undefined][]]>([
    ['none', ' [ ] ', []],
    ['one', '[{"_id":"a"}]', [['{"_id":"a"}', 'a']]],
    [
      'blanks around all',
      '\n[ {"_id" : "a"} ,\t{ } ]\n',
      [
        ['{"_id" : "a"}', 'a'],
        ['{ }', undefined],
      ],
    ],
    [
      'brackets, commas, colons and quotes in texts',
      String.raw`[{"a":"]},{\"_id\":\"b\"\\","_id":"c,:]"},{"_id":"\\"}]`,
      [
        [String.raw`{"a":"]},{\"_id\":\"b\"\\","_id":"c,:]"}`, 'c,:]'],
        [String.raw`{"_id":"\\"}`, '\\'],
      ],
    ],
    [
      'ids further down, which are none',
      '[{"m":{"_id":"x"},"l":["_id","y",{"_id":"z"}]}]',
      [['{"m":{"_id":"x"},"l":["_id","y",{"_id":"z"}]}', undefined]],
    ],
    ['a text that follows the id', '[{"_id":"a","b":"c"}]', [['{"_id":"a","b":"c"}', 'a']]],
    [
      'names that are spelt nearly so',
      String.raw`[{"\u005fi":"a","_ids":"b","\u005fide":"c","\u0041id":"d","\\_id":"e"}]`,
      [[String.raw`{"\u005fi":"a","_ids":"b","\u005fide":"c","\u0041id":"d","\\_id":"e"}`, undefined]],
    ],
    [
      'a name of escapes alone',
      String.raw`[{"\u005f\u0069\u0064":"a"},{"\u005Fi\u0064":"b"}]`,
      [
        [String.raw`{"\u005f\u0069\u0064":"a"}`, 'a'],
        [String.raw`{"\u005Fi\u0064":"b"}`, 'b'],
      ],
    ],
    [
      'names and ids in escapes',
      String.raw`[{"\u005fid":"\u00fc\ud83d\ude00"}]`,
      [[String.raw`{"\u005fid":"\u00fc\ud83d\ude00"}`, 'ü😀']],
    ],
    ['an id that is no text', '[{"_id":5}]', [['{"_id":5}', undefined]]],
    ['an id in a list', '[{"_id":["a"]}]', [['{"_id":["a"]}', undefined]]],
    ['several ids of which the last counts', '[{"_id":"a","_id":"b"}]', [['{"_id":"a","_id":"b"}', 'b']]],
    [
      'several ids of which the last is none',
      '[{"_id":"a","_id":null,"x":"y"}]',
      [['{"_id":"a","_id":null,"x":"y"}', undefined]],
    ],
    [
      'what are no documents',
      '[5,"_id",["_id"],null,[]]',
      ['5', '"_id"', '["_id"]', 'null', '[]'].map((json) => [json, undefined]),
    ],
    ['numbers that are none', '[{"a":NaN,"_id":"n"}]', [['{"a":NaN,"_id":"n"}', 'n']]],
    ['an id too long for one', `[{"_id":"${'x'.repeat(30_000)}"}]`, [[`{"_id":"${'x'.repeat(30_000)}"}`, undefined]]],
  ])('%s', async (_about, list, documents) => {
    expect(await split(list)).toEqual({ documents, count: documents.length });
  });

  test('all are counted, and kept are those that were asked for', async () => {
    expect(await split('[1,2,3,4]', 2)).toEqual({
      documents: [
        ['1', undefined],
        ['2', undefined],
      ],
      count: 4,
    });
  });

  test('however long, over many turns of the event loop', async () => {
    const texts = ['a', '"', '\\', '],{', 'é'].map((text) => text.repeat(300_000));
    const documents = texts.map((text, i) => ({ text, _id: `${i}`, list: [{ _id: text.slice(0, 9) }] }));
    let turns = 0;
    const count = () => {
      turns += 1;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    const list = await splitList(Buffer.from(JSON.stringify(documents)), 128);
    clearImmediate(counting);
    expect(list.documents.map(({ json }) => JSON.parse(json.toString()))).toEqual(documents);
    expect(list.documents.map(({ id }) => id)).toEqual(['0', '1', '2', '3', '4']);
    expect(turns).toBeGreaterThan(8);
  });
});

test('of several documents with one id the last counts', () => {
  const document = (id: string | undefined, text: string) => ({ id, json: Buffer.from(text) });
  const list = [document('a', '1'), document(undefined, '2'), document('b', '3'), document('a', '4')];
  expect(lastOfEachId([...list, document(undefined, '5')]).map(({ json }) => json.toString())).toEqual([
    ...['2', '3', '4', '5'],
  ]);
});
