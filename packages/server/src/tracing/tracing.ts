import type { IncomingHttpHeaders } from 'node:http';
import type { OperationId } from '@pelorus/contract';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../config.js';
import type { SearchTimes, WriteTimes } from '../http/stages.js';
import { ownVersion } from '../version.js';
import { type TraceContext, type TraceHeaders, traceContextOf, traceHeaders } from './trace-context.js';

/** The facts of an answered request that its span tells: nothing of queries, documents or their ids. */
export interface SpanFacts {
  readonly method: string;
  /** Its path as the contract has it; undefined of what no operation answers. */
  readonly route: string | undefined;
  readonly operation: OperationId | undefined;
  readonly index: string | undefined;
  readonly requestId: string;
  readonly status: number;
  /** On the clock of `performance.now()`. */
  readonly endMs: number;
  readonly searches: readonly SearchTimes[];
  readonly write: WriteTimes | null;
}

/** The part of a trace that a request is. */
export interface RequestTrace {
  /** Named by log lines; null where nobody else has the trace, or will be told of it. */
  readonly traceId: string | null;
  /** Tells whether it is told, so that {@link end} wants to know its facts. */
  readonly isRecorded: boolean;
  /** With these, a call to another program goes on with the trace. To be asked once for each call. */
  headers(): TraceHeaders;
  end(facts: SpanFacts): void;
}

/** The trace of a caller that is handed on as it came. */
export class HandedOnTrace implements RequestTrace {
  readonly isRecorded = false;
  readonly #context: TraceContext;

  constructor(context: TraceContext) {
    this.#context = context;
  }

  get traceId(): string {
    return this.#context.traceId;
  }

  headers(): TraceHeaders {
    return traceHeaders(this.#context);
  }

  end(): void {}
}

/** Traces of the requests of an event loop. */
export interface Tracing {
  /**
   * Begins the part of a request.
   * @param startedMs on the clock of `performance.now()`
   */
  begin(parent: TraceContext | undefined, startedMs: number): RequestTrace;
  /** Tells what has yet to be told, as far as that takes no more than seconds. */
  close(): Promise<void>;
}

type TracingConfig = Pick<Config, 'otlpEndpoint' | 'otlpHeaders' | 'otlpServiceName' | 'traceRatio'>;

/** The tracing that the operator asked for; null where that is none, and then nothing of it is loaded. */
export async function openTracing(
  config: TracingConfig,
  log: Pick<FastifyBaseLogger, 'warn'>,
): Promise<Tracing | null> {
  if (config.otlpEndpoint === '') return null;
  const { ExportedTracing } = await import('./exported-tracing.js');
  return new ExportedTracing(config, ownVersion(), (message) => log.warn(message));
}

/**
 * The trace of a request: one of its own or of its caller where there is tracing, else that of its caller handed on as
 * it came; undefined where there is neither.
 */
export function traceOf(
  tracing: Tracing | null,
  headers: IncomingHttpHeaders,
  startedMs: number,
): RequestTrace | undefined {
  const given = traceContextOf(headers);
  if (tracing !== null) return tracing.begin(given, startedMs);
  return given === undefined ? undefined : new HandedOnTrace(given);
}
