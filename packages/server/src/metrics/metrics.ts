import type { schemas } from '@pelorus/contract';
import type { CounterName, Counters } from '../http/counters.js';
import type { LoopFigures } from '../loops/loop-figures.js';
import type { HostMonitor } from '../services/monitor.js';
import { LATENCY_BOUNDS_S, type RequestFigure } from './request-figures.js';
import { histogramSamples, type Sample, type SampledMetric } from './samples.js';

/** The figures of an index, as far as metrics tell them. */
export interface IndexFigure {
  readonly name: string;
  readonly documents: number;
  readonly vectors: number;
  /** Bytes of memory by what they are for. */
  readonly memory: Readonly<Record<string, number>>;
}

/** A model in memory, on a device. */
export interface ModelFigure {
  readonly model_name: string;
  readonly model_device: string;
  readonly encoder: string;
  readonly precision: string;
}

/** A request for metrics gives what is its caller's to see. */
export interface MetricsOfCaller {
  readonly health: schemas.Health;
  /** The number of indexes, and figures of those that have labels of their own. */
  readonly indexes: { readonly count: number; readonly figures: readonly IndexFigure[] };
}

export interface MetricsParts {
  readonly version: string;
  readonly counters: Counters;
  readonly loops: LoopFigures;
  readonly host: HostMonitor;
  readonly inference: { loaded(): readonly ModelFigure[]; modelBytes(): number };
}

/** Most indexes whose figures have a label of their own: Prometheus keeps a series for each of their values. */
export const LABELLED_INDEXES_MAX = 200;

const LOADS: readonly CounterName[] = ['search', 'add', 'update'];
const SEVERITY = { green: 0, yellow: 1, red: 2 } as const;

/** The metrics of a server, read off its parts whenever somebody asks. */
export class Metrics {
  readonly #parts: MetricsParts;

  constructor(parts: MetricsParts) {
    this.#parts = parts;
  }

  /** The text of an answer, in the format of Prometheus. */
  async text({ health, indexes }: MetricsOfCaller): Promise<string> {
    const { counters } = this.#parts;
    const metrics = [
      ...requestMetrics(counters.requestFigures.all()),
      ...this.#serverMetrics(),
      ...healthMetrics(health),
      ...indexMetrics(indexes.count, indexes.figures),
      ...this.#modelMetrics(),
    ];
    const { expositionOf, nodeMetrics } = await import('./exposition.js');
    const [own, ofNode] = await Promise.all([expositionOf(metrics), nodeMetrics()]);
    return `${own}\n${ofNode}`;
  }

  #serverMetrics(): SampledMetric[] {
    const { version, counters, loops, host } = this.#parts;
    const { heldBytes, budgetBytes } = host.processMemory();
    const { storagePercent, storageHasRoom, memoryHasRoom } = host.usage();
    const threads = loops.totals();
    const ofThread = (value: (one: (typeof threads)[number]) => number) =>
      threads.map((one, at): Sample => ({ labels: { thread: String(at + 1) }, value: value(one) }));
    return [
      gauge('pelorus_build_info', 'The version of this program', [{ labels: { version }, value: 1 }]),
      gauge(
        'pelorus_requests_in_progress',
        'Requests that count toward a limit of how many run at once',
        LOADS.map((load) => ({ labels: { load }, value: counters.counter(load).value })),
      ),
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
    ];
  }

  #modelMetrics(): SampledMetric[] {
    const { inference } = this.#parts;
    const loaded = inference.loaded().map(({ model_name: model, model_device: device, encoder, precision }) => ({
      labels: { model, device, encoder, precision },
      value: 1,
    }));
    return [
      gauge('pelorus_model_loaded', 'A model in memory', loaded),
      gauge('pelorus_model_memory_bytes', 'Memory of all models', [{ value: inference.modelBytes() }]),
    ];
  }
}

function requestMetrics(figures: readonly RequestFigure[]): SampledMetric[] {
  const name = 'pelorus_request_duration_seconds';
  const ofStatus = figures.flatMap(({ operation, byStatus }) =>
    [...byStatus].map(([status, value]) => ({ labels: { operation, status: String(status) }, value })),
  );
  const latencies = figures.map(({ operation, seconds, byLatency }) => ({
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
  ];
}

function healthMetrics({ status, telemetry: _, ...parts }: schemas.Health): SampledMetric[] {
  const told = Object.entries(parts as Record<string, { status: schemas.Health['status'] }>);
  const ofParts = told.map(([part, { status }]) => ({ labels: { part }, value: SEVERITY[status] }));
  const whole = { labels: { part: 'all' }, value: SEVERITY[status] };
  return [gauge('pelorus_health', 'Health: 0 is green, 1 yellow, 2 red', [whole, ...ofParts])];
}

function indexMetrics(count: number, figures: readonly IndexFigure[]): SampledMetric[] {
  const ofIndexes = (value: (figure: IndexFigure) => number) =>
    figures.map((figure): Sample => ({ labels: { index: figure.name }, value: value(figure) }));
  const memory = figures.flatMap(({ name, memory }) =>
    Object.entries(memory).map(([owner, value]) => ({ labels: { index: name, owner }, value })),
  );
  return [
    gauge('pelorus_indexes', 'Indexes', [{ value: count }]),
    gauge(
      'pelorus_index_documents',
      'Documents of an index',
      ofIndexes(({ documents }) => documents),
    ),
    gauge(
      'pelorus_index_vectors',
      'Vectors of an index, unreclaimed ones among them',
      ofIndexes(({ vectors }) => vectors),
    ),
    gauge('pelorus_index_memory_bytes', 'Memory of an index by what it is for', memory),
  ];
}

const gauge = (name: string, help: string, samples: readonly Sample[]): SampledMetric => ({
  ...{ name, help, type: 'gauge', samples },
});

const counter = (name: string, help: string, samples: readonly Sample[]): SampledMetric => ({
  ...{ name, help, type: 'counter', samples },
});
