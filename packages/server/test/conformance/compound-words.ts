import { expect } from 'vitest';
import type { Case, Exchange, Part } from './case.js';
import { add } from './documents.js';
import { inBody } from './errors.js';
import { create, own } from './indexes.js';
import { U } from './kinds.js';

/** An index of German titles. */
const german = 'german';

const documents = [
  { _id: 'a', title: 'Herrenschuhe' },
  { _id: 'b', title: 'Schuh' },
  { _id: 'c', title: 'Schuhschrank' },
  { _id: 'd', title: 'Kinderschuh' },
  { _id: 'e', title: 'Haustür' },
];

/** A cluster shares out no score among words. */
const onCluster = {
  status: 400,
  answer: expect.objectContaining({ code: 'invalid_argument', message: expect.stringContaining('decompound') }),
};
const finds = (index: string, body: object, found: string[], rest: object = {}): Exchange => ({
  request: `POST /indexes/${index}/search`,
  body: { searchMethod: 'LEXICAL', ...body },
  status: 200,
  answer: expect.objectContaining({ hits: found.map((_id) => expect.objectContaining({ _id })), ...rest }),
});
const ended = (q: string, found: string[], rest: object = {}): Exchange => ({
  ...finds(german, { q, decompound: true, ...rest }, found),
  onCluster,
});
const compounds = (about: string, exchanges: Exchange[]): Case => ({ section: 'search 4.10', about, exchanges });

const cases: Case[] = [
  compounds(
    'words are whole unless it is said',
    [undefined, null, false].map((decompound) => finds(german, { q: 'Schuhe', decompound }, ['b'])),
  ),
  compounds('a word finds what it ends, the word itself first', [
    ended('Schuhe', ['b', 'a', 'd']),
    ended('schuh', ['b', 'a', 'd']),
    ended('Schrank', ['c']),
  ]),
  compounds('short ends, parts of a phrase, and beginnings find nothing more', [
    ended('Tür', []),
    ended('"Schuhe"', ['b']),
    ended('Herren', []),
  ]),
  compounds('texts in other languages have none, unless the query is in one that has', [
    { ...finds(U, { q: 'Schuh', decompound: true }, ['b']), onCluster },
    { ...finds(U, { q: 'Schuh', decompound: true, language: 'de' }, ['b', 'a', 'd']), onCluster },
  ]),
  compounds('an explanation names the compound', [
    {
      ...finds(german, { q: 'Schrank', decompound: true, explain: true, lexicalHighlights: true }, ['c'], {
        hits: [
          expect.objectContaining({
            _lexicalHighlights: { title: ['<em>Schuhschrank</em>'] },
            _explanation: expect.objectContaining({
              details: [
                expect.objectContaining({
                  operation: 'idfShare',
                  term: 'schuhschrank',
                  details: expect.arrayContaining([
                    expect.objectContaining({
                      description: expect.stringContaining('"schuhschrank", which ends with it'),
                    }),
                  ]),
                }),
              ],
            }),
          }),
        ],
      }),
      onCluster,
    },
  ]),
  ...[2, 'maybe', {}].map((decompound) =>
    compounds(`no decompound ${JSON.stringify(decompound)}`, [
      {
        request: `POST /indexes/${german}/search`,
        body: { q: 'x', searchMethod: 'LEXICAL', decompound },
        status: 422,
        answer: expect.objectContaining({
          detail: expect.arrayContaining([expect.objectContaining({ loc: inBody('decompound') })]),
        }),
      },
    ]),
  ),
  compounds('not with TENSOR', [
    {
      request: `POST /indexes/${german}/search`,
      body: { q: { customVector: { vector: [1, 0] } }, decompound: true },
      status: 422,
      answer: expect.objectContaining({
        detail: expect.arrayContaining([expect.objectContaining({ msg: expect.stringContaining('decompound') })]),
      }),
    },
  ]),
];

const preparation = [
  create(german, own(2)),
  create(U, own(2)),
  add(german, documents, { tensorFields: [], mappings: { title: { type: 'text_field', language: 'de' } } }),
  add(U, documents, { tensorFields: [] }),
];

export const compoundWords: Part = { title: 'Compounds', preparation, cases };
