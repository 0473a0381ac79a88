import type { IncomingMessage, ServerResponse } from 'node:http';
import { PelorusError } from '@pelorus/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { toBytes } from './body.js';
import { sendFault } from './faults.js';

/** Answers heads that HTTP itself forbids. Without this Node.js would, with an empty body that no client can read. */
export function refuseBadHeads(app: FastifyInstance): void {
  app.addHook('onRequest', refuseWithoutHost);
  app.server.on('checkExpectation', refuseExpectation);
}

async function refuseWithoutHost(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (request.raw.httpVersion !== '1.1' || request.headers.host !== undefined) return;
  const fault = new PelorusError('bad_request', 'A request of HTTP/1.1 must have a Host header', {
    headers: { connection: 'close' },
  });
  await sendFault(reply, fault);
}

/** Such a request reaches no route: whether its body follows is for the client to decide, so the connection ends. */
function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const fault = new PelorusError('expectation_failed', 'The only Expect header that is understood is 100-continue');
  const body = toBytes(fault.toBody());
  const headers = { 'content-type': 'application/json', 'content-length': body.length, connection: 'close' };
  response.writeHead(fault.status, headers).end(body);
}
