import { PelorusError } from '@pelorus/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { toBytes } from './body.js';
import { connectionAfter, errorMember } from './faults.js';
import { type KnownPaths, splitTarget } from './paths.js';

/** Answers what no operation takes, before its body is read: how long that is, is then no matter. */
export function refuseUnrouted(app: FastifyInstance, paths: KnownPaths): void {
  // A known path with a slash too many is sent to where it should have gone; 307 keeps method and body.
  app.addHook('onRequest', (request, reply, done) => {
    const target = paths.withoutTrailingSlash(request.raw.url ?? '/');
    if (target !== undefined) reply.redirect(target, 307);
    else if (request.is404) answerUnrouted(request, reply, paths);
    else done();
  });
  app.setNotFoundHandler((request, reply) => answerUnrouted(request, reply, paths));
}

/** 405 on a known path, 404 elsewhere. Both carry the short `detail` as well. */
function answerUnrouted(request: FastifyRequest, reply: FastifyReply, paths: KnownPaths): FastifyReply {
  const { path } = splitTarget(request.raw.url ?? '/');
  const allowed = paths.methodsOf(path);
  const fault =
    allowed.length > 0
      ? new PelorusError('method_not_allowed', `${request.method} is not a method of this path`)
      : new PelorusError('not_found', 'There is no such path');
  const detail = allowed.length > 0 ? 'Method Not Allowed' : 'Not Found';
  if (connectionAfter(request) === 'close') reply.header('connection', 'close');
  if (allowed.length > 0) reply.header('allow', allowed.join(', '));
  return reply
    .code(fault.status)
    .header('content-type', 'application/json')
    .send(toBytes({ detail, ...fault.toBody(), ...errorMember(request, fault) }));
}
