import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  comparable,
  documentsOf,
  filterOf,
  KINDS,
  type Kind,
  randomOf,
  readingOf,
  TENANTS,
  type Tenant,
  type TenantDocument,
  TenantService,
} from './tenants.js';

const READINGS = 120;
const seed = Number(process.env.PELORUS_TEST_SEED ?? 42);

let documents: readonly TenantDocument[];
let shared: TenantService;
/** The service that has the documents of one tenant alone. */
const alone = new Map<Tenant, TenantService>();

beforeAll(async () => {
  documents = documentsOf(randomOf(seed));
  shared = await TenantService.open(documents);
  for (const tenant of TENANTS) {
    const own = documents.filter((document) => document.tenant === tenant);
    alone.set(tenant, await TenantService.open(own));
  }
});

afterAll(async () => {
  await Promise.all([shared, ...alone.values()].map((service) => service?.close()));
});

describe.each(KINDS)('readings of an %s index', (kind) => {
  test(`with the filter of a key are those of a server that has its documents alone (seed ${seed})`, async () => {
    const random = randomOf(seed + kind.length);
    const found = { 200: 0, other: 0 };
    for (let at = 0; at < READINGS; at += 1) {
      const tenant = TENANTS[at % TENANTS.length] as Tenant;
      const reading = readingOf(random, kind);
      const [ours, theirs] = await Promise.all([
        shared.ask(reading.request, reading.body, tenant),
        (alone.get(tenant) as TenantService).ask(reading.request, reading.body),
      ]);
      expect(comparable(ours, reading), `${tenant}: ${JSON.stringify(reading)}`).toEqual(comparable(theirs, reading));
      found[ours.statusCode === 200 ? 200 : 'other'] += 1;
    }
    // Both kinds of answers are compared, and more of those that have documents.
    expect(found[200]).toBeGreaterThan(READINGS / 2);
    expect(found.other).toBeGreaterThan(0);
  });

  test('one search asked with two keys has an answer for each', async () => {
    const body = { q: 'dog', limit: 100, filter: 'price:[0 TO 40]', trackTotalHits: true };
    for (const tenant of [...TENANTS, ...TENANTS]) {
      const own = documents.filter((document) => document.tenant === tenant);
      const { hits } = (await shared.ask(`POST /indexes/${kind}/search`, body, tenant)).json();
      expect(hits.map(({ _id }: TenantDocument) => _id).toSorted()).toEqual(own.map(({ _id }) => _id).toSorted());
    }
  });

  test.each([
    ['search', 'search', { q: 'dog', limit: 2, withCursor: true }],
    ['scan', 'documents/scan', { limit: 2 }],
  ])('the cursor of a %s is good for the keys of its filter alone', async (_, path, body) => {
    const ask = (asked: object, who?: string) => shared.ask(`POST /indexes/${kind}/${path}`, asked, who);
    const { cursor } = (await ask(body, 'acme')).json();
    for (const other of ['zed', undefined]) {
      expect((await ask({ cursor }, other)).json()).toMatchObject({ code: 'invalid_argument' });
    }
    const again = await shared.keyWith(filterOf('acme'));
    const page = (await ask({ cursor, limit: 100 }, again)).json();
    const shown: readonly TenantDocument[] = page.hits ?? page.documents;
    expect(shown.length).toBe(documents.filter(({ tenant }) => tenant === 'acme').length - 2);
    expect(shown.every(({ tenant }) => tenant === 'acme')).toBe(true);
  });
});

test('searches with the filter of a key are not told which fields no document has', async () => {
  const body = { q: 'dog', filter: 'NOT absent:1' };
  const path = 'POST /indexes/unstructured/search';
  const ours = (await shared.ask(path, body, 'acme')).json();
  const all = (await shared.ask(path, body)).json();
  expect(all.warnings).toEqual(["No document has the field 'absent', which the filter names"]);
  expect(ours.hits.length).toBeGreaterThan(0);
  expect(ours).not.toHaveProperty('warnings');
});

test('a filter of fields that a structured index does not filter by refuses every reading', async () => {
  const key = await shared.keyWith('absent:1');
  const path = '/indexes/structured' satisfies `/indexes/${Kind}`;
  const answers = await Promise.all([
    shared.ask(`POST ${path}/search`, { q: 'dog' }, key),
    shared.ask(`GET ${path}/documents/d1`, undefined, key),
    shared.ask(`POST ${path}/documents/get-batch`, { documentIds: ['d1'] }, key),
    shared.ask(`POST ${path}/documents/scan`, {}, key),
  ]);
  for (const answer of answers) {
    expect(answer.statusCode, answer.body).toBe(400);
    expect(answer.json().message).toContain('absent');
  }
});

test('explanations with the filter of a key tell no numbers of all documents', async () => {
  const body = { q: 'dog', searchMethod: 'LEXICAL', explain: true, limit: 100 };
  const path = 'POST /indexes/unstructured/search';
  const ours = termsOf((await shared.ask(path, body, 'acme')).json());
  const all = termsOf((await shared.ask(path, body)).json());
  expect(ours.size).toBeGreaterThan(0);
  for (const [id, terms] of ours) {
    const whole = all.get(id) ?? [];
    expect(terms.map(({ value }) => value)).toEqual(whole.map(({ value }) => value));
    expect(whole.map(({ operation }) => operation)).toContain('inverseDocumentFrequency');
    expect(terms.map(({ operation }) => operation)).not.toContain('inverseDocumentFrequency');
    expect(terms.every(({ details }) => details.length === 0)).toBe(true);
  }
});

interface Part {
  readonly value: number;
  readonly operation: string;
  readonly details: readonly Part[];
}

/** The values that the score of each term is made of, by hit. */
function termsOf({
  hits,
}: {
  hits: readonly { _id: string; _explanation: Part }[];
}): ReadonlyMap<string, readonly Part[]> {
  const isTerm = ({ operation }: Part) => operation === 'bm25' || operation === 'idfShare';
  const under = (part: Part): readonly Part[] => (isTerm(part) ? part.details : part.details.flatMap(under));
  return new Map(hits.map(({ _id, _explanation }) => [_id, under(_explanation)]));
}
