import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';

export const REQUEST_ID = 'x-request-id';

/** Ids that callers may give: safe in any log, and no longer than an id needs. */
const WELL_FORMED = /^[\w.:/+=-]{1,128}$/;

/** The id of a request, by which answer and log lines are told to belong together: its caller's, or one of its own. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers[REQUEST_ID];
  return typeof given === 'string' && WELL_FORMED.test(given) ? given : randomUUID();
}

/** Gives every answer of a route or of none the id of its request. An answer that bypasses the hooks sets it itself. */
export function tellRequestIds(app: FastifyInstance): void {
  app.addHook('onRequest', ({ id }, reply, done) => {
    reply.header(REQUEST_ID, id);
    done();
  });
}
