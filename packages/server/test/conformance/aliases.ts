import type { Case, Exchange, Expected, Part } from './case.js';
import { badRequest, error, invalidArgument, noIndex } from './errors.js';
import { create, own } from './indexes.js';

/** The answer of a server whose indexes are on a cluster to every call on aliases. */
const none = badRequest('Indexes on an OpenSearch cluster have no aliases here: call them by their names');

const call = (request: string, expected: Expected, body?: unknown): Exchange => ({
  ...{ request, ...expected, onCluster: none },
  ...(body !== undefined && { body }),
});
const acknowledged = { status: 200, answer: { acknowledged: true } };
const set = (aliasName: string, indexName: string) =>
  call(`PUT /aliases/${aliasName}`, { status: 200, answer: { aliasName, indexName } }, { indexName });
const remove = (aliasName: string) => call(`DELETE /aliases/${aliasName}`, acknowledged);
/** An exchange with an index by a name that is no index's on a cluster. */
const behind = (request: string, expected: Expected, body?: unknown): Exchange => {
  const [, name = ''] = /indexes\/(\w+)/.exec(request) ?? [];
  return { ...call(request, expected, body), onCluster: noIndex(name) };
};
const ofA = { status: 200, answer: { _id: '1', of: 'a' } };
const ofB = { status: 200, answer: { _id: '1', of: 'b' } };

const cases: Case[] = [
  {
    section: '5.9',
    about: 'an alias is pointed from one index at another, and deleted',
    exchanges: [
      set('shop', 'a'),
      behind('GET /indexes/shop/documents/1', ofA),
      set('shop', 'b'),
      behind('GET /indexes/shop/documents/1', ofB),
      call('GET /aliases/shop', { status: 200, answer: { aliasName: 'shop', indexName: 'b' } }),
      call('GET /aliases', { status: 200, answer: { results: [{ aliasName: 'shop', indexName: 'b' }] } }),
      remove('shop'),
      { request: 'GET /indexes/shop/documents/1', ...noIndex('shop') },
      call('GET /aliases/shop', error(404, 'alias_not_found', 'Alias shop not found')),
    ],
  },
  {
    section: '5.9',
    about: 'several changes are made together or not at all',
    exchanges: [
      call('POST /aliases', acknowledged, {
        changes: [
          { aliasName: 'x', indexName: 'a' },
          { aliasName: 'y', indexName: 'b' },
        ],
      }),
      call('POST /aliases', error(404, 'alias_not_found', 'Alias z not found'), {
        changes: [
          { aliasName: 'x', indexName: 'b' },
          { aliasName: 'z', indexName: null },
        ],
      }),
      behind('GET /indexes/x/documents/1', ofA),
      remove('x'),
      remove('y'),
    ],
  },
  {
    section: '5.9',
    about: 'a name stands for an index or an alias, and an index with an alias stays',
    exchanges: [
      call('PUT /aliases/a', error(409, 'index_already_exists', 'There is an index a, whose name no alias can have'), {
        indexName: 'b',
      }),
      set('shop', 'a'),
      call('PUT /aliases/other', invalidArgument('shop is an alias, and an alias stands for an index: name that one'), {
        indexName: 'shop',
      }),
      call('PUT /aliases/other', noIndex('nowhere'), { indexName: 'nowhere' }),
      behind(
        'DELETE /indexes/shop',
        badRequest('shop is an alias, which DELETE /aliases/shop deletes: an index is deleted by its own name'),
      ),
      remove('shop'),
    ],
  },
];

/** Other names of indexes. */
export const aliases: Part = {
  title: 'aliases',
  preparation: ['a', 'b'].flatMap((name) => [
    create(name, own(2)),
    {
      ...{ request: `POST /indexes/${name}/documents`, status: 200 },
      body: { documents: [{ _id: '1', of: name }], tensorFields: [] },
    },
  ]),
  cases,
};
