import { expect, test } from 'vitest';
import { expositionOf } from '../../src/metrics/exposition.js';
import { histogramSamples } from '../../src/metrics/samples.js';

test('samples become lines behind what they are, with labels escaped', async () => {
  const text = await expositionOf([
    { name: 'a_total', help: 'Things', type: 'counter', samples: [{ labels: { name: 'x"\\\ny' }, value: 2 }] },
    { name: 'b', help: 'None', type: 'gauge', samples: [] },
    { name: 'c', help: 'One', type: 'gauge', samples: [{ value: 0.25 }] },
  ]);
  expect(text.split('\n')).toEqual([
    '# HELP a_total Things',
    '# TYPE a_total counter',
    'a_total{name="x\\"\\\\\\ny"} 2',
    '',
    '# HELP c One',
    '# TYPE c gauge',
    'c 0.25',
    '',
  ]);
});

test('groups of a histogram are summed up', () => {
  const samples = histogramSamples('t', [0.1, 1], [{ labels: { of: 'a' }, seconds: 7, counts: [2, 0, 3] }]);
  expect(samples).toEqual([
    { metricName: 't_bucket', labels: { of: 'a', le: '0.1' }, value: 2 },
    { metricName: 't_bucket', labels: { of: 'a', le: '1' }, value: 2 },
    { metricName: 't_bucket', labels: { of: 'a', le: '+Inf' }, value: 5 },
    { metricName: 't_sum', labels: { of: 'a' }, value: 7 },
    { metricName: 't_count', labels: { of: 'a' }, value: 5 },
  ]);
});
