import { expect, it } from 'vitest';
import { leastEffort } from './entrant.ts';

const recallAt = async (effort: number) => Math.min(0.99, effort / 100);

it('takes the least effort with enough recall, and tries no further', async () => {
  const tried: number[] = [];
  const found = await leastEffort([50, 90, 95, 200], 0.9, (effort) => {
    tried.push(effort);
    return recallAt(effort);
  });
  expect(found).toBe(90);
  expect(tried).toEqual([50, 90]);
});

it('takes the least of those with the most where none has enough', async () => {
  expect(await leastEffort([50, 99, 200, 400], 0.995, recallAt)).toBe(99);
});
