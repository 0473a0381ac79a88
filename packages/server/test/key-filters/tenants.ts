import type { LightMyRequestResponse } from 'fastify';
import { send } from '../operations/exchange.js';
import { isOnCluster, openService, type Service } from '../operations/service.js';
import { oneOf, type Random, randomOf } from '../search/random-bodies.js';

// Documents of several tenants in one index, and the same of one tenant in an index of their own.

export const TENANTS = ['acme', 'zed', 'Odd Name'] as const;
export type Tenant = (typeof TENANTS)[number];

/** The two kinds of index. */
export const KINDS = ['unstructured', 'structured'] as const;
export type Kind = (typeof KINDS)[number];

const SIZE = 90;
const words = ['dog', 'cat', 'river', 'coat', 'lamp', 'stone'];

export interface TenantDocument {
  readonly _id: string;
  readonly tenant: Tenant;
  readonly [field: string]: unknown;
}

/** Documents of tenants in turn, of which some share titles, groups and prices. */
export function documentsOf(random: Random): readonly TenantDocument[] {
  return Array.from({ length: SIZE }, (_, at) => ({
    _id: `d${at}`,
    tenant: oneOf(random, TENANTS),
    title: `${oneOf(random, words)} ${oneOf(random, words)} ${oneOf(random, words)}`,
    sku: `s${Math.floor(random() * 12)}`,
    brand: oneOf(random, ['one', 'two', 'three']),
    price: Math.floor(random() * 40),
  }));
}

const field = (name: string, type: string, ...features: string[]) => ({ name, type, features });

const settings: Readonly<Record<Kind, object>> = {
  unstructured: { model: 'random/small', collapseFields: [{ name: 'sku', minGroups: 10 }] },
  structured: {
    ...{ type: 'structured', model: 'random/small', tensorFields: ['title'] },
    allFields: [
      field('title', 'text', 'lexical_search', 'filter'),
      field('tenant', 'text', 'filter'),
      field('sku', 'text', 'filter'),
      field('brand', 'text', 'filter', 'lexical_search'),
      field('price', 'int', 'filter', 'score_modifier'),
    ],
  },
};

/** A service with some documents, and a key for each tenant. */
export class TenantService {
  readonly #service: Service;
  readonly #admin: string;
  readonly #keys = new Map<Tenant, string>();

  private constructor(service: Service, admin: string) {
    this.#service = service;
    this.#admin = admin;
  }

  static async open(documents: readonly TenantDocument[]): Promise<TenantService> {
    const service = await openService({ MARQO_ENABLE_BATCH_APIS: 'true' });
    const admin = await madeKey(service, { name: 'boss', scope: 'admin' });
    const opened = new TenantService(service, admin);
    for (const tenant of TENANTS) opened.#keys.set(tenant, await opened.keyWith(filterOf(tenant)));
    for (const kind of KINDS) {
      await opened.ask(`POST /indexes/${kind}`, settings[kind]);
      await opened.add(kind, documents);
    }
    return opened;
  }

