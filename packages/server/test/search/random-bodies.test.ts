import { PelorusError, type Problem, UnprocessableError } from '@pelorus/contract';
import type { ResolvedModel } from '@pelorus/inference';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.js';
import { checkBeginning } from '../../src/search/cursor-rules.js';
import { documentContext } from '../../src/search/document-context.js';
import { planOf } from '../../src/search/plan.js';
import { reRankingOf } from '../../src/search/re-ranking.js';
import { checkShape } from '../../src/search/shape.js';
import { checkDocumentCount, checkMethod, checkSupport, checkValues } from '../../src/search/values.js';
import { PROBLEMS_MAX } from '../../src/validation/problems.js';
import { expectLinear } from '../growth.js';
import { openService, type Service } from '../operations/service.js';
import { type Body, oneOf, randomBody, randomOf, spoil } from './random-bodies.js';
import { searchRequest, source, structured, unstructured } from './requests.js';

const seed = 20_261_123;
const config = readConfig();
const textsOnly = () => ({ modalities: ['text'] }) as unknown as ResolvedModel;
const kinds = [unstructured, structured].map((index) => ({ ...index, model: textsOnly }));

/** The event loop's refusal of a body, in the order of the handler: null for a plan. Any other error is thrown on. */
function refusalOf(body: Body, kind: (typeof kinds)[number]): PelorusError | null {
  const { bytes, vectors } = source(JSON.stringify(body));
  try {
    const request = searchRequest(body);
    checkShape(request);
    checkValues(request, config);
    checkDocumentCount(request, config);
    checkSupport(request, kind);
    checkMethod(request);
    reRankingOf(request, kind);
    checkBeginning(request);
    const { plan } = planOf(
      request,
      { bytes, vectors },
      kind,
      config.efSearchDefault,
      documentContext(request, bytes),
      null,
    );
    JSON.stringify(plan, (name, value) => {
      // The engine reads JSON, which has neither.
      if (value === undefined || (typeof value === 'number' && !Number.isFinite(value))) throw new Error(name);
      return value;
    });
    return null;
  } catch (error) {
    if (error instanceof PelorusError) return error;
    throw error;
  }
}

/** Longest answer to a body of a few kilobytes. */
const REFUSAL_LENGTH_MAX = 64 * 1024;

/** Checks that a refusal has the form that is promised. */
function expectRefusal(status: number, body: Record<string, unknown>, said: string): void {
  expect([400, 404, 422], said).toContain(status);
  expect(JSON.stringify(body).length, said).toBeLessThan(REFUSAL_LENGTH_MAX);
  expect(body, said).toMatchObject({
    type: 'invalid_request',
    message: expect.stringMatching(/./),
    code: expect.any(String),
  });
  if (status !== 422) return;
  const detail = body.detail as readonly Problem[];
  expect(detail.length, said).toBeGreaterThan(0);
  expect(detail.length, said).toBeLessThanOrEqual(2 * PROBLEMS_MAX);
  for (const { loc, msg, type } of detail) {
    expect(loc[0], said).toBe('body');
    expect([msg, type], said).toEqual([expect.stringMatching(/./), expect.stringMatching(/./)]);
  }
}

/** Words for members that some messages, as clients know them, have instead of their names. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  q: ['query', 'queries', 'customvector', 'vector'],
  sparseQuery: ['query'],
  limit: ['resultcount'],
  boost: ['boosting', 'boostdictionaries', 'fieldname'],
  collapseFields: ['collapsefield'],
  searchableAttributes: ['fieldname'],
  searchableAttributesTensor: ['fieldname'],
  searchableAttributesLexical: ['fieldname'],
  attributesToRetrieve: ['fieldname'],
  mediaDownloadHeaders: ['downloadheaders'],
  image_download_headers: ['downloadheaders'],
  interpolationMethod: ['lerp'],
  facets: ['excludeterms'],
  filter: ['excludeterms'],
};
const plain = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** Tells whether a refusal concerns the member `name`: by a place or in its words. */
function names(error: PelorusError, name: string): boolean {
  const problems = error instanceof UnprocessableError ? error.problems : [];
  if (problems.some(({ loc }) => loc[1] === name)) return true;
  const text = plain([error.message, ...problems.map(({ msg }) => msg)].join(' '));
  // A place of a list, or a name of one letter, is in many a text by chance.
  const words = plain(name).length > 2 ? [plain(name)] : [];
  return [...words, ...(otherNames[name] ?? [])].some((each) => text.includes(each));
}

