import type { Counters, PartName } from '../http/counters.js';
import { LATENCY_BOUNDS_S, type RequestFigures, STAGE_BOUNDS_S } from './request-figures.js';
import { counter, gauge, histogramSamples, type SampledMetric } from './samples.js';

const LOADS = ['search', 'add', 'update'] as const;
const PARTS: readonly PartName[] = ['body.small', 'body.large', 'answer.small', 'answer.large'];

/** The metrics of requests that were answered, and of those under way. */
export function requestMetrics(counters: Counters): SampledMetric[] {
  return [
    ...answered(counters.requestFigures),
    stages(counters.requestFigures, 'search'),
    stages(counters.requestFigures, 'write'),
    gauge(
      'pelorus_requests_in_progress',
      'Requests that count toward a limit of how many run at once',
      LOADS.map((load) => ({ labels: { load }, value: counters.counter(load).value })),
    ),
    gauge(
      'pelorus_held_bytes',
      'Bytes of bodies and answers under way that count toward their limits',
      PARTS.map((part) => {
        const [of = '', size = ''] = part.split('.');
        return { labels: { of, size }, value: counters.counter(part).value };
      }),
    ),
  ];
}

function answered(figures: RequestFigures): SampledMetric[] {
  const name = 'pelorus_request_duration_seconds';
  const all = figures.all();
  const ofStatus = all.flatMap(({ operation, byStatus }) =>
    [...byStatus].map(([status, value]) => ({ labels: { operation, status: String(status) }, value })),
  );
  const latencies = all.map(({ operation, seconds, byLatency }) => ({
    ...{ labels: { operation }, seconds, counts: byLatency },
  }));
  return [
    counter('pelorus_requests_total', 'Requests that were answered', ofStatus),
    {
      name,
      help: 'Time from the head of a request to the end of its answer',
      type: 'histogram',
      samples: histogramSamples(name, LATENCY_BOUNDS_S, latencies),
    },
    counter(
      'pelorus_errors_total',
      'Answers that are errors, by their code',
      figures.errors().map(([code, value]) => ({ labels: { code }, value })),
    ),
  ];
}

function stages(figures: RequestFigures, kind: 'search' | 'write'): SampledMetric {
  const name = `pelorus_${kind}_stage_duration_seconds`;
  const ofKind = figures.stages().filter((stage) => stage.kind === kind);
  const latencies = ofKind.map((stage) => ({
    ...{ labels: { stage: stage.name }, seconds: stage.seconds, counts: stage.byLatency },
  }));
  return {
    name,
    help: `Time of the stages of a ${kind}`,
    type: 'histogram',
    samples: histogramSamples(name, STAGE_BOUNDS_S, latencies),
  };
}
