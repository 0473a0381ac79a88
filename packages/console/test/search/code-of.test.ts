import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { curlOf, pythonOf, typeScriptOf } from '../../src/pages/search/code-of.js';

const target = { url: 'http://127.0.0.1:8882', index: 'notes', hasKey: true };
const hostile = `it's "so" $(touch x) \`y\` \\ \n end`;

test.skipIf(process.platform === 'win32')('a shell takes the command for what it is, whatever is searched for', () => {
  const command = curlOf({ q: hostile }, target).replace(/^curl/, 'show');
  const show = 'show() { for word; do printf "%s\\0" "$word"; done; };';
  const told = execFileSync('sh', ['-c', `${show} ${command}`], {
    encoding: 'utf8',
    env: { PELORUS_API_KEY: 'the key' },
  });
  const words = told.split('\0');
  expect(words).toContain('http://127.0.0.1:8882/indexes/notes/search');
  expect(words).toContain('x-api-key: the key');
  expect(JSON.parse(words.at(-2) ?? '')).toEqual({ q: hostile });
});

test('programs search by the names of their clients, and take the key from the environment', () => {
  const body = { q: 'tea', searchMethod: 'HYBRID' as const, limit: 5, filter: 'a:1', hybridParameters: { alpha: 0.7 } };
  expect(pythonOf(body, target)).toBe(`import os

import marqo

client = marqo.Client(url="http://127.0.0.1:8882", api_key=os.environ["PELORUS_API_KEY"])
result = client.index("notes").search(
    q="tea",
    search_method="HYBRID",
    limit=5,
    filter_string="a:1",
    hybrid_parameters={"alpha": 0.7},
)
for hit in result["hits"]:
    print(hit["_score"], hit["_id"])`);
  expect(typeScriptOf(body, { ...target, hasKey: false })).toContain(
    `const pelorus = new Pelorus({ url: "http://127.0.0.1:8882" });`,
  );
});

test('members that the official Python client does not know go by plain HTTP', () => {
  const told = pythonOf({ q: 'te', searchMethod: 'LEXICAL', prefix: 'last', typoTolerance: true }, target);
  expect(told).not.toContain('import marqo');
  expect(told).toContain('{"q": "te", "searchMethod": "LEXICAL", "prefix": "last", "typoTolerance": True}');
});
