import { expect } from 'vitest';
import type { Case, Exchange, Part } from './case.js';
import { error, inBody, unprocessable } from './errors.js';
import { U } from './kinds.js';
import { add_, day, hybrid, legs, near, now, preparation, ranks, times, words } from './ranked.js';

const section = 'search 13';
const number = expect.any(Number);

interface Node {
  readonly value: unknown;
  readonly operation: string;
  readonly details: unknown[];
  readonly [member: string]: unknown;
}

const node = (operation: string, value: unknown, ...details: unknown[]): Node => ({
  value: typeof value === 'number' ? expect.closeTo(value, 6) : value,
  operation,
  description: expect.any(String),
  details,
});
const of = (value: Node, members: object): Node => ({ ...value, ...members });
const leaf = (value: unknown) => node('value', value);
const closeness = (value: number, distance: number) =>
  of(node('closeness', value, node('distance', distance)), { field: 'v' });
const modifier = (field: string, weight: number, value: number) =>
  of(node('product', weight * value, leaf(weight), leaf(value)), { field });

/** Three of four documents have the word, in the same field. */
const bm25 = (frequency: number, length: number, average: number) => {
  const idf = Math.log(1 + (4 - 3 + 0.5) / (3 + 0.5));
  const value = (idf * 2.2 * frequency) / (frequency + 1.2 * (0.25 + (0.75 * length) / average));
  const inverse = node('inverseDocumentFrequency', idf, leaf(4), leaf(3));
  const term = of(node('bm25', value, leaf(1), inverse, leaf(frequency), leaf(length), leaf(average)), {
    term: 'dog',
    field: 'title',
  });
  return node('sum', value, term);
};
/** Titles of 1, 3, 1 and 2 words. */
const average = 7 / 4;

type Hit = readonly [id: string, explanation: unknown];
const explains = (body: object, hits: readonly Hit[]): Exchange =>
  ranks(
    U,
    { ...body, explain: true },
    hits.map(([id, _explanation]) => [id, undefined, { _explanation }]),
  );
const one = (about: string, ...exchanges: Exchange[]): Case => ({ section, about, exchanges });
const modified = (scoreModifiers: object) => ({ scoreModifiers, limit: 1 });

const cases: Case[] = [
  one(
    'a distance and its closeness',
    explains(near({ limit: 2 }), [
      ['a', closeness(1, 0)],
      ['b', closeness(1 / 1.4, 0.4)],
    ]),
  ),
  one(
    'each word in each field, by BM25',
    explains({ q: 'dogs', searchMethod: 'LEXICAL', limit: 2 }, [
      ['b', bm25(3, 3, average)],
      ['a', bm25(1, 1, average)],
    ]),
  ),
  one('no word was asked for', explains(words({ limit: 1 }), [['a', node('sum', 0)]])),
  one(
    'fields that multiply and add',
    explains(near(modified({ ...times('n', 2), ...add_('n', 0.5) })), [
      [
        'a',
        node(
          'sum',
          7.5,
          node('product', 6, closeness(1, 0), node('product', 6, modifier('n', 2, 3))),
          node('sum', 1.5, modifier('n', 0.5, 3)),
        ),
      ],
    ]),
  ),
  one(
    'a score that would be below 0',
    explains(near({ ...modified(times('n', -1)), filter: 'n:3' }), [
      ['a', node('bound', 0, node('product', -3, closeness(1, 0), node('product', -3, modifier('n', -1, 3))))],
    ]),
  ),
  one(
    'the ranks of both legs, each with the score that ranked it',
    explains(hybrid({ limit: 1 }), [
      [
        'a',
        node(
          'sum',
          0.5 / 61 + 0.5 / 62,
          node('reciprocalRank', 0.5 / 61, leaf(0.5), leaf(60), node('value', 1, closeness(1, 0))),
          node('reciprocalRank', 0.5 / 62, leaf(0.5), leaf(60), node('value', 2, bm25(1, 1, average))),
        ),
      ],
    ]),
  ),
  one(
    'one leg alone',
    explains(hybrid({ limit: 1 }, { alpha: 1 }), [
      ['a', node('sum', 1 / 61, node('reciprocalRank', 1 / 61, leaf(1), leaf(60), node('value', 1, closeness(1, 0))))],
    ]),
  ),
  one(
    'modifiers of the fused score',
    explains(hybrid({ ...modified(add_('n', 1)), filter: 'n:3' }), [
      [
        'a',
        node(
          'sum',
          3 + 1 / 61,
          node('sum', 1 / 61, expect.anything(), expect.anything()),
          node('sum', 3, modifier('n', 1, 3)),
        ),
      ],
    ]),
  ),
  one(
    'words found, closeness ranks',
    explains(hybrid({ limit: 2 }, legs('lexical', 'tensor')), [
      ['a', closeness(1, 0)],
      ['b', closeness(1 / 1.4, 0.4)],
    ]),
  ),
  one(
    'vectors found, words rank',
    explains(hybrid({ limit: 1 }, legs('tensor', 'lexical')), [['a', bm25(1, 1, average)]]),
  ),
  one(
    'the time of a document and the center',
    explains(
      hybrid(
        {
          limit: 1,
          filter: 'n:-2',
          recencyParameters: {
            recencyField: 't',
            decayFunction: 'linear',
            decayTo: 0.5,
            center: now,
            applyInRankingPhase: 'only-global',
          },
        },
        legs('tensor', 'tensor'),
      ),
      [
        [
          'b',
          node(
            'product',
            0.75 / 1.4,
            closeness(1 / 1.4, 0.4),
            of(node('recency', 0.75, leaf(now - 3.5 * day), leaf(now)), { field: 't' }),
          ),
        ],
      ],
    ),
  ),
  one(
    'the place of a sorted hit, and what sorted it',
    explains(hybrid({ limit: 1, sortBy: { fields: [{ fieldName: 'n', order: 'desc' }] } }), [
      [
        'd',
        node(
          'reciprocalRank',
          1,
          leaf(1),
          leaf(0),
          node('value', 1, of(leaf(5), { field: 'n' }), node('sum', number, expect.anything())),
        ),
      ],
    ]),
  ),
  one('a recommendation', {
    request: `POST /indexes/${U}/recommend`,
    body: { documents: ['a'], explain: true, limit: 1 },
    status: 200,
    answer: expect.objectContaining({
      hits: [expect.objectContaining({ _id: 'b', _explanation: closeness(1 / 1.4, 0.4) })],
    }),
  }),
  ...[false, null].map((explain) =>
    one(`explain ${explain} tells nothing`, {
      request: `POST /indexes/${U}/search`,
      body: near({ explain, limit: 1 }),
      status: 200,
      answer: expect.objectContaining({
        hits: [expect.not.objectContaining({ _explanation: expect.anything() })],
      }),
    }),
  ),
  one(
    'attributesToRetrieve does not leave it out',
    explains(near({ limit: 1, attributesToRetrieve: [] }), [['a', closeness(1, 0)]]),
  ),
  one('it is true or false', {
    request: `POST /indexes/${U}/search`,
    body: near({ explain: 'much' }),
    ...unprocessable(expect.objectContaining({ loc: inBody('explain') }) as never),
  }),
  one('a missing index', {
    request: 'POST /indexes/nowhere/search',
    body: near({ explain: true }),
    ...error(404, 'index_not_found', expect.any(String)),
  }),
];

export const explanations: Part = { title: 'Explanations of scores', preparation, cases };
