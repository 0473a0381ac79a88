import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { send } from '../operations/exchange.js';
import { isOnCluster, openService, type Service } from '../operations/service.js';

const KINDS = ['unstructured', 'structured'] as const;
const settings = {
  unstructured: { model: 'random/small' },
  structured: {
    ...{ type: 'structured', model: 'random/small', tensorFields: ['title'] },
    allFields: [{ name: 'title', type: 'text', features: ['lexical_search'] }],
  },
} as const;

/** Moments far from now, so that no test hangs on the time that it takes. */
const [past, future] = ['2020-01-01T00:00:00Z', '2100-01-01T00:00:00.250Z'];

let service: Service;

beforeAll(async () => {
  service = await openService();
  for (const kind of KINDS) await ask(`POST /indexes/${kind}`, settings[kind]);
});
afterAll(() => service.close());

async function ask(request: string, body?: unknown) {
  return (await send(service.app, { request, body })).json();
}

describe.skipIf(isOnCluster).each(KINDS)('documents of an %s index that expire', (kind) => {
  const path = `/indexes/${kind}`;
  const add = (documents: readonly object[]) =>
    ask(`POST ${path}/documents`, { documents, ...(kind === 'unstructured' && { tensorFields: ['title'] }) });
  const shown = async () => {
    const { documents } = await ask(`POST ${path}/documents/scan`, {});
    const { hits } = await ask(`POST ${path}/search`, { q: 'dog', limit: 100 });
    const { numberOfDocuments } = await ask(`GET ${path}/stats`);
    const ids = documents.map(({ _id }: { _id: string }) => _id).toSorted();
    expect(hits.map(({ _id }: { _id: string }) => _id).toSorted()).toEqual(ids);
    expect(numberOfDocuments).toBe(ids.length);
    return ids;
  };

  test('are stored with their moment in milliseconds, and returned with it', async () => {
    expect((await add([{ _id: 'a', title: 'dog', _expiresAt: future }])).errors).toBe(false);
    const moment = Date.parse(future);
    expect(await ask(`GET ${path}/documents/a`)).toMatchObject({ _expiresAt: moment });
    const attributesToRetrieve = ['_expiresAt'];
    const found = await ask(`POST ${path}/search`, { q: 'dog', attributesToRetrieve });
    expect(found.hits).toMatchObject([{ _id: 'a', _expiresAt: moment }]);
    expect((await ask(`POST ${path}/documents/scan`, {})).documents).toMatchObject([{ _expiresAt: moment }]);
  });

  test('are taken and gone where the moment has passed', async () => {
    expect((await add([{ _id: 'b', title: 'dog', _expiresAt: Date.parse(past) }])).items).toMatchObject([
      { status: 200 },
    ]);
    expect(await shown()).toEqual(['a']);
    expect(await ask(`GET ${path}/documents/b`)).toMatchObject({ code: 'document_not_found' });
  });

  test('have it set and removed by updates, and are added anew', async () => {
    const update = (_id: string, _expiresAt: unknown) =>
      ask(`PATCH ${path}/documents`, { documents: [{ _id, _expiresAt }] });
    expect((await add([{ _id: 'c', title: 'dog' }])).errors).toBe(false);
    expect((await update('a', null)).errors).toBe(false);
    expect(await ask(`GET ${path}/documents/a`)).not.toHaveProperty('_expiresAt');
    expect((await update('c', past)).errors).toBe(false);
    expect(await shown()).toEqual(['a']);
    expect((await update('c', null)).errors).toBe(true);
    expect((await add([{ _id: 'c', title: 'dog' }])).errors).toBe(false);
    expect(await shown()).toEqual(['a', 'c']);
  });

  test('are refused by themselves for what is no moment', async () => {
    const { items } = await add([
      { _id: 'x', title: 'dog', _expiresAt: 'tomorrow' },
      { _id: 'y', title: 'dog', _expiresAt: -5 },
      { _id: 'z', title: 'dog', _expiresAt: future },
    ]);
    const refused = { status: 400, code: 'invalid_argument', message: expect.stringContaining('_expiresAt') };
    expect(items).toMatchObject([refused, refused, { status: 200 }]);
  });

  test('keep their moment in a copy that is made of what a scan shows', async () => {
    const { documents } = await ask(`POST ${path}/documents/scan`, { exposeTensors: true });
    await ask(`DELETE ${path}/documents/delete-all`);
    expect((await ask(`POST ${path}/documents`, { documents, useGivenTensors: true })).errors).toBe(false);
    expect((await ask(`POST ${path}/documents/scan`, { exposeTensors: true })).documents).toEqual(documents);
    expect(documents.some((document: object) => '_expiresAt' in document)).toBe(true);
  });
});

test.runIf(isOnCluster)('an index on a cluster takes no document that expires', async () => {
  const { items } = await ask('POST /indexes/unstructured/documents', {
    documents: [{ _id: 'a', _expiresAt: future }, { _id: 'b' }],
    tensorFields: [],
  });
  expect(items).toMatchObject([{ status: 400, message: expect.stringContaining('_expiresAt') }, { status: 200 }]);
  const documents = [{ _id: 'b', _expiresAt: future }];
  const updated = await ask('PATCH /indexes/unstructured/documents', { documents });
  expect(updated.items).toMatchObject([{ status: 400, message: expect.stringContaining('_expiresAt') }]);
});
