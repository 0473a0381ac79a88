import { type Operation, PelorusError, truncated } from '@pelorus/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { routeUrl } from '../http/paths.js';
import type { Access } from './access.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Makes the credential of a request decide which web pages may send it, in place of the guard of all others. */
    readonly originsByCredential?: boolean;
  }
}

/** Time for which a browser may go by the answer to a preflight, in seconds. */
const PREFLIGHT_MAX_AGE = '86400';

const headersOf = {
  tracking: 'content-type, x-api-key',
  shopper: 'content-type, x-api-key, authorization, x-svc-index-id, x-marqo-index-id',
} as const;

/** Tells whether pages of other sites may call `operation`, by the credential that they send with it. */
export function hasOriginsByCredential({ credential }: Operation, access: Access): boolean {
  return credential !== 'key' && access.allowsOrigin !== undefined;
}

/** Lets the page that sent an admitted request read its answer (CORS). No cookies: nothing here reads any. */
export function shareAnswer(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(sharingHeaders(request));
}

/** The headers of an answer that a page may read, `Retry-After` among them. */
export function sharingHeaders({ headers: { origin } }: Pick<FastifyRequest, 'headers'>): Record<string, string> {
  if (origin === undefined) return { vary: 'Origin' };
  return { vary: 'Origin', 'access-control-allow-origin': origin, 'access-control-expose-headers': '*' };
}

/** Answers browsers that ask, before they send what a page wants to send, whether it may. */
export function answerPreflights(app: FastifyInstance, operations: readonly Operation[], access: Access): void {
  const open = operations.filter((operation) => hasOriginsByCredential(operation, access));
  for (const [path, ofPath] of Map.groupBy(open, (operation) => operation.path)) {
    app.route({
      method: 'OPTIONS',
      url: routeUrl(path),
      config: { originsByCredential: true },
      schema: { hide: true },
      handler: (request, reply) => answerPreflight(request, reply, ofPath, access),
    });
  }
}

function answerPreflight(
  { headers, params }: FastifyRequest,
  reply: FastifyReply,
  operations: readonly Operation[],
  access: Access,
): FastifyReply | undefined {
  const { origin, 'access-control-request-method': method } = headers;
  const asked = operations.find((operation) => operation.method === method);
  if (origin === undefined || asked === undefined) {
    reply.callNotFound();
    return undefined;
  }
  reply.header('vary', 'Origin');
  const { indexName } = params as { indexName?: string };
  if (!access.allowsOrigin?.(asked, origin, indexName)) throw otherOrigin(origin);
  return reply
    .code(204)
    .headers({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': [...operations.map((operation) => operation.method), 'OPTIONS'].join(', '),
      'access-control-allow-headers': headersOf[asked.credential as 'tracking' | 'shopper'],
      'access-control-max-age': PREFLIGHT_MAX_AGE,
    })
    .send();
}

export function otherOrigin(origin: string): PelorusError {
  return new PelorusError('origin_not_allowed', `Pages of the origin '${truncated(origin)}' may not send this request`);
}
