import type { Case, Exchange, Part } from './case.js';
import { add, finds } from './documents.js';
import { badRequest, error, holding, invalidArgument } from './errors.js';
import { create, field, own } from './indexes.js';
import { S, U } from './kinds.js';

/** One moment in the three ways that documents write it. */
const moment = (milliseconds: number) => ({
  made: milliseconds / 1000,
  madeMs: milliseconds,
  madeAt: new Date(milliseconds).toISOString(),
});

const documents = [
  { _id: '5678', abc: 'some text', other: 'baaadd', s: 'b', ...moment(Date.UTC(2024, 1, 29, 12)) },
  { _id: '1234', abc: 'some text', other: 'Close match hehehe', n: 2, year: '2024', ...moment(Date.UTC(2024, 2, 1)) },
  { _id: '1233', abc: 'some text', flag: true, long: 'x'.repeat(51), year: '2023-05' },
  { _id: '9', tags: ['tag1', 'tag2 some'], fake: '234', fl: 0.61, t: 'True', m: { k: 5, 'a b': 7 }, url: 'x:y' },
];
const all = documents.map(({ _id }) => _id);
const but = (...ids: string[]) => all.filter((id) => !ids.includes(id));

const declared = [
  { _id: '1', text: 'Red Shoe', tags: ['new', 'on sale'], n: 3, big: 9_007_199_254, f: 2.5, flag: true, ns: [1, 8] },
  { _id: '2', text: 'blue', tags: ['new'], n: -3, f: 3, flag: false, fs: [0.5, 4.5] },
  { _id: '3', v: { vector: [1, 0], content: 'Around' } },
];

/** A filter passes just these documents. */
const passes = (section: string, filter: string, ids: readonly string[], index: string = U): Case => ({
  section,
  about: `the filter ${filter}`,
  exchanges: [finds(index, { filter }, ...ids)],
});

const refuses = (section: string, filter: string, expected: object, index: string = U): Case => ({
  section,
  about: `no filter: ${filter.length > 99 ? `${filter.slice(0, 99)}...` : filter}`,
  exchanges: [
    {
      request: `POST /indexes/${index}/search`,
      body: { q: '*', searchMethod: 'LEXICAL', filter },
      ...expected,
    } as Exchange,
  ],
});

/** A filter that cannot be parsed is refused with the place of the fault, below which a caret stands. */
const misparsed = (filter: string, at: number, reason: string): Case =>
  refuses(
    'search 3.1',
    filter,
    invalidArgument(`\nError parsing filter: ${filter}\n${' '.repeat(at + 22)}^\nat position ${at}: ${reason}`),
  );

