import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isOnCluster } from '../operations/service.js';
import { KINDS, TenantService } from './tenants.js';

const documents = [
  { _id: 'a', tenant: 'acme', title: 'a dog', sku: 's', price: 1 },
  { _id: 'z', tenant: 'zed', title: 'a cat', sku: 's', price: 2 },
] as const;

let service: TenantService;

beforeEach(async () => {
  service = await TenantService.open(documents);
});
afterEach(() => service.close());

describe.skipIf(isOnCluster).each(KINDS)('writes to an %s index', (kind) => {
  const path = `/indexes/${kind}/documents`;
  const stored = async (id: string) => (await service.ask(`GET ${path}/${id}`)).json();
  const theirs = { _id: 'z', tenant: 'zed', title: 'a cat', price: 2 };

  test('a document that does not pass is refused by itself, with the field', async () => {
    const added = [
      { _id: 'n', tenant: 'acme', title: 'new', sku: 's' },
      { _id: 'o', tenant: 'zed', title: 'other', sku: 's' },
      { _id: 'p', title: 'nobody', sku: 's' },
    ];
    const { items, errors } = (await service.add(kind, added, 'acme')).json();
    expect(errors).toBe(true);
    expect(items).toMatchObject([
      { _id: 'n', status: 200 },
      ...['o', 'p'].map((_id) => ({
        _id,
        status: 400,
        code: 'invalid_argument',
        message: expect.stringContaining('tenant'),
      })),
    ]);
    expect((await stored('o')).code).toBe('document_not_found');
  });

  test('the id of a document of others is taken', async () => {
    const mine = { _id: 'z', tenant: 'acme', title: 'mine', sku: 's' };
    const { items } = (await service.add(kind, [mine], 'acme')).json();
    expect(items).toMatchObject([{ _id: 'z', status: 409, code: 'operation_conflict_error' }]);
    expect(await stored('z')).toMatchObject(theirs);
    await service.ask(`POST ${path}/delete-batch`, ['z']);
    expect((await service.add(kind, [mine], 'acme')).json().errors).toBe(false);
  });

  test('updates reach its documents, and leave them within its filter', async () => {
    const changes = [
      { _id: 'a', price: 7 },
      { _id: 'z', price: 7 },
      { _id: 'none', price: 7 },
    ];
    const { items } = (await service.ask(`PATCH ${path}`, { documents: changes }, 'acme')).json();
    const [own, other, none] = items;
    expect(own).toMatchObject({ _id: 'a', status: 200 });
    expect(other).toEqual({ ...none, _id: 'z', ...messagesOf(none, 'none', 'z') });
    expect(none.message).toContain('does not exist');
    const moved = (await service.ask(`PATCH ${path}`, { documents: [{ _id: 'a', tenant: 'zed' }] }, 'acme')).json();
    expect(moved.items).toMatchObject([{ _id: 'a', status: 400, message: expect.stringContaining('tenant') }]);
    expect(await stored('a')).toMatchObject({ tenant: 'acme', price: 7 });
    expect(await stored('z')).toMatchObject(theirs);
  });

  test('deletions reach its documents alone', async () => {
    const ids = ['a', 'z', 'none'];
    const { items, details } = (await service.ask(`POST ${path}/delete-batch`, ids, 'acme')).json();
    expect(items).toMatchObject([
      { _id: 'a', status: 200, result: 'deleted' },
      { _id: 'z', status: 404, result: 'not_found' },
      { _id: 'none', status: 404, result: 'not_found' },
    ]);
    expect(details).toMatchObject({ deletedDocuments: 1 });
    expect(await stored('z')).toMatchObject(theirs);
    expect((await stored('a')).code).toBe('document_not_found');
  });

  test('lists as before 2.0 keep to the filter, and make no index', async () => {
    // The field that groups documents is set as they are added, and not changed.
    const list = (method: string) => [
      { _id: 'a', tenant: 'acme', title: 'changed', ...(method === 'POST' && { sku: 's' }) },
      { _id: 'z', tenant: 'acme', title: 'mine', sku: 's' },
      { _id: 'y', tenant: 'zed', title: 'other', sku: 's' },
    ];
    for (const method of ['POST', 'PUT']) {
      const { items } = (await service.ask(`${method} ${path}`, list(method), 'acme')).json();
      expect(items.map(({ status }: { status: number }) => status)).toEqual([200, 409, 400]);
    }
    expect(await stored('z')).toMatchObject(theirs);
    const elsewhere = await service.ask('POST /indexes/absent/documents', list('POST'), 'acme');
    expect(elsewhere.json()).toMatchObject({ code: 'index_not_found' });
  });

  test('changes of one call and of calls at once are seen in their order', async () => {
    const mine = (n: number) => ({ _id: 'n', tenant: 'acme', title: 'mine', sku: 's', price: n });
    const others = { _id: 'n', tenant: 'zed', title: 'theirs', sku: 's' };
    const answers = await Promise.all([
      ...[1, 2, 3].flatMap((n) => [service.add(kind, [mine(n)], 'acme'), service.add(kind, [others], 'zed')]),
    ]);
    const outcomes = answers.map((answer) => answer.json().items[0].status);
    const { tenant } = await stored('n');
    // Whoever came first has the id.
    expect(outcomes).toEqual([1, 2, 3].flatMap(() => (tenant === 'acme' ? [200, 409] : [409, 200])));
  });
});

/** The messages of an item about another id. */
function messagesOf(item: Record<string, unknown>, from: string, to: string): object {
  const texts = Object.entries(item).filter(([name, value]) => name !== '_id' && typeof value === 'string');
  return Object.fromEntries(texts.map(([name, text]) => [name, (text as string).replaceAll(from, to)]));
}

test.runIf(isOnCluster).each(KINDS)('an %s index on a cluster is not written with such a key', async (kind) => {
  const path = `/indexes/${kind}/documents`;
  const answers = await Promise.all([
    service.ask(`POST ${path}`, { documents: [{ tenant: 'acme' }] }, 'acme'),
    service.ask(`PATCH ${path}`, { documents: [{ _id: 'a', price: 3 }] }, 'acme'),
    service.ask(`POST ${path}/delete-batch`, ['a'], 'acme'),
  ]);
  for (const answer of answers) expect(answer.json()).toMatchObject({ code: 'insufficient_scope' });
});
