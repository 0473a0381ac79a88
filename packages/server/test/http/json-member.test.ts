import { expect, test } from 'vitest';
import { memberBytes } from '../../src/http/json-member.js';

test.each<[string, string | undefined]>([
  ['{"content":{"b":1,"10":1.0,"b":2}}', '{"b":1,"10":1.0,"b":2}'],
  ['{ "a" : [{"content":1}], "content" : "x,}\\"" , "b":2}', ' "x,}\\"" '],
  ['{"content":1,"content":[2]}', '[2]'],
  ['{"a":"content"}', undefined],
  [String.raw`{"\u0063ontent":1}`, undefined],
  ['{}', undefined],
])('of %s it is %j', (json, expected) => {
  expect(memberBytes(Buffer.from(json), 'content')?.toString()).toBe(expected);
});
