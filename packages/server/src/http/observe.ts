import type { FastifyInstance } from 'fastify';
import { isObjectBytes, withMembers } from './body.js';
import { Telemetry, wantsTelemetry } from './telemetry.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** What this request measured so far. */
    telemetry: Telemetry;
    /** When it came, on the clock of `performance.now()`. */
    startedMs: number;
  }
}

/** Measures every request, shows the figures to those who ask, and writes one log line each. */
export function observeRequests(app: FastifyInstance): void {
  app.decorateRequest('startedMs', 0);
  app.decorateRequest('telemetry', null as unknown as Telemetry);

  app.addHook('onRequest', async (request) => {
    request.startedMs = performance.now();
    request.telemetry = new Telemetry();
  });

  app.addHook('onSend', async (request, reply, payload) => {
    if (!Buffer.isBuffer(payload) || !wantsTelemetry(request.query) || !isObjectBytes(payload)) return payload;
    const timing = request.telemetry.toServerTiming();
    if (timing !== '') reply.header('server-timing', timing);
    return withMembers(payload, { telemetry: request.telemetry });
  });

  // The route, never the target: queries and ids stay out of the log.
  app.addHook('onResponse', async (request, reply) => {
    request.log.info(
      {
        method: request.method,
        route: request.routeOptions.url,
        status: reply.statusCode,
        ms: Math.round((performance.now() - request.startedMs) * 1000) / 1000,
      },
      'request',
    );
  });
}
