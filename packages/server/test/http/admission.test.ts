import { expect, test } from 'vitest';
import { Admission } from '../../src/http/admission.js';

test('one request more than there are places is refused, and told when to come back', async () => {
  const admission = new Admission('SEARCH', 2);
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const running = [admission.run(() => held), admission.run(() => held)];
  await expect(admission.run(async () => undefined)).rejects.toMatchObject({
    code: 'too_many_requests',
    status: 429,
    message:
      "Throttled because maximum thread count (2) for request type 'SEARCH' has been exceeded. Try your request again later.",
    headers: { 'retry-after': '1' },
  });
  release();
  await Promise.all(running);
  await expect(admission.run(async () => 'in')).resolves.toBe('in');
});

test('work that fails gives its place back', async () => {
  const admission = new Admission('INDEX', 1);
  await expect(admission.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await expect(admission.run(async () => 1)).resolves.toBe(1);
});
