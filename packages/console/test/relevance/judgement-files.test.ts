import { describe, expect, test } from 'vitest';
import { sentQueries } from '../../src/pages/relevance/judged-queries.js';
import { FILE_BYTES_MAX, readJudgements, topicTexts } from '../../src/pages/relevance/judgement-files.js';

const fileOf = (content: BlobPart) => new File([content], 'file');
const read = (content: string, topics?: string) =>
  readJudgements(fileOf(content), topics === undefined ? undefined : fileOf(topics));
const queriesIn = async (content: string, topics?: string) => sentQueries((await read(content, topics)).queries);
const faultOf = (content: string, topics?: string) =>
  read(content, topics).then(
    () => 'none',
    ({ message }: Error) => message,
  );

const both = [
  { q: 'tent', judgements: { g3: 3, g4: 0 } },
  { q: 'torch, red', judgements: { g7: 1 } },
];

describe('files of the same judgements', () => {
  test.each([
    ['CSV', 'query,docid,rating\ntent,g3,3\ntent,g4,0\n"torch, red",g7,1\n'],
    ['CSV with other names, columns and delimiters', 'note;Grade;_id;Q\n;3;g3;tent\nx;0;g4;tent\n;1;g7;torch, red\n'],
    [
      'a JSON list of rows',
      JSON.stringify(
        both.flatMap(({ q, judgements }) => Object.entries(judgements).map(([id, grade]) => ({ q, id, grade }))),
      ),
    ],
    [
      'JSON lines',
      '{"query":"tent","id":"g3","grade":3}\n{"query":"tent","id":"g4","grade":"0"}\n{"query":"torch, red","id":"g7","grade":1}\n',
    ],
    ['a set as the server has it', JSON.stringify({ setName: 'gear', version: 3, queries: both })],
    ['the same over several lines', JSON.stringify({ queries: both }, null, 2)],
  ])('%s', async (_form, content) => {
    expect(await queriesIn(content)).toEqual(both);
  });

  test('a set brings its configurations, which the server checks', async () => {
    const configurations = [{ name: 'a', more: 1 }];
    expect((await read(JSON.stringify({ queries: both, configurations }))).configurations).toEqual(configurations);
    expect((await read(JSON.stringify({ queries: both }))).configurations).toEqual([]);
    expect(await faultOf(JSON.stringify({ queries: both, configurations: 'a' }))).toContain('are no list');
  });

  test('TREC qrels name queries by numbers, and a second file has their texts', async () => {
    const qrels = '301 0 FBIS-1 1\n301 0 FBIS-2 0\r\n\n302\tQ0\tFT-1\t2\n';
    expect(await queriesIn(qrels)).toEqual([
      { q: '301', judgements: { 'FBIS-1': 1, 'FBIS-2': 0 } },
      { q: '302', judgements: { 'FT-1': 2 } },
    ]);
    expect((await queriesIn(qrels, '301\torganized crime\n302\tpolio, "post" polio\n')).map(({ q }) => q)).toEqual([
      'organized crime',
      'polio, "post" polio',
    ]);
    const { queries, unnamedTopics } = await read(qrels, '301,"crime, organized"\n');
    expect([queries.map(({ q }) => q), unnamedTopics]).toEqual([['crime, organized', '302'], 1]);
  });
});

test('topics as TREC publishes them have their titles', () => {
  const text =
    '<top>\n<num> Number: 301 \n<title> Organized Crime \n<desc> x\n</top>\n<top>\n<num> 302</num>\n<title>Polio</title>\n</top>';
  expect([...topicTexts(text)]).toEqual([
    ['301', 'Organized Crime'],
    ['302', 'Polio'],
  ]);
});

test('grades outside of 0 to 3 become these and are counted, and the last of two for one document counts', async () => {
  const { queries, movedGrades } = await read('1 0 a -2\n1 0 b 4\n1 0 c 1\n1 0 c 2\n');
  expect(sentQueries(queries)).toEqual([{ q: '1', judgements: { a: 0, b: 3, c: 2 } }]);
  expect(movedGrades).toBe(2);
});

test('ids and queries that objects have members of are ids and queries', async () => {
  const rows = 'query,id,grade\n__proto__,__proto__,2\nconstructor,toString,1\n';
  const { queries } = await read(rows);
  expect(queries.map(({ q, grades }) => [q, ...grades])).toEqual([
    ['__proto__', ['__proto__', 2]],
    ['constructor', ['toString', 1]],
  ]);
  expect(JSON.stringify(sentQueries(queries))).toContain('{"__proto__":2}');
});

test.each([
  ['an empty file', '', 'The file is empty'],
  ['names alone', 'query,id,grade\n', 'The file has no judgements.'],
  ['half a grade', 'query,id,grade\na,b,1.5\n', 'Line or row 2: 1.5 is no grade'],
  ['a word for a grade', 'query,id,grade\na,b,good\n', 'good is no grade'],
  ['a column too few', 'query,grade\na,1\n', 'Line or row 2 has no id. Its column may be named: _id, id, docid'],
  ['a cell too few', 'query,id,grade\na,1\n', 'Line or row 2: The row has 2 cells'],
  ['a line of qrels that is none', '1 0 a 1\n1 0 a\n', 'Line 2 does not have four columns'],
  ['too long a query', `query,id,grade\n${'a'.repeat(2049)},b,1\n`, 'Line or row 2: a query is a text of 1 to 2,048'],
  ['too long an id', `query,id,grade\na,${'b'.repeat(2049)},1\n`, 'the id of a document has 1 to 2,048'],
  ['a set whose query has no judgements', '{"queries":[{"q":"a"}]}', 'Line or row 1: a query'],
  ['JSON that ends early', '[{"query":"a"', 'This is no JSON'],
  [
    'too many queries',
    Array.from({ length: 1001 }, (_, at) => `${at} 0 a 1`).join('\n'),
    '1,001 queries and 1,001 grades; a set has at most 1,000 and 40,000',
  ],
])('%s is told with what to do', async (_what, content, told) => {
  expect(await faultOf(content)).toContain(told);
});

test('a file of texts without any is told, and one that is too large is not read', async () => {
  expect(await faultOf('1 0 a 1\n', 'no numbers here\n')).toContain('The second file has no texts');
  const large = { size: FILE_BYTES_MAX + 1, stream: () => expect.fail('it was read') } as unknown as File;
  await expect(readJudgements(large)).rejects.toThrow('at most 16 MiB');
});