describe('bodies of members at random', () => {
  test('are planned or refused in the documented form, for a reason that they hold', () => {
    const random = randomOf(seed);
    const seen = { planned: 0, 400: 0, 422: 0 } as Record<string, number>;
    for (let i = 0; i < 6000; i += 1) {
      const body = randomBody(random);
      for (let spoiled = Math.floor(random() * 3); spoiled > 0; spoiled -= 1) spoil(body, random);
      const kind = oneOf(random, kinds);
      const said = `seed ${seed}, ${kind.name}, body ${i}: ${JSON.stringify(body)}`;
      const error = refusalOf(body, kind);
      const outcome = error === null ? 'planned' : String(error.status);
      seen[outcome] = (seen[outcome] ?? 0) + 1;
      if (error !== null) expectRefusal(error.status, error.toBody(), said);
    }
    // Each of the outcomes is met often enough to say something of it.
    expect(Math.min(...Object.values(seen)), JSON.stringify(seen)).toBeGreaterThan(300);
  });

  test('are refused by the name of the member that was spoiled', () => {
    const random = randomOf(seed + 1);
    let refused = 0;
    for (let i = 0; i < 12_000; i += 1) {
      const body = randomBody(random);
      const kind = oneOf(random, kinds);
      if (refusalOf(body, kind) !== null) continue;
      const spoiled = structuredClone(body);
      const path = spoil(spoiled, random);
      const error = refusalOf(spoiled, kind);
      if (error === null) continue;
      refused += 1;
      // Without the method, or the methods of the legs, other members that were legal beside it may be named.
      const others = /^(searchMethod|hybridParameters)$/.test(path[0] ?? '') ? Object.keys(body) : [];
      const said = `seed ${seed + 1}, body ${i}, ${path.join('.')} spoiled in ${JSON.stringify(spoiled)}: ${error.message}`;
      expect(
        [...path, ...others].some((each) => names(error, each)),
        said.slice(0, 4000),
      ).toBe(true);
    }
    expect(refused).toBeGreaterThan(500);
  });
});

const entries = (length: number) => Array.from({ length }, (_, i) => [`${i}`, 1] as const);
test.each<[string, (length: number) => Body]>([
  ['weighted texts', (length) => ({ q: Object.fromEntries(entries(length)) })],
  ['documents of a context', (length) => ({ context: { documents: { ids: Object.fromEntries(entries(length)) } } })],
  ['unknown members', (length) => ({ q: 'a', ...Object.fromEntries(entries(length)) })],
  ['wrong values', (length) => ({ q: 'a', searchableAttributes: entries(length) })],
  ['fields', (length) => ({ q: 'a', attributesToRetrieve: entries(length).map(([name]) => `f${name}`) })],
  [
    'a filter that facets look into',
    (length) => ({
      ...{ q: 'a', searchMethod: 'HYBRID', filter: 'a:b OR '.repeat(length) },
      facets: { fields: { f: { type: 'string', excludeTerms: entries(100).map(([name]) => `a:${name}`) } } },
    }),
  ],
])('the work grows with the body and no faster: %s', (_what, make) => {
  expectLinear(500, make, (body) => refusalOf(body, kinds[0] as (typeof kinds)[number]));
});

describe('over HTTP', () => {
  let service: Service;

  beforeAll(async () => {
    service = await openService();
    const own = { model: 'no_model', modelProperties: { type: 'no_model', dimensions: 2 } };
    const field = (name: string, type: string, ...features: string[]) => ({ name, type, features });
    const allFields = [
      ...[field('title', 'text', 'lexical_search', 'filter'), field('v', 'custom_vector')],
      ...[field('n', 'int', 'filter', 'score_modifier'), field('m', 'map<text, int>', 'score_modifier')],
    ];
    const documents = ['dogs', 'cats and dogs', 'cats'].map((title, n) => {
      return { _id: 'abc'[n], title, n, m: { k: n }, v: { vector: [1, n], content: '' } };
    });
    const post = (url: string, payload: object) => service.app.inject({ method: 'POST', url, payload });
    const mappings = { v: { type: 'custom_vector' } };
    for (const [url, payload] of [
      ['/indexes/u', { ...own, collapseFields: [{ name: 'sku' }] }],
      ['/indexes/s', { ...own, type: 'structured', allFields, tensorFields: ['v'] }],
      [
        '/indexes/u/documents',
        { documents: documents.map((each) => ({ ...each, sku: 'one' })), tensorFields: ['v'], mappings },
      ],
      ['/indexes/s/documents', { documents }],
    ] as const) {
      const response = await post(url, payload);
      expect([response.statusCode, response.json().errors ?? false], response.body).toEqual([200, false]);
    }
  });
  afterAll(() => service.close());

  test('each is answered or refused in the documented form, and nothing is the fault of the server', async () => {
    const random = randomOf(seed + 2);
    const seen: Record<string, number> = {};
    for (let i = 0; i < 1500; i += 1) {
      const body = randomBody(random);
      if (random() < 0.3) spoil(body, random);
      const index = oneOf(random, ['u', 's']);
      const response = await service.app.inject({ method: 'POST', url: `/indexes/${index}/search`, payload: body });
      const said = `seed ${seed + 2}, ${index}, body ${i}: ${JSON.stringify(body)}: ${response.body}`;
      const status = response.statusCode;
      seen[status] = (seen[status] ?? 0) + 1;
      if (status === 200) expect(response.json().hits, said).toEqual(expect.any(Array));
      else expectRefusal(status, response.json(), said);
    }
    expect(service.responses.faults).toEqual([]);
    for (const status of [200, 400, 422]) expect(seen[status], JSON.stringify(seen)).toBeGreaterThan(100);
  });
});
