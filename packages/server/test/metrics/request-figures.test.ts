import { expect, test } from 'vitest';
import { LATENCY_BOUNDS_S, RequestFigures, STAGE_BOUNDS_S, UNROUTED } from '../../src/metrics/request-figures.js';

test('requests are counted by operation, latency and status', () => {
  const figures = new RequestFigures();
  expect(figures.all()).toEqual([]);
  figures.record('search', 200, 0.5);
  figures.record('search', 200, 0.6);
  figures.record('search', 429, 40_000);
  figures.record(undefined, 404, 2);
  const [search, unrouted, ...others] = figures.all();
  expect(others).toEqual([]);
  expect(search).toMatchObject({
    operation: 'search',
    byStatus: new Map([
      [200, 2],
      [429, 1],
    ]),
  });
  expect(search?.seconds).toBeCloseTo(40.0011, 6);
  expect(search?.byLatency).toHaveLength(LATENCY_BOUNDS_S.length + 1);
  // A latency that is a bound is below it, as Prometheus has it.
  expect(search?.byLatency.slice(0, 2)).toEqual([1, 1]);
  expect(search?.byLatency.at(-1)).toBe(1);
  expect(unrouted).toMatchObject({ operation: UNROUTED, byStatus: new Map([[404, 1]]) });
});

test('event loops count apart and are told together', () => {
  const memory = RequestFigures.memoryFor(3);
  const loops = [1, 2, 3].map((loop) => new RequestFigures(memory, loop));
  for (const loop of loops) loop.record('addDocuments', 200, 7);
  loops[2]?.record('getHealth', 200, 1);
  for (const loop of loops) {
    expect(
      loop
        .all()
        .map(({ operation, byStatus }) => [operation, byStatus.get(200)])
        .sort(),
    ).toEqual([
      ['addDocuments', 3],
      ['getHealth', 1],
    ]);
  }
});

test('stages are counted by their kind, errors by their code', () => {
  const figures = new RequestFigures(RequestFigures.memoryFor(2), 2);
  expect([figures.stages(), figures.errors()]).toEqual([[], []]);
  const embed = { name: 'embed', startMs: 10, endMs: 10.2 } as const;
  figures.recordStages([
    { kind: 'search', ...embed },
    { kind: 'write', ...embed },
    { kind: 'search', ...embed, endMs: 60_000 },
  ]);
  figures.recordError('too_many_requests');
  figures.recordError('too_many_requests');
  const [searched, written, ...others] = figures.stages();
  expect(others).toEqual([]);
  expect(searched).toMatchObject({ kind: 'search', name: 'embed', seconds: expect.closeTo(59.9902, 6) });
  expect(searched?.byLatency).toHaveLength(STAGE_BOUNDS_S.length + 1);
  expect([searched?.byLatency[2], searched?.byLatency.at(-1)]).toEqual([1, 1]);
  expect(written).toMatchObject({ kind: 'write', name: 'embed' });
  expect(figures.errors()).toEqual([['too_many_requests', 2]]);
  // Requests are others.
  expect(figures.all()).toEqual([]);
});

test.each([
  [201, 200],
  [302, 300],
  [418, 400],
  [499, 400],
  [507, 500],
  [503, 503],
  [100, 200],
  [999, 500],
])('the status %i counts as %i', (status, counted) => {
  const figures = new RequestFigures();
  figures.record('search', status, 1);
  expect([...(figures.all()[0]?.byStatus.keys() ?? [])]).toEqual([counted]);
});
