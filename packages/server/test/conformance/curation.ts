import { expect } from 'vitest';
import type { Case, Exchange, Expected, Part } from './case.js';
import { add } from './documents.js';
import { error, holding, inBody, noIndex, problems, unprocessable } from './errors.js';
import { create, field, nameAfter, own } from './indexes.js';

const v = (x: number, y: number) => ({ vector: [x, y], content: '' });
const documents = [
  { _id: 'a', title: 'red shoe', n: 6, v: v(1, 0) },
  { _id: 'b', title: 'red boot boot', n: 5, v: v(1, 0.2) },
  { _id: 'c', title: 'green boot in a row', n: 4, v: v(1, 0.4) },
  { _id: 'd', title: 'trainers', n: 3, v: v(1, 0.6) },
  { _id: 'e', title: 'running shoes', n: 2, v: v(1, 0.8) },
  { _id: 'f', title: 'hat', n: 1, v: v(1, 1) },
];

const put = (index: string, body: unknown, expected: Expected, headers?: Record<string, string>): Exchange => ({
  request: `PUT /indexes/${index}/curation`,
  body,
  ...expected,
  ...(headers !== undefined && { headers: { 'content-type': 'application/json', ...headers } }),
});
const rollBack = (index: string, version: number, expected: Expected, headers?: Record<string, string>): Exchange => ({
  request: `POST /indexes/${index}/curation/roll-back`,
  body: { version },
  ...expected,
  ...(headers !== undefined && { headers: { 'content-type': 'application/json', ...headers } }),
});
const search = (index: string, body: object, shown: string, rest: object = {}): Exchange => ({
  request: `POST /indexes/${index}/search`,
  body: { searchMethod: 'LEXICAL', ...body },
  status: 200,
  answer: expect.objectContaining({ hits: [...shown].map((_id) => expect.objectContaining({ _id })), ...rest }),
});
/** A search that tells nothing of rules. */
const plain = (index: string, body: object, shown: string): Exchange[] => [
  search(index, body, shown),
  {
    ...search(index, body, shown),
    answer: expect.not.objectContaining({ rules: expect.anything() }),
  },
];

const rule = (id: string, condition: object, consequence: object) => ({ id, condition, consequence });
const pin = (...ids: string[]) => ({ pinned: ids.map((_id, at) => ({ _id, position: at + 1 })) });

/** Searches of an index of their own that has these rules. */
const following = (
  about: string,
  curation: object,
  exchanges: (index: string) => readonly Exchange[],
  section = 'search 17',
): Case => {
  const index = nameAfter(about);
  const made = [
    create(index, own(2)),
    add(index, documents, { tensorFields: ['v'], mappings: { v: { type: 'custom_vector' } } }),
  ];
  return { section, about, exchanges: [...made, put(index, curation, { status: 200 }), ...exchanges(index)] };
};

const refused = (about: string, body: unknown, expected: Expected): Case => ({
  section: 'search 17',
  about,
  exchanges: [put('a', body, expected)],
});
const whole = (id: string, rest: object) => ({
  rules: [{ id, condition: {}, consequence: { hidden: ['a'] }, ...rest }],
});

