import { PelorusError } from '@pelorus/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { toBytes } from './body.js';
import { connectionAfter, errorMember } from './errors.js';
import { type KnownPaths, splitTarget } from './paths.js';

/** Answers requests that no operation takes, before their body is read: how long that is, is then no matter. */
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

/** The path at which clients before 2.0 look for the control plane, whose settings had other names. */
const FORMER_CONTROL_PLANE = /^\/api\/indexes(\/|$)/;
const CONTROL_PLANE = '/api/v2/indexes';

/** 405 on a known path, 410 on one of old, 404 elsewhere. All carry the short `detail` as well. */
function answerUnrouted(request: FastifyRequest, reply: FastifyReply, paths: KnownPaths): FastifyReply {
  const { path } = splitTarget(request.raw.url ?? '/');
  const allowed = paths.methodsOf(path);
  const [detail, error] = unroutedError(request.method, path, paths);
  request.errorCode = error.code;
  if (connectionAfter(request) === 'close') reply.header('connection', 'close');
  if (allowed.length > 0) reply.header('allow', allowed.join(', '));
  return reply
    .code(error.status)
    .header('content-type', 'application/json')
    .send(toBytes({ detail, ...error.toBody(), ...errorMember(request, error) }));
}

function unroutedError(method: string, path: string, paths: KnownPaths): [detail: string, PelorusError] {
  if (paths.methodsOf(path).length > 0) {
    return ['Method Not Allowed', new PelorusError('method_not_allowed', `${method} is not a method of this path`)];
  }
  if (FORMER_CONTROL_PLANE.test(path) && paths.methodsOf(CONTROL_PLANE).length > 0) {
    const expected = `expected ${CONTROL_PLANE} and a client of 2.0 or later`;
    return ['Gone', new PelorusError('unsupported_operation', `This control plane has no /api/indexes: ${expected}`)];
  }
  return ['Not Found', new PelorusError('not_found', 'There is no such path')];
}
