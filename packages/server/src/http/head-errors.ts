import type { IncomingMessage, ServerResponse } from 'node:http';
import { echoed, PelorusError } from '@pelorus/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { toBytes } from './body.js';
import { sendError } from './errors.js';
import { REQUEST_ID, requestIdOf } from './request-id.js';
import { securityHeaders } from './security-headers.js';

/** Answers heads that HTTP itself forbids. Without this Node.js would, with an empty body that no client can read. */
export function refuseBadHeads(app: FastifyInstance): void {
  app.addHook('onRequest', refuseBadHead);
  app.server.on('checkExpectation', refuseExpectation);
}

function refuseBadHead({ raw }: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const reason = headProblem(raw);
  if (reason === undefined) done();
  else sendError(reply, new PelorusError('bad_request', reason, { headers: { connection: 'close' } }));
}

function headProblem({ httpVersion, rawHeaders, headers }: IncomingMessage): string | undefined {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    return `The request line says HTTP/${httpVersion}: this server speaks HTTP/1.1 and HTTP/1.0`;
  }
  const { 'transfer-encoding': transfer = 'chunked' } = headers;
  // Node.js takes such a body out of its chunks, and leaves it encoded.
  if (transfer.trim().toLowerCase() !== 'chunked') {
    return `The only Transfer-Encoding that is understood is chunked, received ${echoed(transfer)}: a Content-Encoding may be gzip`;
  }
  const count = hostCount(rawHeaders);
  if (count > 1) return `A request must have one Host header: it has ${count}`;
  return count === 0 && httpVersion === '1.1' ? 'A request of HTTP/1.1 must have a Host header' : undefined;
}

/**
 * Names and values take turns in `rawHeaders`. `headers` shows one of two Host headers, and a proxy may see the other.
 */
function hostCount(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}

/** Such a request reaches no route: whether its body follows is for the client to decide, so the connection ends. */
function refuseExpectation(request: IncomingMessage, response: ServerResponse): void {
  const error = new PelorusError('expectation_failed', 'The only Expect header that is understood is 100-continue');
  const body = toBytes(error.toBody());
  const headers = {
    ...securityHeaders,
    [REQUEST_ID]: requestIdOf(request),
    'content-type': 'application/json',
    'content-length': body.length,
    connection: 'close',
  };
  response.writeHead(error.status, headers).end(body);
}