const rules: Case[] = [
  following(
    'a rule of the whole query pins and hides, and the answer tells it',
    { rules: [rule('red', { query: ' Red  SHOE ' }, { ...pin('f'), hidden: ['b'] })] },
    (index) => [
      search(index, { q: 'red shoe' }, 'fae', { rules: ['red'], query: 'red shoe' }),
      search(index, { q: 'rEd\tshoe ' }, 'fae', { rules: ['red'] }),
      ...plain(index, { q: 'red' }, 'ab'),
      ...plain(index, { q: 'red shoe', rules: false }, 'aeb'),
    ],
  ),
  following(
    'words somewhere in the query, and its first words, whole ones',
    {
      rules: [
        rule('somewhere', { query: 'green boot', match: 'contains' }, pin('f')),
        rule('first', { query: 'hat', match: 'beginsWith' }, pin('a')),
      ],
    },
    (index) => [
      search(index, { q: 'a Green boot now', limit: 1 }, 'f', { rules: ['somewhere'] }),
      search(index, { q: 'hat green boot', limit: 1 }, 'f', { rules: ['somewhere', 'first'] }),
      search(index, { q: 'hat or shoe', limit: 1 }, 'a', { rules: ['first'] }),
      ...plain(index, { q: 'green boots', limit: 1 }, 'c'),
      ...plain(index, { q: 'hats', limit: 1 }, 'f'),
      ...plain(index, { q: 'a hat', limit: 1 }, 'f'),
    ],
  ),
  following(
    'a condition on the filter, one on the time, and none at all',
    {
      rules: [
        rule('filtered', { filter: 'n:[1 TO 5]' }, pin('f')),
        rule('over', { until: '2020-01-01T00:00:00Z' }, pin('e')),
        rule('to come', { from: '2999-01-01T00:00:00+01:00' }, pin('d')),
        rule('now', { from: '2020-01-01T00:00:00Z', until: '2999-01-01T00:00:00Z', query: 'shoe' }, { hidden: ['e'] }),
        rule('always', {}, { hidden: ['c'] }),
      ],
    },
    (index) => [
      search(index, { q: 'boot' }, 'b', { rules: ['always'] }),
      search(index, { q: 'boot', filter: ' n:[1 TO 5]' }, 'fb', { rules: ['filtered', 'always'] }),
      search(index, { q: 'shoe' }, 'a', { rules: ['now', 'always'] }),
    ],
  ),
  following(
    'a filter is added to that of the search, and facets leave out none of its terms',
    {
      rules: [
        rule('few', { query: 'boot' }, { filter: 'n:[5 TO 9]' }),
        rule('fewer', { query: 'boot' }, { filter: 'n:5 OR n:6' }),
      ],
    },
    (index) => [
      search(index, { q: 'boot' }, 'b'),
      search(
        index,
        { q: 'boot', filter: 'n:4 OR n:5', facets: { fields: { n: { type: 'number' } } }, trackTotalHits: true },
        'b',
        {
          totalHits: 1,
          facets: { n: { sum: 5, avg: 5, min: 5, max: 5, count: 1 } },
        },
      ),
      search(
        index,
        {
          q: 'boot',
          filter: 'n:[5 TO 9] AND NOT n:5',
          facets: { fields: { n: { type: 'number', excludeTerms: ['n:[5 TO 9]', 'NOT n:5'] } } },
        },
        '',
        { facets: { n: { sum: 5, avg: 5, min: 5, max: 5, count: 1 } } },
      ),
    ],
  ),
  following(
    'another query is searched for, by words and by vectors, and the answer repeats the one that came',
    {
      rules: [
        rule('other', { query: 'footwear' }, { query: 'boot' }),
        rule('second', { query: 'footwear' }, { query: 'hat' }),
      ],
    },
    (index) => [
      search(index, { q: 'footwear' }, 'bc', { query: 'footwear', rules: ['other', 'second'] }),
      search(
        index,
        {
          searchMethod: 'HYBRID',
          hybridParameters: { retrievalMethod: 'lexical', rankingMethod: 'lexical', queryLexical: 'footwear' },
        },
        'bc',
      ),
      search(
        index,
        {
          searchMethod: 'HYBRID',
          q: { customVector: { vector: [1, 1], content: 'Footwear' } },
          hybridParameters: { retrievalMethod: 'lexical', rankingMethod: 'lexical' },
        },
        'bc',
        { query: { customVector: { vector: [1, 1], content: 'Footwear' } } },
      ),
    ],
  ),
  following(
    'the first redirect is told',
    {
      rules: [
        rule('one', { query: 'help' }, { redirect: '/help' }),
        rule('two', { query: 'help' }, { redirect: 'https://a.example/b' }),
      ],
    },
    (index) => [search(index, { q: 'help' }, '', { redirect: '/help', rules: ['one', 'two'] })],
  ),
  following(
    'what a search pins comes before what rules pin, and what anything hides is hidden',
    {
      rules: [
        rule(
          'one',
          { query: 'shoe' },
          {
            pinned: [
              { _id: 'f', position: 1 },
              { _id: 'd', position: 2 },
            ],
          },
        ),
        rule(
          'two',
          { query: 'shoe' },
          {
            pinned: [
              { _id: 'd', position: 1 },
              { _id: 'c', position: 1 },
            ],
            hidden: ['a'],
          },
        ),
      ],
    },
    (index) => [
      search(index, { q: 'shoe' }, 'fcde'),
      search(index, { q: 'shoe', pinned: [{ _id: 'd', position: 1 }], hidden: ['e'] }, 'dfc'),
    ],
  ),
  following(
    'rules hold with vectors, in one search of several, and for all pages of a cursor',
    { rules: [rule('v', { query: 'shoe' }, { ...pin('f', 'e'), hidden: ['a'] })] },
    (index) => [
      search(index, { searchMethod: 'TENSOR', q: { customVector: { vector: [1, 0], content: 'shoe' } } }, 'febcd', {
        rules: ['v'],
      }),
      {
        request: 'POST /multi-search',
        body: { queries: [{ indexName: index, q: 'shoe', searchMethod: 'LEXICAL' }] },
        status: 200,
        answer: expect.objectContaining({
          results: [
            expect.objectContaining({
              response: expect.objectContaining({
                rules: ['v'],
                hits: ['f', 'e'].map((_id) => expect.objectContaining({ _id })),
              }),
            }),
          ],
        }),
      },
      search(
        index,
        {
          searchMethod: 'TENSOR',
          q: { customVector: { vector: [1, 0], content: 'shoe' } },
          withCursor: true,
          limit: 3,
        },
        'feb',
        {
          rules: ['v'],
        },
      ),
      { ...search(index, {}, 'cd'), body: (cursor: string) => ({ cursor }) },
    ],
  ),
];

