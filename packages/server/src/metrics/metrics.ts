import type { schemas } from '@pelorus/contract';
import type { Counters } from '../http/counters.js';
import type { LoopFigures } from '../loops/loop-figures.js';
import type { HostMonitor } from '../services/monitor.js';
import { type HostedFigures, hostedMetrics } from './hosted-metrics.js';
import { type IndexFigure, indexMetrics } from './index-metrics.js';
import { type ModelFigures, modelMetrics } from './model-metrics.js';
import { requestMetrics } from './request-metrics.js';
import { counter, gauge, type Sample, type SampledMetric } from './samples.js';

/** A request for metrics gives what is its caller's to see. */
export interface MetricsOfCaller {
  readonly health: schemas.Health;
  /** The number of indexes, and figures of those that have labels of their own. */
  readonly indexes: { readonly count: number; readonly figures: readonly IndexFigure[] };
  /** Those of a gateway; absent for any other server. */
  readonly hosted?: HostedFigures;
}

export interface MetricsParts {
  readonly version: string;
  readonly counters: Counters;
  readonly loops: LoopFigures;
  readonly host: HostMonitor;
  readonly inference: ModelFigures;
}

const SEVERITY = { green: 0, yellow: 1, red: 2 } as const;

/** The metrics of a server, read off its parts whenever somebody asks. */
export class Metrics {
  readonly #parts: MetricsParts;

  constructor(parts: MetricsParts) {
    this.#parts = parts;
  }

  /** The text of an answer, in the format of Prometheus. */
  async text({ health, indexes, hosted }: MetricsOfCaller): Promise<string> {
    const { counters, inference } = this.#parts;
    const metrics = [
      ...requestMetrics(counters),
      ...this.#serverMetrics(),
      ...healthMetrics(health),
      ...indexMetrics(indexes.count, indexes.figures),
      ...modelMetrics(inference),
      ...(hosted === undefined ? [] : hostedMetrics(hosted)),
    ];
    const { expositionOf, nodeMetrics } = await import('./exposition.js');
    const [own, ofNode] = await Promise.all([expositionOf(metrics), nodeMetrics()]);
    return `${own}\n${ofNode}`;
  }

  #serverMetrics(): SampledMetric[] {
    const { version, loops, host } = this.#parts;
    const { heldBytes, budgetBytes } = host.processMemory();
    const { storagePercent, storageHasRoom, storageBytes, memoryHasRoom } = host.usage();
    const threads = loops.totals();
    const ofThread = (value: (one: (typeof threads)[number]) => number) =>
      threads.map((one, at): Sample => ({ labels: { thread: String(at + 1) }, value: value(one) }));
    return [
      gauge('pelorus_build_info', 'The version of this program', [{ labels: { version }, value: 1 }]),
      counter('pelorus_searches_total', 'Requests that count as searches', [
        { value: threads.reduce((sum, { searches }) => sum + searches, 0) },
      ]),
      counter(
        'pelorus_http_thread_requests_total',
        'Requests that a thread answered',
        ofThread((one) => one.requests),
      ),
      counter(
        'pelorus_http_thread_busy_seconds_total',
        'Time for which a thread was at work: 1 a second is all that it can do',
        ofThread((one) => one.busySeconds),
      ),
      gauge('pelorus_memory_held_bytes', 'Memory that counts toward the budget', [{ value: heldBytes }]),
      gauge('pelorus_memory_budget_bytes', 'The budget of memory', [{ value: budgetBytes }]),
      gauge('pelorus_memory_has_room', '1 while documents can be added, as far as memory goes', [
        { value: Number(memoryHasRoom) },
      ]),
      gauge(
        'pelorus_storage_used_ratio',
        'Share of the disk that is in use',
        storagePercent === null ? [] : [{ value: storagePercent / 100 }],
      ),
      gauge(
        'pelorus_storage_has_room',
        '1 while documents can be added, as far as the disk goes',
        storageHasRoom === null ? [] : [{ value: Number(storageHasRoom) }],
      ),
      gauge(
        'pelorus_storage_bytes',
        'Bytes of the disk, those that can be used, and those of them that are kept free of documents',
        Object.entries(storageBytes ?? {}).map(([of, value]) => ({ labels: { of }, value })),
      ),
    ];
  }
}

function healthMetrics({ status, telemetry: _, ...parts }: schemas.Health): SampledMetric[] {
  const told = Object.entries(parts as Record<string, { status: schemas.Health['status'] }>);
  const ofParts = told.map(([part, { status }]) => ({ labels: { part }, value: SEVERITY[status] }));
  const whole = { labels: { part: 'all' }, value: SEVERITY[status] };
  return [gauge('pelorus_health', 'Health: 0 is green, 1 yellow, 2 red', [whole, ...ofParts])];
}
