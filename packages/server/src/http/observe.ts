import type { ErrorCode, OperationId } from '@pelorus/contract';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.js';
import { type RequestTrace, type Tracing, traceOf } from '../tracing/tracing.js';
import { isObjectBytes, withMembers } from './body.js';
import type { Counters } from './counters.js';
import { indexOf, type SlowRequest, slowFrom, slowRequestOf } from './slow-requests.js';
import { Telemetry, wantsTelemetry } from './telemetry.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The measurements of this request so far. */
    telemetry: Telemetry;
    /** The time at which it came, on the clock of `performance.now()`. */
    startedMs: number;
    /** Tells that another event loop answers it, and observes it there. */
    isPassedOn: boolean;
    /** The part of a trace that it is; undefined for none. */
    trace: RequestTrace | undefined;
    /** The code of the error that it is answered with; undefined for none. */
    errorCode: ErrorCode | undefined;
  }

  interface FastifyContextConfig {
    /** The operation that a route is of; absent of what is none, such as a preflight. */
    operation?: OperationId;
  }
}

/**
 * The severity of a request's log line: of a busy server that is well nobody wants to read one for each.
 * @param slowMs from here on the request is slow
 */
export function lineLevel(status: number, ms: number, slowMs: number): 'debug' | 'info' | 'warn' | 'error' {
  // A deadline that passed is no fault of the server's alone.
  if (status === 504) return 'warn';
  if (status >= 500) return 'error';
  if (ms >= slowMs) return 'warn';
  return status >= 400 ? 'info' : 'debug';
}

interface Observers {
  readonly config: Config;
  readonly counters: Counters;
  readonly noteSlow: (request: SlowRequest) => void;
  readonly tracing: Tracing | null;
}

/**
 * Measures every request, shows the figures to those who ask, and writes one log line each.
 * @param counters count them
 * @param noteSlow is told of those that take long
 * @param tracing traces them; null for none
 */
export function observeRequests(app: FastifyInstance, { config, counters, noteSlow, tracing }: Observers): void {
  const answered = counters.answered('requests');
  app.decorateRequest('startedMs', 0);
  app.decorateRequest('isPassedOn', false);
  app.decorateRequest('telemetry', null as unknown as Telemetry);
  app.decorateRequest('trace', undefined);
  app.decorateRequest('errorCode', undefined);

  app.addHook('onRequest', (request, reply, done) => {
    request.startedMs = performance.now();
    request.telemetry = new Telemetry(wantsTelemetry(request.query));
    request.trace = traceOf(tracing, request.headers, request.startedMs);
    const traceId = request.trace?.traceId ?? null;
    if (traceId !== null) {
      request.log = request.log.child({ trace_id: traceId });
      reply.log = request.log;
    }
    done();
  });

  app.addHook('onSend', (request, reply, payload, done) => {
    if (request.isPassedOn || !Buffer.isBuffer(payload) || !wantsTelemetry(request.query) || !isObjectBytes(payload)) {
      return done(null, payload);
    }
    const timing = request.telemetry.toServerTiming();
    if (timing !== '') reply.header('server-timing', timing);
    done(null, withMembers(payload, { telemetry: request.telemetry }));
  });

  // The route, never the target: queries and ids stay out of the log.
  app.addHook('onResponse', (request, reply, done) => {
    if (request.isPassedOn) return done();
    answered.add(1);
    const { method, routeOptions, startedMs, log, telemetry, trace } = request;
    const status = reply.statusCode;
    const endMs = performance.now();
    const ms = Math.round((endMs - startedMs) * 1000) / 1000;
    const { operation } = routeOptions.config;
    const { requestFigures } = counters;
    requestFigures.record(operation, status, ms);
    if (request.errorCode !== undefined) requestFigures.recordError(request.errorCode);
    const { searches, write: written } = telemetry;
    for (const times of searches) requestFigures.recordStages(times.stages());
    if (written !== null) requestFigures.recordStages(written.stages);
    if (trace?.isRecorded === true) {
      trace.end({
        ...{ method, route: routeOptions.url, operation, index: indexOf(request), requestId: request.id },
        ...{ status, endMs, searches, write: written },
      });
    }
    const slowMs = slowFrom(operation, config);
    const facts = { method, route: routeOptions.url, status, ms };
    const write = (more: object) => log[lineLevel(status, ms, slowMs)]({ ...facts, ...more }, 'request');
    if (ms < slowMs) write({});
    else {
      const slow = slowRequestOf(request, status, ms);
      noteSlow(slow);
      const { index, stagesMs, search, documents } = slow;
      write({ index, stagesMs, search, documents });
    }
    done();
  });
}