const synonyms: Case[] = [
  following(
    'a query is asked with the words that mean the same, in both ways or in one',
    {
      synonyms: [
        { terms: ['shoe', 'trainers'] },
        { from: 'cap', terms: ['hat'] },
        { terms: ['running shoes', 'footwear'] },
      ],
    },
    (index) => [
      search(index, { q: 'Trainers' }, 'dae'),
      search(index, { q: 'cap' }, 'f'),
      ...plain(index, { q: 'hat' }, 'f'),
      search(index, { q: 'footwear', rules: false }, ''),
      search(index, { q: 'my footwear' }, 'ea'),
      search(index, { q: '"cap"' }, ''),
      search(index, { q: '*' }, 'abcdef'),
      search(
        index,
        {
          q: { customVector: { vector: [1, 0], content: 'cap' } },
          searchMethod: 'HYBRID',
          hybridParameters: { retrievalMethod: 'lexical', rankingMethod: 'lexical' },
        },
        'f',
      ),
      search(
        index,
        {
          q: { customVector: { vector: [1, 0], content: 'cap' } },
          searchMethod: 'HYBRID',
          hybridParameters: { retrievalMethod: 'lexical', rankingMethod: 'lexical', lexicalOperand: 'and' },
        },
        '',
      ),
    ],
    'search 18',
  ),
  following(
    'terms of several words are looked for as phrases where it is said',
    {
      synonyms: [
        { terms: ['footwear', 'running shoes'], phrases: true },
        { from: 'boots', terms: ['green  boot', 'hat'], phrases: true },
        { from: 'caps', terms: ['running hat'], phrases: null },
      ],
    },
    (index) => [
      search(index, { q: 'my footwear' }, 'e'),
      search(index, { q: 'boots' }, 'fcb'),
      search(index, { q: 'caps' }, 'fe'),
    ],
    'search 18',
  ),
  following(
    'the word that is still typed is the last one of the query',
    { synonyms: [{ terms: ['trainers', 'zz'] }] },
    (index) => [
      { ...search(index, { q: 'zz ha', prefix: 'last' }, 'df'), onCluster: { status: 400 } },
      { ...search(index, { q: 'zz ha', prefix: 'all' }, 'df'), onCluster: { status: 400 } },
      { ...search(index, { q: 'zz ha', prefix: { title: 'last' } }, 'df'), onCluster: { status: 400 } },
    ],
    'search 18',
  ),
  following(
    'synonyms of another query are those that are searched for',
    {
      rules: [rule('r', { query: 'kicks' }, { query: 'trainers' })],
      synonyms: [{ terms: ['trainers', 'hat'] }, { terms: ['kicks', 'boot'] }],
    },
    (index) => [search(index, { q: 'kicks' }, 'df')],
    'search 18',
  ),
];

