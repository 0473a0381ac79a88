import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openService, type Service } from '../operations/service.js';
import { type Body, oneOf, type Random, randomOf } from './random-bodies.js';

const seed = 20_261_124;
const kinds = ['unstructured', 'structured'] as const;
type Kind = (typeof kinds)[number];
const words = 'red blue dog cat hat coat shoe tree'.split(' ');
const day = 86_400;
const now = 20_000 * day;
const COUNT = 70;

const texts = (random: Random, most: number) =>
  Array.from({ length: 1 + Math.floor(random() * most) }, () => oneOf(random, words)).join(' ');
const vector = (random: Random) => Array.from({ length: 4 }, () => random() - 0.5);

/** Documents of which some lack what others have, with many equal numbers and texts among them. */
function documentsOf(random: Random, kind: Kind): Body[] {
  return Array.from({ length: COUNT }, (_, i) => ({
    ...{ _id: `${i}`, title: texts(random, 4), body: texts(random, 25) },
    ...(kind === 'unstructured' && { sku: `k${i % 30}` }),
    ...(random() < 0.7 && { n: Math.floor(random() * 7) - 2 }),
    ...(random() < 0.8 && { t: now - Math.floor(random() * 30) * day }),
    ...(random() < 0.8 && { v: { vector: vector(random), content: '' } }),
  }));
}

const modifiers = (random: Random) => ({
  [oneOf(random, ['add_to_score', 'multiply_score_by'])]: [{ field_name: 'n', weight: oneOf(random, [0.01, 1, -2]) }],
});
const maybe = (random: Random, member: () => Body): Body => (random() < 0.35 ? member() : {});

/** A search of any kind that the index takes. */
function searchOf(random: Random, kind: Kind): Body {
  const searchMethod = oneOf(random, ['TENSOR', 'LEXICAL', 'HYBRID', 'HYBRID', 'HYBRID']);
  const text = oneOf(random, ['red dog', '"cat" hat', 'tree', '*']);
  const common = {
    ...{ searchMethod, attributesToRetrieve: ['n', 't'], showHighlights: random() < 0.5 },
    ...maybe(random, () => ({ filter: oneOf(random, ['n:[0 TO 3]', 'NOT n:1', 't:[* TO 2024-12-31]']) })),
  };
  const q = searchMethod === 'LEXICAL' ? text : { customVector: { vector: vector(random), content: text } };
  const sortBy = { fields: [{ fieldName: 'n', order: oneOf(random, ['asc', 'desc']) }] };
  const isSorted = kind === 'unstructured' && random() < 0.25;
  if (searchMethod !== 'HYBRID') {
    return { q, ...common, ...(isSorted ? { sortBy } : maybe(random, () => ({ scoreModifiers: modifiers(random) }))) };
  }
  const [retrievalMethod, rankingMethod] = oneOf(random, [
    ...[['disjunction', 'rrf'] as const, ['disjunction', 'rrf'] as const, ['tensor', 'tensor'] as const],
    ...[['tensor', 'lexical'] as const, ['lexical', 'tensor'] as const, ['lexical', 'lexical'] as const],
  ]);
  const isFused = rankingMethod === 'rrf';
  const hybridParameters = {
    ...{ retrievalMethod, rankingMethod },
    ...(isFused && maybe(random, () => ({ alpha: random(), rrfK: Math.floor(random() * 100) }))),
    ...(rankingMethod !== 'lexical' && maybe(random, () => ({ scoreModifiersTensor: modifiers(random) }))),
    ...(rankingMethod !== 'tensor' && maybe(random, () => ({ scoreModifiersLexical: modifiers(random) }))),
  };
  const ordering =
    kind === 'structured'
      ? {}
      : {
          ...(isSorted && { sortBy }),
          ...maybe(random, () => ({
            recencyParameters: { recencyField: 't', center: now, applyInRankingPhase: 'exclude-global' },
          })),
          ...maybe(random, () => ({
            relevanceCutoff: oneOf(random, [
              { method: 'relative_max_score', parameters: { relativeScoreFactor: 0.3 } },
              { method: 'mean_std_dev', parameters: { stdDevFactor: 0 } },
            ]),
          })),
          ...maybe(random, () => ({ collapseFields: [{ name: 'sku' }] })),
        };
  const rescoring =
    isFused && !('sortBy' in ordering) ? maybe(random, () => ({ scoreModifiers: modifiers(random) })) : {};
  return { q, ...common, hybridParameters, ...ordering, ...rescoring };
}

interface Hit {
  readonly _id: string;
  readonly _score: number;
  readonly _explanation?: { readonly value: number };
}
interface Page {
  readonly hits: readonly Hit[];
  readonly cursor?: string | null;
}

describe.each(kinds)('searches at random of an index that is %s', (kind) => {
  const random = randomOf(seed);
  let service: Service;

  async function post(path: string, payload: Body): Promise<Page> {
    const response = await service.app.inject({ method: 'POST', url: `/indexes/a${path}`, payload });
    expect(response.statusCode, `seed ${seed}: ${JSON.stringify(payload)}: ${response.body}`).toBe(200);
    return response.json();
  }

  beforeAll(async () => {
    service = await openService();
    const own = { model: 'no_model', modelProperties: { type: 'no_model', dimensions: 4 } };
    const field = (name: string, type: string, ...features: string[]) => ({ name, type, features });
    const allFields = [
      ...[field('title', 'text', 'lexical_search'), field('body', 'text', 'lexical_search')],
      ...[field('v', 'custom_vector'), field('n', 'int', 'filter', 'score_modifier'), field('t', 'long', 'filter')],
    ];
    const given = { tensorFields: ['v'], mappings: { v: { type: 'custom_vector' } } };
    const isDeclared = kind === 'structured';
    await post('', {
      ...own,
      ...(isDeclared ? { type: kind, allFields, tensorFields: ['v'] } : { collapseFields: [{ name: 'sku' }] }),
    });
    await post('/documents', { documents: documentsOf(random, kind), ...(isDeclared ? {} : given) });
  });
  afterAll(() => service.close());

  test('have pages without a gap or a repeated hit, the same by offset and by cursor, each hit explained', async () => {
    for (let i = 0; i < 60; i += 1) {
      const search = searchOf(random, kind);
      const limit = 1 + Math.floor(random() * 20);
      const said = `seed ${seed}, search ${i}, pages of ${limit}: ${JSON.stringify(search)}`;
      const byOffset: Hit[] = [];
      for (let page = await post('/search', { ...search, limit }); page.hits.length > 0; ) {
        byOffset.push(...page.hits);
        page = await post('/search', { ...search, limit, offset: byOffset.length });
      }
      expect(new Set(byOffset.map(({ _id }) => _id)).size, said).toBe(byOffset.length);

      const byCursor: Hit[] = [];
      let page = await post('/search', { ...search, limit, withCursor: true });
      for (byCursor.push(...page.hits); page.cursor != null; byCursor.push(...page.hits)) {
        page = await post('/search', { cursor: page.cursor });
      }
      expect(byCursor, said).toEqual(byOffset);

      // A score that is 0 may be explained by a 0 below 0.
      const { hits } = await post('/search', { ...search, limit, explain: true });
      expect(
        hits.map(({ _id, _score }) => [_id, _score]),
        said,
      ).toEqual(byOffset.slice(0, limit).map(({ _id, _score }) => [_id, _score]));
      expect(
        hits.map(({ _explanation }) => (_explanation?.value ?? Number.NaN) + 0),
        said,
      ).toEqual(hits.map(({ _score }) => _score));
    }
  });
});
