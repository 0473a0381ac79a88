import { PelorusError } from '@pelorus/contract';
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { toBytes } from './body.js';
import { connectionAfter } from './faults.js';
import { methodsOf, splitTarget, withoutTrailingSlash } from './paths.js';

/** Sends a known path with a slash too many to where it should have gone; 307 keeps method and body. */
export function redirectTrailingSlash(
  request: FastifyRequest,
  reply: FastifyReply,
  done: HookHandlerDoneFunction,
): void {
  const target = withoutTrailingSlash(request.raw.url ?? '/');
  if (target === undefined) done();
  else reply.redirect(target, 307);
}

/** Answers what no route takes before its body is read: how long that is, is then no matter. */
export function refuseUnrouted(request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void {
  if (request.is404) answerUnrouted(request, reply);
  else done();
}

/** Answers what no route took: 405 on a known path, 404 elsewhere. Both carry the short `detail` as well. */
export function answerUnrouted(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { path } = splitTarget(request.raw.url ?? '/');
  const allowed = methodsOf(path);
  const fault =
    allowed.length > 0
      ? new PelorusError('method_not_allowed', `${request.method} is not a method of this path`)
      : new PelorusError('not_found', 'There is no such path');
  if (connectionAfter(request) === 'close') reply.header('connection', 'close');
  if (allowed.length > 0) reply.header('allow', allowed.join(', '));
  return reply
    .code(fault.status)
    .header('content-type', 'application/json')
    .send(toBytes({ detail: allowed.length > 0 ? 'Method Not Allowed' : 'Not Found', ...fault.toBody() }));
}