const none = { version: 0, updatedAt: null, rules: [], synonyms: [] };
const versions: Case[] = [
  {
    section: 'search 17',
    about: 'an index has no rules of its own accord',
    exchanges: [{ request: 'GET /indexes/a/curation', status: 200, answer: none, answerHeaders: { etag: '"0"' } }],
  },
  {
    section: 'search 17',
    about: 'an index that is not there',
    exchanges: [
      { request: 'GET /indexes/nobody/curation', ...noIndex('nobody') },
      put('nobody', {}, noIndex('nobody')),
      { request: 'GET /indexes/nobody/curation/versions', ...noIndex('nobody') },
      rollBack('nobody', 0, noIndex('nobody')),
    ],
  },
  following('each change is one version more, and replaces all', { rules: [rule('r', {}, pin('a'))] }, (index) => {
    const is = (version: number, rest: object): Expected => ({
      status: 200,
      answer: { ...none, version, updatedAt: expect.stringMatching(/^\d{4}-.*Z$/), ...rest },
      answerHeaders: { etag: `"${version}"` },
    });
    const old = error(412, 'version_conflict', holding('are of version 1, not 0'));
    return [
      put(index, { synonyms: [] }, old, { 'if-match': '"0"' }),
      put(index, { rules: [rule('r', {}, pin('a'))] }, is(1, { rules: [rule('r', {}, pin('a'))] })),
      put(index, { synonyms: [{ terms: ['a', 'b'] }] }, is(2, { synonyms: [{ terms: ['a', 'b'] }] }), {
        'if-match': '1',
      }),
      { request: `GET /indexes/${index}/curation`, ...is(2, { synonyms: [{ terms: ['a', 'b'] }] }) },
      put(index, {}, is(3, {}), { 'if-match': '*' }),
      put(index, {}, badRequestOf('If-Match must be the number of a version'), { 'if-match': 'x' }),
      ...plain(index, { q: 'hat' }, 'f'),
    ];
  }),
  following(
    'an earlier version comes back as a new one',
    { rules: [rule('r', { query: 'hat' }, pin('a'))] },
    (index) => {
      const first = { rules: [rule('r', { query: 'hat' }, pin('a'))], synonyms: [] };
      const is = (version: number, rest: object): Expected => ({
        status: 200,
        answer: expect.objectContaining({ version, ...rest }),
        answerHeaders: { etag: `"${version}"` },
      });
      const listed = (...versions: object[]): Exchange => ({
        request: `GET /indexes/${index}/curation/versions`,
        status: 200,
        answer: { versions: versions.map((version) => expect.objectContaining(version)) },
      });
      const conflict = error(412, 'version_conflict', holding('are of version 2, not 1'));
      return [
        search(index, { q: 'hat' }, 'af'),
        put(index, { synonyms: [{ terms: ['hat', 'cap'] }] }, is(2, {})),
        ...plain(index, { q: 'hat' }, 'f'),
        listed({ version: 2, rules: [] }, { version: 1, ...first }, { version: 0, updatedAt: null, rules: [] }),
        rollBack(index, 1, conflict, { 'if-match': '"1"' }),
        rollBack(index, 1, is(3, first), { 'if-match': '"2"' }),
        search(index, { q: 'hat' }, 'af'),
        // The rules that are there stay, whichever of their versions is named.
        rollBack(index, 3, is(3, first)),
        rollBack(index, 1, is(3, first)),
        rollBack(index, 0, is(4, { rules: [], synonyms: [] })),
        listed({ version: 4 }, { version: 3, ...first }, { version: 2 }, { version: 1 }, { version: 0 }),
        rollBack(index, 5, badRequestOf('version must be one that is kept (4, 3, 2, 1, 0), but it is 5')),
        rollBack(index, 1, badRequestOf('If-Match must be the number of a version'), { 'if-match': 'x' }),
      ];
    },
  ),
  following('the last 20 versions are kept', { synonyms: [{ terms: ['a', 'v1'] }] }, (index) => {
    const changes = Array.from({ length: 24 }, (_, at) => at + 2);
    const change = (version: number) =>
      put(index, { synonyms: [{ terms: ['a', `v${version}`] }] }, { status: 200, answer: expect.anything() });
    const kept = Array.from({ length: 20 }, (_, at) => 25 - at);
    return [
      ...changes.map(change),
      {
        request: `GET /indexes/${index}/curation/versions`,
        status: 200,
        answer: { versions: kept.map((version) => expect.objectContaining({ version })) },
      },
      rollBack(index, 5, badRequestOf(`version must be one that is kept (${kept.join(', ')}), but it is 5`)),
      rollBack(index, 6, {
        status: 200,
        answer: expect.objectContaining({ version: 26, synonyms: [{ terms: ['a', 'v6'] }] }),
      }),
      rollBack(index, 6, badRequestOf('but it is 6')),
    ];
  }),
  following('of large versions fewer are kept', {}, (index) => {
    // Each is nearly as large as a body may be: beside the current one there is room for two.
    const large = (name: string) => ({
      synonyms: Array.from({ length: 900 }, (_, at) => ({ terms: [`${name}${at}`, 'x'.repeat(250)] })),
    });
    const numbers = (...versions: number[]): Exchange => ({
      request: `GET /indexes/${index}/curation/versions`,
      status: 200,
      answer: { versions: versions.map((version) => expect.objectContaining({ version })) },
    });
    const any = { status: 200, answer: expect.anything() };
    return [
      put(index, large('a'), any),
      put(index, large('b'), any),
      numbers(2, 1, 0),
      put(index, large('c'), any),
      numbers(3, 2, 1, 0),
      put(index, large('d'), any),
      numbers(4, 3, 2),
      put(index, {}, any),
      numbers(5, 4, 3),
    ];
  }),
];

