import type { PelorusError } from '@pelorus/contract';
import { expect, test } from 'vitest';
import { ChangeQuota } from '../../src/hosted/change-quota.js';

test('calls above the limit of a minute are told when to come again, failed ones counted', () => {
  const quota = new ChangeQuota(2);
  quota.take(undefined, 0);
  quota.take(undefined, 10_000);
  const refused = () => {
    try {
      quota.take(undefined, 20_000);
      return undefined;
    } catch (error) {
      return error as PelorusError;
    }
  };
  expect(refused()).toMatchObject({ code: 'too_many_requests', headers: { 'retry-after': '40' } });
  expect(refused()?.message).toMatch(
    /^This key has asked 2 times within a minute for an index to be created, changed or/,
  );
  quota.take(undefined, 60_000);
});
