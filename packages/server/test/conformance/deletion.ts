import { expect } from 'vitest';
import type { Case, Exchange, Part } from './case.js';
import { add, finds, isMissing, reads } from './documents.js';
import { error, invalidArgument, noIndex, problems, unprocessable } from './errors.js';
import { counts, create, field, small, structured } from './indexes.js';
import { inBothKinds, S, U } from './kinds.js';

const red = { _id: 'red', t: 'red shoe', n: 1 };
const blue = { _id: 'blue', t: 'blue hat', n: 2 };
const erase = (index: string, ids: unknown) => ({
  request: `POST /indexes/${index}/documents/delete-batch`,
  body: ids,
});
const erased = (index: string, received: number, ...items: readonly (readonly [id: string, wasThere: boolean])[]) => ({
  status: 200,
  answer: {
    index_name: index,
    status: 'succeeded',
    type: 'documentDeletion',
    items: items.map(([_id, wasThere]) =>
      wasThere ? { _id, status: 200, result: 'deleted' } : { _id, status: 404, result: 'not_found' },
    ),
    details: { receivedDocumentIds: received, deletedDocuments: items.filter(([, wasThere]) => wasThere).length },
    duration: expect.stringMatching(/^PT\d+\.\d+S$/),
    startedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/),
    finishedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/),
  },
  answerHeaders: { 'x-count-success': undefined, 'x-count-failure': undefined, 'x-count-error': undefined },
});

const deleting: Case[] = [
  ...inBothKinds('8.3', 'documents that are there', (index) => [
    add(index, [{ _id: 'gone1' }, { _id: 'gone2' }]),
    { ...erase(index, ['gone1', 'gone2']), ...erased(index, 2, ['gone1', true], ['gone2', true]) },
    isMissing(index, 'gone1'),
    isMissing(index, 'gone2'),
  ]),
  ...inBothKinds('12.10', 'one that is there and one that is not, each told as it is', (index) => [
    add(index, [{ _id: 'gone' }]),
    { ...erase(index, ['gone', 'zz']), ...erased(index, 2, ['gone', true], ['zz', false]) },
  ]),
  ...inBothKinds('8.4', 'a deleted document is found no more', (index) => [
    add(index, [{ _id: 'brief', t: 'chameleon', n: 77 }]),
    finds(index, { q: 'chameleon' }, 'brief'),
    { ...erase(index, ['brief']), ...erased(index, 1, ['brief', true]) },
    finds(index, { q: 'chameleon' }),
    finds(index, { filter: 'n:77' }),
    { ...erase(index, ['brief']), ...erased(index, 1, ['brief', false]) },
  ]),
  ...inBothKinds('8.3', 'no ids', (index) => [
    { ...erase(index, []), ...error(400, 'invalid_document_id', "doc_ids can't be empty!") },
  ]),
  ...inBothKinds('8.3', 'an empty id among others deletes none', (index) => [
    { ...erase(index, ['red', '']), ...error(400, 'invalid_document_id', "Document ID can't be empty") },
    reads(index, red),
  ]),
  {
    section: '8.3',
    about: 'more ids than one request may have',
    exchanges: [
      {
        ...erase(
          U,
          Array.from({ length: 10_001 }, (_, i) => `${i}`),
        ),
        ...invalidArgument(
          'The number of documentIds to delete `10001` is greater than the limit `10000` set by the env var `MARQO_MAX_DELETE_DOCS_COUNT`. ',
        ),
      },
    ],
  },
  {
    section: '8.3',
    about: 'an object',
    exchanges: [{ ...erase(U, { documentIds: ['a'] }), ...unprocessable(problems.list(['body'])) }],
  },
  {
    section: '8.3',
    about: 'no body',
    exchanges: [{ ...erase(U, undefined), ...unprocessable(problems.missing(['body'])) }],
  },
  {
    section: '8.3',
    about: 'null among the ids',
    exchanges: [{ ...erase(U, [null]), ...unprocessable(problems.null(['body', 0])) }],
  },
  {
    section: '8.3',
    about: 'an object among the ids',
    exchanges: [{ ...erase(U, [{}]), ...unprocessable(problems.text(['body', 0])) }],
  },
  { section: '8.3', about: 'a number as an id', exchanges: [{ ...erase(U, [404]), ...erased(U, 1, ['404', false]) }] },
  { section: '8.3', about: 'an index that is not there', exchanges: [{ ...erase('nope', ['a']), ...noIndex('nope') }] },
  {
    section: '2',
    about: 'all documents of an index',
    exchanges: [
      create('emptied', small),
      add('emptied', [{ _id: 'a', t: 'x' }, { _id: 'b' }], { tensorFields: ['t'] }),
      { request: 'DELETE /indexes/emptied/documents/delete-all', status: 200, answer: { documentCount: 2 } },
      counts('emptied', 0, expect.any(Number)),
      isMissing('emptied', 'a'),
      { request: 'DELETE /indexes/emptied/documents/delete-all', status: 200, answer: { documentCount: 0 } },
      add('emptied', [{ _id: 'a' }]),
    ],
  },
];

const consistent: Case[] = inBothKinds('8.4', 'an added document is read and found at once', (index) => [
  add(index, [{ _id: 'prompt', t: 'axolotl', n: 99 }]),
  reads(index, { _id: 'prompt', t: 'axolotl', n: 99 }),
  finds(index, { q: 'axolotl' }, 'prompt'),
  finds(index, { filter: 'n:99' }, 'prompt'),
  {
    request: `POST /indexes/${index}/search`,
    body: { q: 'red shoe', limit: 1 },
    status: 200,
    answer: expect.objectContaining({
      hits: [expect.objectContaining({ _id: 'red', _highlights: [{ t: 'red shoe' }] })],
    }),
  },
]);

const prepared = (index: string, rest: object): Exchange[] => [
  add(index, [red, blue], rest),
  add(index, [{ _id: 'none', n: 3 }]),
];

/** Documents deleted, and when writes are seen. */
export const deletion: Part = {
  title: 'deleting documents',
  environment: { MARQO_ENABLE_BATCH_APIS: 'true' },
  preparation: [
    create(U, small),
    create(S, structured([field('t', 'text', 'lexical_search'), field('n', 'int', 'filter')], ['t'])),
    ...prepared(U, { tensorFields: ['t'] }),
    ...prepared(S, {}),
  ],
  cases: [...deleting, ...consistent],
};