function badRequestOf(text: string): Expected {
  return error(400, 'invalid_argument', holding(text));
}

const problem = (msg: unknown, ...path: (string | number)[]) =>
  unprocessable(problems.rule(inBody('rules', 0, ...path), msg));
const refusals: Case[] = [
  refused(
    'two rules with one id',
    { rules: [...whole('x', {}).rules, ...whole('x', {}).rules] },
    unprocessable(problems.rule(inBody('rules', 1, 'id'), 'Each rule has an id of its own')),
  ),
  refused(
    'a rule without consequence',
    whole('x', { consequence: {} }),
    problem('A rule has at least one consequence', 'consequence'),
  ),
  refused(
    'a rule that pins and hides nothing',
    whole('x', { consequence: { pinned: [], hidden: [] } }),
    problem('A rule has at least one consequence', 'consequence'),
  ),
  refused('a rule with an empty name', whole(' ', {}), problem('expected a text of 1 to 128 characters', 'id')),
  refused(
    'an empty query',
    whole('x', { condition: { query: ' ' } }),
    problem('expected a text of 1 to 1024 characters', 'condition', 'query'),
  ),
  refused(
    'a match of no query',
    whole('x', { condition: { match: 'contains' } }),
    problem('match is for a condition with a query', 'condition', 'match'),
  ),
  refused(
    'times that are none, or in the wrong order',
    whole('x', { condition: { from: 'soon' } }),
    problem('expected a moment such as 2027-01-31T12:00:00Z', 'condition', 'from'),
  ),
  refused(
    'an end before the beginning',
    whole('x', { condition: { from: '2027-01-01T00:00:00Z', until: '2027-01-01T00:00:00+01:00' } }),
    problem('until must be later than from', 'condition', 'until'),
  ),
  ...[
    'javascript:alert(1)',
    '//other.example',
    '/\\other.example',
    'http:///other',
    'help',
    `/${'a'.repeat(2048)}`,
  ].map((redirect) =>
    refused(
      `a redirect to ${redirect.slice(0, 20)}`,
      whole('x', { consequence: { redirect } }),
      problem(holding('expected an http or https URL'), 'consequence', 'redirect'),
    ),
  ),
  refused(
    'a document pinned twice',
    whole('x', { consequence: { pinned: [...pin('a').pinned, ...pin('a').pinned] } }),
    problem('Each document can be pinned only once', 'consequence', 'pinned', 1, '_id'),
  ),
  refused('an unknown member', whole('x', { also: {} }), unprocessable(problems.extra(inBody('rules', 0, 'also')))),
  refused(
    'an empty synonym',
    { synonyms: [{ terms: ['a', ' '] }] },
    unprocessable(problems.rule(inBody('synonyms', 0, 'terms', 1), 'expected a text of 1 to 256 characters')),
  ),
  refused(
    'a filter that is none',
    whole('x', { consequence: { filter: 'n:' } }),
    badRequestOf('rules[0].consequence.filter: '),
  ),
  refused(
    'a filter of words',
    whole('x', { consequence: { filter: 'title CONTAINS red' } }),
    badRequestOf('rules[0].consequence.filter: '),
  ),
  refused(
    'more rules than there may be',
    { rules: Array.from({ length: 1001 }, (_, at) => whole(`r${at}`, {}).rules[0]) },
    {
      status: 422,
      answer: expect.objectContaining({ detail: [expect.objectContaining({ loc: inBody('rules') })] }),
    },
  ),
];

