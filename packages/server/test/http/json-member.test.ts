import { expect, test } from 'vitest';
import { arrayElements, memberBytes, memberNames } from '../../src/http/json-member.js';

test.each<[string, string | undefined]>([
  ['{"content":{"b":1,"10":1.0,"b":2}}', '{"b":1,"10":1.0,"b":2}'],
  ['{ "a" : [{"content":1}], "content" : "x,}\\"" , "b":2}', '"x,}\\""'],
  ['{"content": \n[ 1 ]\t\r}', '[ 1 ]'],
  ['{"content":1,"content":[2]}', '[2]'],
  ['{"a":"content"}', undefined],
  [String.raw`{"\u0063ontent":1}`, '1'],
  [String.raw`{"content":1,"\u0063ontent":2,"cont\u0065":3,"\"content":4}`, '2'],
  ['{}', undefined],
])('of %s it is %j', (json, expected) => {
  expect(memberBytes(Buffer.from(json), 'content')?.toString()).toBe(expected);
});

test('the names of an object come in their order, those inside of its values do not', () => {
  const json = String.raw`{ "b":{"c":1}, "10" : [ "x", {"d":"e"} ], "a\"é":"f,g", "1":2}`;
  expect(memberNames(Buffer.from(json))).toEqual(['b', '10', 'a"é', '1']);
  expect(memberNames(Buffer.from('{}'))).toEqual([]);
});

test.each<[string, string[]]>([
  ['[]', []],
  [' [ ] ', []],
  ['[1]', ['1']],
  [
    String.raw`[ {"a":[1,2],"b":"],[\""} ,\t"x,y" , [[],[3]],null]`.replace('\\t', '\t'),
    ['{"a":[1,2],"b":"],[\\""}', '"x,y"', '[[],[3]]', 'null'],
  ],
])('of %s the elements are %j', (json, elements) => {
  expect(arrayElements(Buffer.from(json)).map(String)).toEqual(elements);
});