  /** A key that is bound to a filter. */
  keyWith(filter: string): Promise<string> {
    return madeKey(this.#service, { name: filter.slice(0, 100), scope: 'read_write', filter }, this.#admin);
  }

  async add(kind: Kind, documents: readonly object[], key = this.#admin): Promise<LightMyRequestResponse> {
    const tensorFields = kind === 'structured' ? {} : { tensorFields: ['title'] };
    const answer = await this.ask(`POST /indexes/${kind}/documents`, { documents, ...tensorFields }, key);
    if (answer.statusCode !== 200) throw new Error(answer.body);
    return answer;
  }

  /** Asks with the key of a tenant, with one that is given, or else with that of the operator. */
  ask(request: string, body?: unknown, who: string = this.#admin): Promise<LightMyRequestResponse> {
    const secret = this.#keys.get(who as Tenant) ?? who;
    return send(this.#service.app, { request, body, headers: { 'x-api-key': secret } });
  }

  close(): Promise<void> {
    return this.#service.close();
  }
}

export const filterOf = (tenant: Tenant): string => `tenant:(${tenant})`;

async function madeKey({ app }: Service, body: object, admin?: string): Promise<string> {
  const headers = admin === undefined ? {} : { 'x-api-key': admin };
  const made = await send(app, { request: 'POST /api/v2/keys', body, headers });
  if (made.statusCode !== 200) throw new Error(made.body);
  return made.json().secret;
}

/** A request of some reading operation, and what of its answer depends on the documents of others. */
export interface Reading {
  readonly request: string;
  readonly body?: unknown;
  /** Scores by words go by statistics of the whole index, and so does what is ranked by them. */
  readonly isRankedByWords: boolean;
}

const filters = [
  null,
  'price:[10 TO 30]',
  'NOT brand:one',
  'tenant:zed',
  'NOT tenant:acme',
  'tenant:acme OR tenant:zed',
  'title:x) OR (tenant:zed',
  '_id IN (d1, d2, d3, d4, d5, d6, d7)',
  'brand:two OR NOT price:[* TO 20]',
  ...(isOnCluster ? [] : ['brand:one AND (price:5 OR price:[6 TO 30])']),
];

/** Facets, and a filter of which they leave terms out: that of a key stays, be it the same term. */
const facets = [
  [null, { fields: { brand: { type: 'string' }, tenant: { type: 'string' }, price: { type: 'number' } } }],
  ['tenant:acme', { fields: { tenant: { type: 'string', excludeTerms: ['tenant:acme'] } } }],
  [
    'tenant:(acme) AND brand:one',
    { fields: { tenant: { type: 'string', excludeTerms: ['tenant:(acme)', 'brand:one'] } } },
  ],
  ['NOT tenant:acme', { fields: { brand: { type: 'string', excludeTerms: ['NOT tenant:acme'] } }, maxDepth: 50 }],
] as const;

/** The members that every search may have. */
function members(random: Random): Readonly<Record<string, unknown>> {
  const [facetFilter, counted] = random() < 0.4 ? oneOf(random, facets) : [null, undefined];
  const some = <Value>(share: number, value: () => Value): Value | undefined =>
    random() < share ? value() : undefined;
  return JSON.parse(
    JSON.stringify({
      filter: facetFilter ?? oneOf(random, filters) ?? undefined,
      limit: oneOf(random, [5, 20, 100]),
      offset: some(0.2, () => 3),
      facets: counted,
      trackTotalHits: some(0.5, () => true),
      attributesToRetrieve: some(0.3, () => ['title', 'price']),
      showHighlights: some(0.3, () => false),
      pinned: some(0.3, () => [
        { _id: `d${Math.floor(random() * 45)}`, position: oneOf(random, [1, 2, 4]) },
        { _id: `d${45 + Math.floor(random() * 50)}`, position: oneOf(random, [3, 5, 90]) },
      ]),
      hidden: some(0.2, () => [anyId(random), anyId(random)]),
    }),
  );
}

const anyId = (random: Random) => `d${Math.floor(random() * (SIZE + 5))}`;

/** A random request of each reading operation, for an index. */
export function readingOf(random: Random, kind: Kind): Reading {
  const path = `/indexes/${kind}`;
  const q = `${oneOf(random, words)} ${oneOf(random, words)}`;
  const all = { limit: 200, offset: 0, showHighlights: false };
  const tensor = () => ({ q, efSearch: 1000, ...members(random) });
  const lexical = () => ({ q, searchMethod: 'LEXICAL', ...members(random), ...all });
  // Structured indexes have neither.
  const grouped = () => (kind === 'unstructured' ? { collapseFields: [{ name: 'sku' }] } : {});
  const sorted = () => (kind === 'unstructured' ? { sortBy: { fields: [{ fieldName: 'price', order: 'asc' }] } } : {});
  const byVectors = () => {
    const hybridParameters = { retrievalMethod: 'tensor', rankingMethod: 'tensor' };
    return { q, searchMethod: 'HYBRID', hybridParameters, efSearch: 1000 };
  };
  const search = (body: object, isRankedByWords = false): Reading => ({
    ...{ request: `POST ${path}/search`, body, isRankedByWords },
  });
  const choices: readonly (() => Reading)[] = [
    () => search(tensor()),
    () => search({ ...tensor(), explain: true }),
    () => search(lexical(), true),
    () => search({ ...lexical(), lexicalHighlights: true }, true),
    () => search({ q, searchMethod: 'HYBRID', ...members(random), ...all }, true),
    () => search({ ...byVectors(), ...members(random), ...grouped() }),
    () => search({ ...byVectors(), ...members(random), ...sorted() }),
    () => {
      const ids = { [anyId(random)]: 1, [anyId(random)]: 0.5 };
      const parameters = { excludeInputDocuments: random() < 0.5, allowMissingDocuments: random() < 0.5 };
      return search({ ...tensor(), context: { documents: { ids, parameters } } });
    },
    () => {
      const documents = [anyId(random), anyId(random)];
      const flags = { allowMissingDocuments: random() < 0.5, excludeInputDocuments: random() < 0.5 };
      const { filter, limit, offset, attributesToRetrieve, showHighlights } = members(random);
      const others = JSON.parse(JSON.stringify({ filter, limit, offset, attributesToRetrieve, showHighlights }));
      const body = { documents, ...flags, ...others };
      return { request: `POST ${path}/recommend`, body, isRankedByWords: false };
    },
    () => ({ request: `GET ${path}/documents/${anyId(random)}`, isRankedByWords: false }),
    () => {
      const documentIds = [anyId(random), anyId(random), anyId(random)];
      return { request: `POST ${path}/documents/get-batch`, body: { documentIds }, isRankedByWords: false };
    },
    () => ({ request: `GET ${path}/documents`, body: [anyId(random), anyId(random)], isRankedByWords: false }),
    () => {
      const body = { filter: oneOf(random, filters), limit: 200, exposeTensors: random() < 0.3 };
      return { request: `POST ${path}/documents/scan`, body, isRankedByWords: false };
    },
    () => {
      const queries = [tensor(), tensor(), tensor()].map((body) => ({ indexName: kind, ...body }));
      return { request: 'POST /multi-search', body: { queries }, isRankedByWords: false };
    },
  ];
  return oneOf(random, choices)();
}

/** The parts of two answers that must be alike: all but times, and of a ranking by words its order and scores. */
export function comparable(answer: LightMyRequestResponse, { isRankedByWords }: Reading): object {
  const { statusCode, body } = answer;
  const parsed = JSON.parse(body, (name, value) => (name === 'processingTimeMs' ? undefined : value));
  if (isRankedByWords && Array.isArray(parsed.hits)) {
    parsed.hits = parsed.hits
      .map((hit: object) => Object.fromEntries(Object.entries(hit).filter(([name]) => !/^_.*score/i.test(name))))
      .sort((a: { _id: string }, b: { _id: string }) => (a._id < b._id ? -1 : 1));
  }
  return { statusCode, parsed };
}

export { randomOf };