const parsing: Case[] = [
  passes('search 3.3', 's:b', ['5678']),
  passes('search 3.3', 'abc:(some text)', ['5678', '1234', '1233']),
  passes('search 3.3', '(((s:b)))', ['5678']),
  passes('search 3.3', 's:b AND n:2 OR flag:true AND abc:(some text)', ['1233']),
  passes('search 3.3', 's:b OR n:2 AND flag:true', ['5678']),
  passes('search 3.3', 's:b OR n:2 OR flag:true', ['5678', '1234', '1233']),
  passes('search 3.3', 'NOT s:b AND abc:(some text)', ['1234', '1233']),
  passes('search 3.3', 's:b OR NOT n:2 AND flag:true', ['5678', '1233']),
  passes('search 3.3', 'n:2 AND NOT s:b OR s:b', ['1234', '5678']),
  passes('search 3.3', 'n:2 AND NOT (s:b) OR s:b', ['1234', '5678']),
  passes('search 3.3', '(s:b OR n:2) AND NOT (n:2 OR flag:true)', ['5678']),
  passes('search 3.3', 'NOT (NOT s:b)', ['5678']),
  passes('search 3.3', 's:b  OR  n:2', ['5678', '1234']),
  passes('search 3.3', '  s:b  ', ['5678']),
  passes('search 3.3', '(s:b)OR n:2', ['5678', '1234']),
  passes('search 3.3', 'abc:(some text', ['5678', '1234', '1233']),
  passes('search 3.3', 'url:x:y', ['9']),
  passes('search 3.3', String.raw`url:(x\:y)`, ['9']),
  passes('search 3.3', String.raw`m.a\ b:7`, ['9']),
  passes('search 3.3', String.raw`abc:some\ text`, ['5678', '1234', '1233']),
  passes('search 3.3', 's:"b"', []),
  passes('search 3.3', 's:(*)', []),
  passes('search 3.3', 's:(>1)', []),
  passes('search 3.3', 'n:[1 to 5]', ['1234']),
  passes('search 3.3', 'n:[ 1 TO 5 ]', ['1234']),
  passes('search 3.3', 'n:[* TO 5]', ['1234']),
  passes('search 3.3', 'n:[2 TO *]', ['1234']),
  passes('search 3.3', 'fl:[-5 TO 6.1e-1]', ['9']),
  passes('search 3.3', 'n:[10 TO 1]', []),
  passes('search 3.3', 'NOT n:[10 TO 1]', all),
  misparsed('NOT NOT a:1', 4, "Unexpected modifier 'NOT'"),
  misparsed('a:1 AND(b:2)', 7, 'Unexpected ('),
  misparsed('NOT(a:1)', 3, 'Unexpected ('),
  misparsed('a:1 and b:2', 7, "Cannot parse token 'and'"),
  misparsed('a:b OR', 4, 'Expected term or expression, but found OR'),
  misparsed('a:b c:d', 4, "Unexpected term 'c:d'. Expected an operator"),
  misparsed('a:1)', 3, 'Unexpected )'),
  misparsed('()', 0, 'Empty expression'),
  misparsed('a', 1, "Cannot parse token 'a'"),
  misparsed('a:', 2, "Cannot parse token 'a:'"),
  misparsed(':b', 2, "Cannot parse token ':b'"),
  misparsed('a:()', 4, "Cannot parse token 'a:()'"),
  misparsed('(a):b', 2, "Cannot parse token 'a'"),
  misparsed('a:(b)c', 5, "Expected end of term, but found 'c'"),
  misparsed('a:"hello world"', 15, `Cannot parse token 'world"'`),
  misparsed('a:f(x)', 5, 'Unexpected )'),
  misparsed('a:((x))', 6, 'Unexpected )'),
  misparsed('a:(x (y) z)', 10, "Cannot parse token 'z'"),
  misparsed('a:[* TO *]', 10, "Cannot parse range term 'a:[* TO *]': At least one of lower or upper must be specified"),
  misparsed('a:{1 TO 5}', 7, "Cannot parse token 'TO'"),
  misparsed('a:[1 TO 5]x', 10, "Expected end of term, but found 'x'"),
  misparsed('a IN(1,2)', 1, "Cannot parse token 'a'"),
  ...(
    [
      ['AND a:1 OR b:2', 'Unexpected AND'],
      ['a:1 AND b:2 OR NOT', 'Expected term or expression, but found NOT'],
      ['(a:1 AND b:2) b:2', 'Expected an operator'],
      ['(a:1 AND b:2)(c:3 AND d:4)', 'Unexpected expression ending at position'],
      ['(a:1', 'Unbalanced parentheses'],
      ['', 'Cannot parse empty filter string'],
      ['   ', 'Empty filter string'],
      ['a:[1 TO]', "Cannot parse range term 'a:[1 TO]'"],
      ['a:[a TO b]', "Invalid range limit 'a'"],
      ['a:[1 TO 5}', '5}'],
      ['a IN (1, 2 OR 3)', 'Unexpected white space in IN term list'],
      ['a IN (x y)', 'Unexpected white space in IN term list'],
      ['a IN (1, [0 TO 1])', 'Unexpected [ after IN operator.'],
      ['a IN 1, 2)', "Expected ( after ' IN '"],
      ['a IN (1, 2))', 'Unexpected )'],
      ['a IN ', "Expected ( after ' IN '"],
    ] as const
  ).map(([filter, reason]) => refuses('search 3.1', filter, invalidArgument(holding(reason)))),
  refuses('search 3.1', `${'('.repeat(2_000)}a:1${')'.repeat(2_000)}`, { status: 400 }),
];

