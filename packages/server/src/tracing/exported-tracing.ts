// Loads the SDK of OpenTelemetry: imported where the operator asks for traces, and only there.

import { randomBytes, randomUUID } from 'node:crypto';
import {
  type Attributes,
  createTraceState,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Config } from '../config.js';
import type { SearchTimes, Stage, WriteTimes } from '../http/stages.js';
import { type TraceContext, traceHeaders } from './trace-context.js';
import { HandedOnTrace, type RequestTrace, type SpanFacts, type Tracing } from './tracing.js';

/** Part of the address of a collector, by the standard, at which it takes traces. */
const TRACES_PATH = '/v1/traces';
/** Longest time for one delivery, and for the last at the end. */
const EXPORT_MS = 10_000;
const CLOSE_MS = 2_000;
/** A collector that is away is told of at most this often. */
const TOLD_MS = 60_000;

type Tracer = ReturnType<TracerProvider['getTracer']>;

/** Traces that go to a collector of OpenTelemetry: those that their callers record, and a share of all others. */
export class ExportedTracing implements Tracing {
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;
  readonly #ratio: number;

  constructor(
    {
      otlpEndpoint,
      otlpHeaders,
      otlpServiceName,
      traceRatio,
    }: Pick<Config, 'otlpEndpoint' | 'otlpHeaders' | 'otlpServiceName' | 'traceRatio'>,
    version: string,
    warn: (message: string) => void,
  ) {
    const exporter = new OTLPTraceExporter({
      url: `${otlpEndpoint}${TRACES_PATH}`,
      headers: { ...otlpHeaders },
      timeoutMillis: EXPORT_MS,
    });
    this.#provider = new TracerProvider({
      resource: resourceFromAttributes({
        'service.name': otlpServiceName,
        'service.version': version,
        'service.instance.id': randomUUID(),
        'process.pid': process.pid,
      }),
      // Only what is told comes to the SDK: a span that it drops costs a search as much as all else that is counted.
      sampler: new AlwaysOnSampler(),
      spanProcessors: [new BatchSpanProcessor({ exporter: new ToldExporter(exporter, warn) })],
    });
    this.#tracer = this.#provider.getTracer('pelorus', version);
    this.#ratio = traceRatio;
  }

  begin(parent: TraceContext | undefined, startedMs: number): RequestTrace {
    // The caller has decided, where there is one.
    if (parent !== undefined) return parent.flags & 1 ? this.#record(parent, startedMs) : new HandedOnTrace(parent);
    return Math.random() < this.#ratio ? this.#record(undefined, startedMs) : untold;
  }

  async close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const enough = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLOSE_MS);
    });
    // A collector that is away was told of when it was.
    await Promise.race([this.#provider.shutdown().catch(() => undefined), enough]);
    clearTimeout(timer);
  }

  #record(parent: TraceContext | undefined, startedMs: number): RequestTrace {
    // Clocks of both kinds are read at one moment, so that the stages of a request lie within it.
    const epochMs = Date.now() - performance.now();
    const context =
      parent === undefined
        ? ROOT_CONTEXT
        : trace.setSpanContext(ROOT_CONTEXT, {
            ...{ traceId: parent.traceId, spanId: parent.spanId, traceFlags: parent.flags & 1, isRemote: true },
            ...(parent.state !== null && { traceState: createTraceState(parent.state) }),
          });
    const span = this.#tracer.startSpan('request', { kind: SpanKind.SERVER, startTime: epochMs + startedMs }, context);
    const { traceId, spanId, traceFlags: flags } = span.spanContext();
    return {
      ...{ traceId, isRecorded: true },
      headers: () => traceHeaders({ traceId, spanId, flags, state: parent?.state ?? null }),
      end: (facts) => this.#end(span, facts, epochMs),
    };
  }

  #end(span: Span, facts: SpanFacts, epochMs: number): void {
    const { method, route, operation, index, requestId, status, endMs, searches, write } = facts;
    span.updateName(route === undefined ? method : `${method} ${route}`);
    span.setAttributes({
      'http.request.method': method,
      'http.response.status_code': status,
      'url.scheme': 'http',
      ...(route !== undefined && { 'http.route': route }),
      ...(operation !== undefined && { 'pelorus.operation': operation }),
      ...(index !== undefined && { 'pelorus.index': index }),
      'pelorus.request_id': requestId,
      ...(status >= 500 && { 'error.type': String(status) }),
    });
    if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    for (const times of searches) this.#stages(span, times.stages(), searchAttributes(times), epochMs);
    if (write !== null) this.#stages(span, write.stages, writeAttributes(write), epochMs);
    span.end(epochMs + endMs);
  }

  #stages(parent: Span, stages: readonly Stage[], attributesOf: (stage: Stage) => Attributes, epochMs: number): void {
    const context = trace.setSpan(ROOT_CONTEXT, parent);
    for (const stage of stages) {
      const { name, startMs, endMs } = stage;
      const options = { startTime: epochMs + startMs, attributes: attributesOf(stage) };
      this.#tracer.startSpan(name, options, context).end(epochMs + endMs);
    }
  }
}

