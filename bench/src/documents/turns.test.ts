import { expect, it } from 'vitest';
import type { Database } from './database.ts';
import { aimAtBest, Turns } from './turns.ts';

const named = (title: string) => ({ title }) as Database;

it('lets databases take turns and gives the median of the rounds', async () => {
  const [ours, peer] = [named('ours'), named('peer')];
  const order: string[] = [];
  const turns = new Turns(ours, [peer], () => {});
  const measured = await turns.take(3, async (database, round) => {
    order.push(database.title);
    return database === ours ? 20 + round : 10;
  });
  expect(order).toEqual(['ours', 'peer', 'peer', 'ours', 'ours', 'peer']);
  expect(turns.rows('rate', 'higher', measured, 0.9)).toEqual([
    { metric: 'rate', peer: 'peer', ours: 21, theirs: 10, ratio: 2.1, recall: 0.9 },
  ]);
  expect(turns.rows('time', 'lower', measured)[0]?.ratio).toBeCloseTo(1 / 2.1);
});

it('names a peer that fails and goes on without it', async () => {
  const notes: string[] = [];
  const [ours, peer] = [named('ours'), named('peer')];
  const turns = new Turns(ours, [peer], (line) => notes.push(line));
  const measured = await turns.take(2, async (database) => {
    if (database === peer) throw new Error('no room');
    return 1;
  });
  expect(notes).toEqual(['peer FAILED: no room']);
  expect(turns.rows('rate', 'higher', measured)).toMatchObject([{ peer: null, ours: 1, ratio: null }]);
  expect((await turns.take(1, async () => 1)).size).toBe(1);
});

it('fails when ours does', async () => {
  const turns = new Turns(named('ours'), [], () => {});
  await expect(turns.take(1, () => Promise.reject(new Error('no room')))).rejects.toThrow('no room');
});

it('aims at the best of the peers', () => {
  const row = { metric: 'rate', peer: null, ours: 1, theirs: 1, recall: null };
  const rows = [4, 2, 3].map((ratio) => ({ ...row, ratio }));
  const targets = aimAtBest(rows, { reach: 3, chase: 3 }).map(({ target }) => target);
  expect(targets).toEqual([undefined, { reach: 3, chase: 3 }, undefined]);
});
