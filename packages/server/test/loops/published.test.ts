import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Followed, Published } from '../../src/loops/published.js';

test('whoever follows a value reads the last one that was published, in the same turn', () => {
  const published = new Published({ revoked: [] as string[] });
  const followed = [new Followed<{ revoked: string[] }>(published.subscribe())];
  expect(followed[0]?.value).toEqual({ revoked: [] });
  for (let count = 1; count <= 100; count += 1) published.publish({ revoked: ['a', String(count)] });
  followed.push(new Followed(published.subscribe()));
  for (const one of followed) {
    expect(one.value).toEqual({ revoked: ['a', '100'] });
    expect(one.value).toBe(one.value);
    one.close();
  }
});

test('one who reads late finds nothing that piled up to be older', async () => {
  const published = new Published(0);
  const followed = new Followed<number>(published.subscribe());
  published.publish(1);
  await turn();
  published.publish(2);
  expect(followed.value).toBe(2);
  published.publish(3);
  expect(followed.value).toBe(3);
  followed.close();
});