/** A request that is not told, of no caller's trace: nothing is made for it, unless others must learn not to tell it. */
const untold: RequestTrace = {
  ...{ traceId: null, isRecorded: false },
  headers: () =>
    traceHeaders({
      ...{ traceId: randomBytes(16).toString('hex'), spanId: randomBytes(8).toString('hex') },
      ...{ flags: 0, state: null },
    }),
  end: () => undefined,
};

function searchAttributes({ index, plan, model }: SearchTimes): (stage: Stage) => Attributes {
  const ofIndex = { 'pelorus.index': index };
  const ofPlan = { ...ofIndex, 'pelorus.retrieval': plan.retrievalMethod, 'pelorus.ranking': plan.rankingMethod };
  return ({ name }) => {
    if (name === 'embed') return { ...ofIndex, ...modelAttributes(model) };
    if (name === 'plan') return ofPlan;
    return { ...ofPlan, 'pelorus.limit': plan.limit, 'pelorus.offset': plan.offset };
  };
}

function writeAttributes({ index, documents, model }: WriteTimes): (stage: Stage) => Attributes {
  const ofIndex = { 'pelorus.index': index };
  return ({ name }) =>
    name === 'embed' ? { ...ofIndex, ...modelAttributes(model) } : { ...ofIndex, 'pelorus.documents': documents };
}

/** Vectors that came with the request, or are in the index, are of no model. */
function modelAttributes(model: SearchTimes['model']): Attributes {
  return model === null ? { 'pelorus.inputs': 0 } : { 'pelorus.model': model.name, 'pelorus.inputs': model.inputs };
}

/** An exporter whose failures are told, now and then. */
class ToldExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #warn: (message: string) => void;
  #toldMs = Number.NEGATIVE_INFINITY;

  constructor(exporter: SpanExporter, warn: (message: string) => void) {
    this.#exporter = exporter;
    this.#warn = warn;
  }

  export(spans: ReadableSpan[], done: Parameters<SpanExporter['export']>[1]): void {
    this.#exporter.export(spans, (result) => {
      if (result.code !== 0) this.#tell(spans.length, result.error);
      done(result);
    });
  }

  async shutdown(): Promise<void> {
    await this.#exporter.shutdown();
  }

  async forceFlush(): Promise<void> {
    await this.#exporter.forceFlush?.();
  }

  #tell(count: number, error: Error | undefined): void {
    const now = performance.now();
    if (now - this.#toldMs < TOLD_MS) return;
    this.#toldMs = now;
    this.#warn(`The collector of traces did not take ${count} spans: ${error?.message ?? 'no reason is known'}`);
  }
}