const equality: Case[] = [
  passes('search 3.4', 'other:(Close match hehehe)', ['1234']),
  passes('search 3.4', 'other:(close MATCH hehehe)', ['1234']),
  passes('search 3.4', 'other:(Close match)', []),
  passes('search 3.4', 'n:2', ['1234']),
  passes('search 3.4', 'n:2.0', []),
  passes('search 3.2', 'n:2e0', ['1234']),
  passes('search 3.2', 'n:[1.99999999999999999999 TO 2.00000000000000000001]', ['1234']),
  passes('search 3.2', 'n:[2.00000000000000000001 TO *]', []),
  passes('search 3.4', 'n:[0 TO 30]', ['1234']),
  passes('search 3.4', 'n:[5 TO 30]', []),
  passes('search 3.4', 'flag:true', ['1233']),
  passes('search 3.4', 'flag:tRue', ['1233']),
  passes('search 3.4', 'flag:false', []),
  passes('search 3.4', 'flag:some_value', []),
  passes('search 3.2', 'n:some_value OR flag:true', ['1233']),
  passes('search 3.2', 't:1k', []),
  refuses('search 3.2', 'flag:[* TO 1]', invalidArgument(holding('have no order'))),
  passes('search 3.4', 't:true', ['9']),
  passes('search 3.4', 'tags:tag1', ['9']),
  passes('search 3.4', 'tags:(TAG2 some)', ['9']),
  passes('search 3.4', 'tags:tag2', []),
  passes('search 3.4', 'fake:234', ['9']),
  passes('search 3.4', 'fake:[1 TO 500]', []),
  passes('search 3.4', 'fl:0.61', ['9']),
  passes('search 3.4', 'm.k:5', ['9']),
  passes('search 3.4', 'm.k:[1 TO 9]', ['9']),
  passes('search 3.4', 'm.x:5', []),
  passes('search 3.4', 'NOT s:b', but('5678')),
  passes('search 3.4', '_id:5678 OR _id:1234', ['5678', '1234']),
  passes('search 3.4', '_id IN (5678, nope)', ['5678']),
  passes('search 3.4', 'missing:1', []),
  passes('search 3.2', 'NOT missing:1', all),
  passes('search 3.2', `long:${'x'.repeat(51)}`, []),
  passes('search 3.2', 'S:b', []),
  passes('search 3.2', 'n IN (1, 2)', ['1234']),
  passes('search 3.2', 'tags IN (tag1, none)', ['9']),
  passes('search 3.2', 'flag IN (True)', ['1233']),
  passes('search 3.2', 'fl IN (1, 0.61)', ['9']),
  passes('search 3.2', 'm.k IN (5)', ['9']),
  passes('search 3.2', 'made:[2024-02-29 TO 2024-02-29]', ['5678']),
  passes('search 3.2', 'made:[2024-02-29T12:00Z TO *]', ['5678', '1234']),
  passes('search 3.2', 'made:[2024-02-29T12:00:01+01:00 TO 2024-02-29T13:00:00.5]', ['5678']),
  ...['made', 'madeMs', 'madeAt'].flatMap((field) => [
    passes('search 3.2', `${field}:[2024-02-01 TO 2024-02-29]`, ['5678']),
    passes('search 3.2', `${field}:[2024-02 TO 2024-02]`, ['5678']),
    passes('search 3.2', `${field}:[2024-03-01 TO 2024]`, ['1234']),
    passes('search 3.2', `NOT ${field}:[2024-02-01 TO *]`, but('5678', '1234')),
  ]),
  passes('search 3.2', 'madeAt:[2024 TO *]', ['5678', '1234']),
  passes('search 3.2', 'year:[2024 TO 2024]', ['1234']),
  passes('search 3.2', 'year:[* TO 2023-12-31]', ['1233']),
  refuses('search 3.2', 'madeAt:[1709208000 TO *]', invalidArgument(holding("Field 'madeAt' holds dates as texts"))),
  refuses('search 3.2', 'abc:[2024-02-01 TO *]', invalidArgument(holding('texts none of which is a date'))),
  refuses('search 3.2', '_id:[1 TO *]', invalidArgument(holding('ids have no order'))),
  ...(
    [
      ['made:2024-02-29', 'made:[2024-02-29 TO 2024-02-29]'],
      ['n:1..3', 'n:[1 TO 3]'],
      ['n:$2', 'n:2'],
      ['n:-$2', 'n:-2'],
      ['n:–2', 'n:-2'],
      ['n:2+', 'n:[2 TO *]'],
      ['n:-2--1', 'n:[-2 TO -1]'],
      ['n:>$2', 'n:[2 TO *]'],
      ['n:≥2', 'n:[2 TO *]'],
      ['n:<1,000', 'n:[* TO 1000]'],
      ['n:10,20', 'a number such as 1000.5'],
      ['n:€1.000', 'a number such as 1000.5'],
      ['madeMs:1,709,208,000,000', 'madeMs:1709208000000'],
      ['flag:yes', 'flag:true'],
      ['flag:1', 'flag:true'],
      ['flag:0', 'flag:false'],
      ['flag:7', 'flag:true or flag:false'],
      ['n:>1k', 'n:[1000 TO *], which includes 1000'],
      ['n:(>1 000)', 'n:[1000 TO *], which includes 1000'],
      ['n:&gt;2', 'n:[2 TO *], which includes 2'],
      ['n:{gt:2}', 'n:[2 TO *], which includes 2'],
      ['n:5USD', 'n:5'],
      ['n:2f', 'n:2'],
      ['n IN (5USD)', 'n:5'],
      ['n IN (1,000)', 'n IN (1000), or for two numbers n IN (1, 0)'],
      ['n:>five', 'a number such as 1000.5'],
      ['n:12-AB', 'a number such as 1000.5'],
      ['NOT n:5kg', 'a number such as 1000.5'],
      ['m.k:1k', 'm.k:1000'],
      ['n>2', 'n:[2 TO *], which includes 2'],
      ['n:1 to 3', 'n:[1 TO 3]'],
    ] as const
  ).map(([filter, expected]) => refuses('search 3.2', filter, invalidArgument(holding(`Expected ${expected}`)))),
  passes('search 3.2', 'abc IN ((some text), other)', ['5678', '1234', '1233']),
  passes('search 3.2', 'abc CONTAINS texts', ['5678', '1234', '1233']),
  passes('search 3.2', 'other CONTAINS (close match)', ['1234']),
  passes('search 3.2', 'other CONTAINS (match close)', []),
  refuses(
    'search 3.2',
    'nobody CONTAINS x',
    error(400, 'invalid_argument', holding(`CONTAINS filter field 'nobody' is not found in index '${U}'.`)),
  ),
  refuses('search 3.2', 'a CONTAINS [1 TO 2]', invalidArgument(holding('Unexpected [ after CONTAINS operator.'))),
  refuses(
    'search 3.2',
    `_id IN (${Array.from({ length: 10_001 }, (_, i) => i).join(',')})`,
    invalidArgument(
      'The IN filter contains 10001 values, which exceeds the maximum of 10000 (MARQO_MAX_IN_FILTER_IDS).',
    ),
  ),
];

