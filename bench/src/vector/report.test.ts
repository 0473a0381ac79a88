import { expect, it } from 'vitest';
import { peers } from '../peers.ts';
import { readDefinition, readPlan } from './plan.ts';
import { Report, type TargetDefinition, targetOf } from './report.ts';

const targets = readDefinition<TargetDefinition[]>('vector-targets');

it('finds the first target that matches set, peer and recall', () => {
  const qps = { metric: 'qps', recall: 0.95 };
  expect(targetOf(targets, 'clustered', { ...qps, peer: 'hnswlib' })).toEqual({ reach: 5, chase: 7 });
  expect(targetOf(targets, 'clustered', { ...qps, peer: 'rabitq-qg' })).toEqual({ reach: 1.2, chase: 1.6 });
  expect(targetOf(targets, 'glosses', { ...qps, peer: 'best' })).toEqual({ reach: 1, chase: 1.4 });
  expect(targetOf(targets, 'glosses', { ...qps, peer: 'rabitq-qg' })).toBeUndefined();
  const outside = { metric: 'qps-outside', peer: 'best' };
  expect(targetOf(targets, 'cone', { ...outside, recall: 0.95 })).toEqual({ reach: 5, chase: 10 });
  expect(targetOf(targets, 'cone', { ...outside, recall: 0.99 })).toBeUndefined();
  const filtered = { metric: 'filtered', peer: 'best' };
  expect(targetOf(targets, 'gauss', { ...filtered, passRate: 0.01 })).toEqual({ reach: 5, chase: 20 });
  expect(targetOf(targets, 'gauss', { ...filtered, passRate: 0.5 })).toBeUndefined();
});

it('names sets, engines and metrics of targets as the other definitions do', () => {
  const plan = readPlan('full');
  const sets = [...plan.sets, ...readPlan('million').sets].map(({ name }) => name);
  for (const target of targets) {
    expect(sets).toEqual(expect.arrayContaining(target.sets ?? []));
    if (Array.isArray(target.peers)) expect(plan.engines).toEqual(expect.arrayContaining(target.peers));
  }
  const drivers = peers().map(({ name }) => name);
  expect(drivers).toEqual(expect.arrayContaining([...plan.engines, ...readPlan('quick').engines]));
  expect(readPlan('quick', null, ['zvec-f32']).engines).toEqual(['zvec-f32']);
  expect(readPlan('quick', 'gauss').sets.map(({ name }) => name)).toEqual(['gauss']);
  expect(() => readPlan('quick', 'unknown')).toThrow('unknown is none of');
});

it('adds a row with its set and target, the ratio that of the rounds where there are any', () => {
  const report = new Report({ name: 'clustered', title: 'clustered 100k' }, targets);
  const subject = { metric: 'second-thread' };
  report.add({ subject, text: 'QPS', better: 'higher', ours: 20, peer: 'one thread', theirs: 10, ratio: 1.95 });
  report.add({ subject: { metric: 'index' }, text: 'bytes', better: 'lower', ours: 1, theirs: 3, recall: 0.95123456 });
  expect(report.rows[0]).toMatchObject({ set: 'clustered 100k', ratio: 1.95, target: { reach: 1.9, chase: 2 } });
  expect(report.rows[1]).toMatchObject({ ratio: 3, recall: 0.9512 });
  expect(report.rows[1]).not.toHaveProperty('target');
});