const weighed = { fieldWeights: { title: 2 }, hybridParameters: { alpha: 0.25 } };
const defaulted = (about: string, exchanges: (index: string) => readonly Exchange[]) =>
  following(about, { searchDefaults: weighed }, exchanges, 'search 19');
const mayNot = (about: string, searchDefaults: unknown, expected: Expected): Case => ({
  section: 'search 19',
  about,
  exchanges: [put('a', { searchDefaults }, expected)],
});
const atDefaults = (...path: (string | number)[]) => inBody('searchDefaults', ...path);

const defaults: Case[] = [
  defaulted('a search that leaves a member out has that of the index, and explain tells it', (index) => [
    search(index, { q: 'hat', explain: true }, 'f', { searchDefaults: ['fieldWeights'] }),
    search(index, { q: 'hat', explain: true, fieldWeights: { title: 1 } }, 'f'),
    {
      ...search(index, { q: 'hat', explain: true, rules: false }, 'f'),
      answer: expect.not.objectContaining({ searchDefaults: expect.anything() }),
    },
    {
      ...search(index, { q: 'hat' }, 'f'),
      answer: expect.not.objectContaining({ searchDefaults: expect.anything() }),
    },
    search(
      index,
      { searchMethod: 'HYBRID', q: { customVector: { vector: [1, 1], content: 'hat' } }, explain: true, limit: 1 },
      'f',
      { searchDefaults: ['fieldWeights', 'hybridParameters.alpha'] },
    ),
    {
      ...search(index, { searchMethod: 'TENSOR', q: { customVector: { vector: [1, 1] } }, explain: true }, 'fedcba'),
      answer: expect.not.objectContaining({ searchDefaults: expect.anything() }),
    },
  ]),
  defaulted('versions have the defaults, and all of a change replaces all', (index) => {
    const is = (version: number, rest: object): Expected => ({
      status: 200,
      answer: { ...none, version, updatedAt: expect.any(String), ...rest },
    });
    return [
      { request: `GET /indexes/${index}/curation`, ...is(1, { searchDefaults: weighed }) },
      put(index, { searchDefaults: { ...weighed, prefix: null } }, is(1, { searchDefaults: weighed })),
      put(index, { rules: [] }, is(2, {})),
      put(index, { searchDefaults: null }, is(2, {})),
      put(index, { searchDefaults: { hybridParameters: {} } }, is(2, {})),
      rollBack(index, 1, is(3, { searchDefaults: weighed })),
      search(index, { q: 'hat', explain: true }, 'f', { searchDefaults: ['fieldWeights'] }),
      rollBack(index, 0, is(4, {})),
    ];
  }),
  mayNot('defaults of a member that none has', { limit: 3 }, unprocessable(problems.extra(atDefaults('limit')))),
  mayNot(
    'defaults of how legs are found',
    { hybridParameters: { retrievalMethod: 'tensor' } },
    unprocessable(problems.extra(atDefaults('hybridParameters', 'retrievalMethod'))),
  ),
  mayNot(
    'a default out of its bounds',
    { hybridParameters: { alpha: 2 } },
    unprocessable(problems.rule(atDefaults('hybridParameters', 'alpha'), 'alpha can only be between 0 and 1')),
  ),
  mayNot(
    'a weight out of its bounds',
    { fieldWeights: { title: 0 } },
    {
      status: 422,
      answer: expect.objectContaining({
        detail: [expect.objectContaining({ loc: atDefaults('fieldWeights', 'title') })],
      }),
    },
  ),
  mayNot(
    'defaults that do not go together',
    { typoTolerance: { oneTypoFrom: 5, twoTyposFrom: 4 } },
    unprocessable(
      problems.rule(
        atDefaults('typoTolerance', 'twoTyposFrom'),
        'ensure this value is not below oneTypoFrom, which is 5',
      ),
    ),
  ),
  mayNot(
    'a name that no field can have',
    { fieldWeights: { _score: 2 } },
    error(400, 'invalid_field_name', holding("searchDefaults: field name can't be a protected field")),
  ),
  mayNot(
    'a field without words',
    { fieldWeights: { n: 2 } },
    error(400, 'invalid_field_name', holding('searchDefaults: Index a has no lexically searchable field n')),
  ),
  ...[
    { fieldWeights: { title: 2, zzz: 1 } },
    { fieldWeights: { n: 1 } },
    { fieldWeights: { '*': 1 } },
    { typoTolerance: { fields: { zzz: true } } },
    { prefix: { zzz: 'none' } },
    { textRanking: { fields: ['zzz'] } },
  ].flatMap((searchDefaults) =>
    ['a', 'declared'].map((index) => ({
      section: 'search 19',
      about: `a field without words in index ${index}, whatever is said of it, ${JSON.stringify(searchDefaults)}`,
      exchanges: [
        put(
          index,
          { searchDefaults },
          error(
            400,
            'invalid_field_name',
            holding(`searchDefaults: Index ${index} has no lexically searchable field `),
          ),
        ),
      ],
    })),
  ),
  {
    section: 'search 19',
    about: 'words that match others are no defaults on a cluster',
    exchanges: [
      create('_typed', own(2)),
      {
        ...put('_typed', { searchDefaults: { prefix: 'last' } }, { status: 200 }),
        onCluster: error(
          400,
          'invalid_argument',
          "searchDefaults: An index on a cluster does not tell the words that others complete, correct or spell otherwise ('prefix') yet",
        ),
      },
    ],
  },
];

/** Rules, synonyms and search defaults of indexes. */
export const curation: Part = {
  title: 'rules, synonyms and search defaults of indexes',
  preparation: [
    create('a', own(2)),
    create(
      'declared',
      own(2, {
        type: 'structured',
        allFields: [field('title', 'text', 'lexical_search'), field('n', 'int', 'filter')],
        tensorFields: [],
      }),
    ),
    add('a', documents, { tensorFields: ['v'], mappings: { v: { type: 'custom_vector' } } }),
  ],
  cases: [...versions, ...rules, ...synonyms, ...defaults, ...refusals],
};
