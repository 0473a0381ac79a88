import { expect, it } from 'vitest';
import { compare } from '../row.ts';
import type { Corpus } from './corpus.ts';
import { Entrant } from './entrant.ts';
import { Field } from './field.ts';
import type { Generator } from './generator.ts';
import type { Load } from './load.ts';
import { aim, besideAll, cellOf, loadRows } from './rows.ts';
import type { Service } from './service.ts';

const target = { workload: 'kNN', figure: 'rate', connections: 1, reach: 1.3, chase: 1.6 } as const;
const ROWS = [compare('a', 'higher', 10, 'Redis 8', 5), compare('a', 'higher', 10, 'Chroma', 8)];

/** A service that never runs, with figures that stand in for measured ones. */
function entrant(title: string, rates: number[]): Entrant {
  const made = new Entrant({ title } as Service, {} as Corpus, {} as Generator);
  const loads = rates.map((rate): Load => ({ rate, p99: 1000 / rate, cpu: null }));
  made.loads.set(cellOf('words', 1), loads);
  made.has = () => true;
  return made;
}

it('aims at the service that is named, or at the one that comes nearest', () => {
  const targets = (peer: string | null) => aim(ROWS, { ...target, peer }).map((row) => row.target?.reach);
  expect(targets('Redis')).toEqual([1.3, undefined]);
  expect(targets(null)).toEqual([undefined, 1.3]);
});

it('takes the ratio round by round, above 1 where ours is better', () => {
  const field = new Field(entrant('ours', [100, 40, 60]), [entrant('theirs', [50, 10, 60])], () => {});
  const [rate, p99, cpu] = loadRows(field, 'words', 1);
  expect(rate).toMatchObject({ metric: 'words, 1 connection (requests/s)', ours: 60, theirs: 50, ratio: 2 });
  expect(p99?.ratio).toBeCloseTo(2, 9);
  expect(cpu).toMatchObject({ ours: null, theirs: null, ratio: null });
});

it('shows ours alone where no service is left', () => {
  const ours = entrant('ours', [100]);
  const field = new Field(ours, [], () => {});
  expect(loadRows(field, 'words', 1)[0]).toMatchObject({ ours: 100, peer: null, ratio: null });
  expect(besideAll(field, 'a', 'lower', new Map([[ours, 3]]), (each) => each)[0]).toMatchObject({
    ours: 3,
    peer: null,
  });
});

it('leaves a service out from its first failure on, and ends with ours', async () => {
  const notes: string[] = [];
  const [ours, bad, good] = [entrant('ours', []), entrant('bad', []), entrant('good', [])];
  const field = new Field(ours, [bad, good], (line) => notes.push(line));
  const measured = await field.each(async (each) => {
    if (each === bad) throw new Error('no more');
    return each.service.title;
  });
  expect([...measured.values()]).toEqual(['ours', 'good']);
  expect(field.peers).toEqual([good]);
  expect(notes).toEqual(['bad FAILED: no more']);
  const failing = field.each(async (each) => {
    if (each === ours) throw new Error('ours ended');
  });
  await expect(failing).rejects.toThrow('ours ended');
});