const structured: Case[] = [
  passes('search 3.2', 'text:(red shoe)', ['1'], S),
  passes('search 3.2', 'tags:(ON SALE)', ['1'], S),
  passes('search 3.2', 'tags IN (new, other)', ['1', '2'], S),
  passes('search 3.2', 'n:3', ['1'], S),
  passes('search 3.2', 'n:three', [], S),
  passes('search 3.2', 'n:[-5 TO 0]', ['2'], S),
  passes('search 3.2', 'n IN (3, -3)', ['1', '2'], S),
  passes('search 3.2', 'big:9007199254', ['1'], S),
  passes('search 3.2', 'f:2.5', ['1'], S),
  passes('search 3.2', 'f:3', ['2'], S),
  passes('search 3.2', 'f:[2 TO 2.9]', ['1'], S),
  passes('search 3.2', 'flag:TRUE', ['1'], S),
  passes('search 3.2', 'flag:false', ['2'], S),
  passes('search 3.2', 'flag:maybe', [], S),
  passes('search 3.2', 'ns:8', ['1'], S),
  passes('search 3.2', 'ns:[7 TO 9]', ['1'], S),
  passes('search 3.2', 'ns:[2 TO 7]', [], S),
  passes('search 3.2', 'fs:[4 TO 5]', ['2'], S),
  passes('search 3.2', 'v:around', ['3'], S),
  passes('search 3.2', '_id:2', ['2'], S),
  passes('search 3.2', '_id IN (1, 3)', ['1', '3'], S),
  passes('search 3.2', 'NOT text:blue', ['1', '3'], S),
  ...['plain', 'm.k', 'm', 'nobody'].map((name) =>
    refuses(
      'search 3.2',
      `${name}:1`,
      error(
        400,
        'invalid_field_name',
        `Index '${S}' has no filterable field '${name}'. Available filterable fields are: 'text, tags, n, big, f, flag, ns, fs, v'`,
      ),
      S,
    ),
  ),
  refuses('search 3.2', 'text:[1 TO 2]', invalidArgument(holding('text')), S),
  refuses('search 3.2', 'flag:[0 TO 1]', invalidArgument(holding('flag')), S),
  refuses(
    'search 3.2',
    'n IN (1, x)',
    invalidArgument(
      "Attempting to use the IN filter operator on field: 'n' of type: 'int', but found list element 'x', which is not of type 'int'.",
    ),
    S,
  ),
  passes('search 3.2', 'f IN (2.5, 9)', ['1'], S),
  passes('search 3.2', 'fs IN (4.5)', ['2'], S),
  passes('search 3.2', 'flag IN (false)', ['2'], S),
  refuses(
    'search 3.2',
    'flag IN (maybe)',
    invalidArgument(holding("found list element 'maybe', which is not of type 'bool'.")),
    S,
  ),
  refuses('search 3.2', 'text CONTAINS red', badRequest(holding('CONTAINS')), S),
];

/** Filters, in both kinds of index. */
export const filters: Part = {
  title: 'filters',
  preparation: [
    create(U, own(2)),
    create(
      S,
      own(2, {
        type: 'structured',
        allFields: [
          ...[
            ['text', 'text'],
            ['tags', 'array<text>'],
            ['n', 'int'],
            ['big', 'long'],
            ['f', 'float'],
            ['flag', 'bool'],
            ['ns', 'array<int>'],
            ['fs', 'array<float>'],
            ['v', 'custom_vector'],
          ].map(([name, type]) => field(name ?? '', type ?? '', 'filter')),
          field('plain', 'text', 'lexical_search'),
          field('m', 'map<text, int>', 'score_modifier'),
        ],
        tensorFields: ['v'],
      }),
    ),
    add(U, documents),
    add(S, declared),
  ],
  cases: [...parsing, ...equality, ...structured],
};
