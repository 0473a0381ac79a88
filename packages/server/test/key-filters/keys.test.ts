import type { Operation } from '@pelorus/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operationsOf } from '../../src/app.js';
import { TenantService } from './tenants.js';

let service: TenantService;

beforeAll(async () => {
  service = await TenantService.open([{ _id: 'a', tenant: 'acme', title: 'a dog' }]);
});
afterAll(() => service.close());

const path = '/api/v2/keys';
const target = (operation: Operation) => operation.path.replace('{indexName}', 'unstructured').replaceAll(/[{}]/g, '');

describe('a filter', () => {
  test('is shown with its key, and stays when the key changes', async () => {
    const body = { name: 'acme', scope: 'read', filter: 'tenant:acme AND price:[1 TO *]' };
    const { secret, ...made } = (await service.ask(`POST ${path}`, body)).json();
    expect(made.filter).toBe(body.filter);
    expect(secret).toBeDefined();
    const { results } = (await service.ask(`GET ${path}`)).json();
    expect(results).toContainEqual(made);
    const changed = (await service.ask(`PATCH ${path}/${made.id}`, { name: 'other' })).json();
    expect(changed).toEqual({ ...made, name: 'other' });
    const rotated = (await service.ask(`POST ${path}/${made.id}/rotate`, {})).json();
    expect(rotated.filter).toBe(body.filter);
  });

  test.each([
    ['that is none', { filter: 'tenant' }, "'filter'"],
    ['that is empty', { filter: '' }, "'filter'"],
    ['that asks for words', { filter: 'title CONTAINS dog' }, 'CONTAINS'],
    ['that is too long', { filter: `tenant:${'a'.repeat(5000)}` }, '4096'],
    ['of an admin key', { filter: 'tenant:acme', scope: 'admin' }, 'scope'],
    ['of a key without a scope', { filter: 'tenant:acme', scope: null }, 'scope'],
    ['of a tracking key', { ...tracker(), filter: 'tenant:acme' }, 'tracking key'],
  ])('%s is refused', async (_, body, message) => {
    const answer = await service.ask(`POST ${path}`, { name: 'acme', scope: 'read', ...body });
    expect(answer.json()).toMatchObject({ code: 'invalid_argument', message: expect.stringContaining(message) });
  });
});

function tracker(): object {
  return { kind: 'tracking', scope: undefined, customerId: 'c', origins: ['https://shop.example'] };
}

const guarded: readonly Operation[] = operationsOf('search').filter(({ scope }) => scope !== 'none');
const isForKeys = ({ credential, switch: toggle }: Operation) => credential === 'key' && toggle === null;

test.each(guarded.filter(isForKeys).map((operation) => [operation.operationId, operation] as const))(
  '%s is refused to a key with a filter, unless it keeps to that',
  async (_, operation) => {
    const answer = await service.ask(`${operation.method} ${target(operation)}`, '{', 'acme');
    const isAdmin = operation.scope === 'admin';
    if (!operation.filteredKeys) {
      expect(answer.json()).toMatchObject({
        ...{ code: 'insufficient_scope', message: expect.stringContaining(isAdmin ? 'scoped' : 'without a filter') },
      });
    } else expect(answer.body).not.toContain('insufficient_scope');
  },
);
