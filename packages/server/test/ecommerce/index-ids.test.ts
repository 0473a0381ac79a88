import { afterAll, beforeAll, expect, test } from 'vitest';
import { send } from '../operations/exchange.js';
import { openShops, type ShopService } from './shop-service.js';

const clock = { ms: Date.parse('2026-11-23T12:00:00Z') };
let service: ShopService;

const INDEXES = '/api/v1/indexes';
const call = (request: string, body?: unknown) => send(service.app, { request, body });
const record = async () => (await call(`GET ${INDEXES}/wear`)).json();
const rotate = (body?: unknown) => call(`POST ${INDEXES}/wear/index-id/rotate`, body);
const isKnown = (indexId: string) => service.shops.byIndexId(indexId)?.indexName === 'wear';

beforeAll(async () => {
  service = await openShops({ now: () => clock.ms });
  await call(`POST ${INDEXES}`, { indexName: 'wear', modelType: 'ecommerce' });
});
afterAll(() => service.close());

test('the id of before is good for as long as the rotation says, and then gone', async () => {
  const { indexId: first } = await record();
  const answer = await rotate({ overlapSeconds: 60 });
  const { indexId: second } = answer.json();
  const earlier = { indexId: first, expiresAt: '2026-11-23T12:01:00.000Z' };
  expect([answer.statusCode, answer.json()]).toEqual([
    200,
    { index: 'wear', indexId: expect.stringMatching(/^[0-9a-f]{16}-wear$/), earlierIndexIds: [earlier] },
  ]);
  expect(second).not.toBe(first);
  expect(await record()).toMatchObject({ indexId: second, earlierIndexIds: [earlier] });
  clock.ms += 59_999;
  await service.reopen();
  expect([isKnown(first), isKnown(second)]).toEqual([true, true]);
  clock.ms += 1;
  expect([isKnown(first), isKnown(second)]).toEqual([false, true]);
  expect(await record()).toMatchObject({ indexId: second, earlierIndexIds: [] });
});

test('without an overlap it is gone at once, and an earlier one keeps its time', async () => {
  const { indexId: first } = await record();
  const { indexId: second } = (await rotate({ overlapSeconds: 10 })).json();
  const { indexId: third, earlierIndexIds } = (await rotate()).json();
  expect(earlierIndexIds.map(({ indexId }: { indexId: string }) => indexId)).toEqual([first]);
  expect([isKnown(first), isKnown(second), isKnown(third)]).toEqual([true, false, true]);
  clock.ms += 10_000;
  expect(isKnown(first)).toBe(false);
});

test('an empty body says as little as none', async () => {
  const { indexId } = await record();
  expect((await rotate({})).json().earlierIndexIds).toEqual([]);
  expect(isKnown(indexId)).toBe(false);
});

test('at most 8 are good at once', async () => {
  for (let count = 0; count < 7; count++) expect((await rotate({ overlapSeconds: 30 })).statusCode).toBe(200);
  const { indexId } = await record();
  const refused = await rotate({ overlapSeconds: 30 });
  expect([refused.statusCode, refused.json().code]).toEqual([409, 'operation_conflict_error']);
  expect((await record()).indexId).toBe(indexId);
  clock.ms += 30_000;
  expect((await rotate({ overlapSeconds: 30 })).json().earlierIndexIds).toHaveLength(1);
});

test.each([-1, 2_592_001, 1.5, 'soon', null])('an overlap of %j is refused', async (overlapSeconds) => {
  const { indexId } = await record();
  expect((await rotate({ overlapSeconds })).statusCode).toBe(422);
  expect((await record()).indexId).toBe(indexId);
});

test('an index that is no shop has none', async () => {
  const answer = await call(`POST ${INDEXES}/none/index-id/rotate`, {});
  expect([answer.statusCode, answer.json().code]).toEqual([404, 'index_not_found']);
});

test('every answer is as the contract says', () => {
  expect(service.responses.faults).toEqual([]);
});
