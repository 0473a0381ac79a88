import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { emptyFolder, ServerProcess } from '../../../cli/test/e2e/server-process.js';
import { filterFaultOf } from '../../src/documents/filter-fault.js';

const data = emptyFolder('console');
let server: ServerProcess;

beforeAll(async () => {
  server = await ServerProcess.start(['--data', data, '--hub', 'none']);
  await server.ok('POST', '/indexes/shop', { model: 'random/small' });
});

afterAll(async () => {
  await server?.end();
  rmSync(data, { recursive: true, force: true });
});

const sentences = [
  ['sofa', '“sofa” is no condition'],
  ['brand:acme brand:other', 'AND or OR is missing before “brand:other”'],
  ['brand:acme AND', 'Behind AND a condition is missing'],
  ['OR brand:acme', 'Before OR a condition is missing'],
  ['NOT NOT brand:acme', 'NOT stands before one condition alone'],
  ['brand:acme)', 'There is a “)” too many'],
  ['(brand:acme AND a:1)(b:2)', 'AND or OR is missing between two parentheses'],
  ['(brand:acme', 'A “(” is opened and never closed'],
  ['()', 'There is nothing between “(” and “)”'],
  ['price:[1 TO', '“price:[1 TO” is no range'],
  ['price:[a TO b]', '“price:[a TO b]” is no range'],
  ['brand:(acme)x', 'Behind a bracket must be a blank, not “x”'],
  ['brand IN (big one)', 'A list is written as'],
  ['brand IN acme', 'A list is written as'],
  ['Groesse:20 cm', 'A value with blanks stands in parentheses: Groesse:(20 cm).'],
  ['a:1 AND Größe:20 cm lang OR b:2', 'A value with blanks stands in parentheses: Größe:(20 cm lang).'],
  ['NOT (a\\ b:20 cm)', 'A value with blanks stands in parentheses: a\\ b:(20 cm).'],
  ['a:1 foo b:2', 'A value with blanks stands in parentheses: a:(1 foo).'],
  ['Preis:[10,5 TO 20,5]', 'its numbers have a point before the decimals, as in Preis:[10.5 TO 20.5].'],
  ['Preis:[1.234,5 TO *]', 'its numbers have a point before the decimals, as in Preis:[1234.5 TO *].'],
] as const;

test.each(sentences)('the filter %s is told to be wrong in a sentence with an example', async (filter, told) => {
  const { status, body } = await server.call('POST', '/indexes/shop/search', {
    q: '*',
    searchMethod: 'LEXICAL',
    filter,
  });
  expect(status).toBe(400);
  const fault = filterFaultOf({ message: body.message, advice: '', problems: [] }, []);
  expect(fault).toContain(told);
  expect(fault).toMatch(/A filter that can be read: brand:acme AND price:\[10 TO 20\]$/);
});

test('a sentence of the server that says what to write stays, and other failures are none of a filter', async () => {
  const filter = { q: '*', searchMethod: 'LEXICAL', filter: 'price:>3' };
  const { message } = (await server.call('POST', '/indexes/shop/search', filter)).body;
  const fault = filterFaultOf({ message, advice: '', problems: [] }, []);
  expect(fault).toMatch(/^The filter cannot be read\. > does not compare: ranges do\. Expected price:\[3 TO \*\]/);
  expect(filterFaultOf({ message: 'Another failure', advice: '', problems: [] }, [])).toBeUndefined();
  expect(filterFaultOf(undefined, [])).toBeUndefined();
});
