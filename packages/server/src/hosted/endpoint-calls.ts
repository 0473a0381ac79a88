import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { indexNotFound, PelorusError, truncated } from '@pelorus/contract';
import {
  endedEarly,
  type HostedIndex,
  type IndexConnections,
  type IndexHosting,
  type OperationCall,
} from '@pelorus/hosted';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Dispatcher } from 'undici';
import { type Access, mayCall } from '../auth/access.js';
import type { Principal } from '../call.js';
import { type Admission, isChange, releaseAfter } from '../http/admission.js';
import type { ByteLease } from '../http/byte-budget.js';
import { Deadline } from '../http/deadline.js';
import { routeUrl, splitTarget } from '../http/paths.js';
import { withBodyToSend } from '../http/read-body.js';
import { REQUEST_ID } from '../http/request-id.js';
import { atEndpoints, type EndpointRequest, patienceMs, withinTime } from './endpoint-operations.js';
import type { Relay } from './relay.js';
import type { SearchCounts } from './search-counts.js';

const NOT_HANDED_BACK = new Set(['connection', 'keep-alive', 'transfer-encoding', 'date']);

/** Up to here answers are handed on in one piece: the hits of a search. */
export const SMALL_BYTES_MAX = 64 * 1024;
/** Bytes that a larger one holds here: it is handed on as fast as its client takes it. */
export const STREAMED_BYTES = 2 * SMALL_BYTES_MAX;

/** The parts that calls of endpoints go through. */
export interface EndpointParts {
  readonly hosting: Pick<IndexHosting, 'byId' | 'connections'>;
  readonly access: Access;
  readonly admission: Pick<Admission, 'bodies' | 'answerLease'>;
  readonly searches: SearchCounts;
  /** Milliseconds that a search has which names no time of its own. */
  readonly searchTimeoutMs: number;
  /** Takes over what a connection asks for after a call that was let in; nothing does where absent. */
  readonly relay?: Pick<Relay, 'letIn'>;
}

/**
 * Hands calls of endpoints on to the processes of their indexes, and the answers back. A body is read whole before a
 * connection is taken for it, so that no client holds one by sending slowly.
 */
export class EndpointCalls {
  readonly #parts: EndpointParts;

  constructor(parts: EndpointParts) {
    this.#parts = parts;
  }

  bind(app: FastifyInstance): void {
    const { hosting, access, admission, searches, searchTimeoutMs, relay } = this.#parts;
    for (const { operation, asked, isSearch, isTimed, callOf } of atEndpoints) {
      app.route({
        method: asked.method,
        url: routeUrl(asked.path),
        bodyLimit: operation.bodyLimitBytes,
        exposeHeadRoute: false,
        config: { operation: operation.operationId },
        handler: async (request, reply) => {
          const principal = access.admit(asked, request);
          const owner = principal?.keyId;
          const index = this.#find(request, principal);
          relay?.letIn(request);
          await withBodyToSend(request, admission.bodies, owner, async (body) => {
            const deadline = isTimed
              ? new Deadline(reply.raw, request.startedMs + patienceMs(request.headers, searchTimeoutMs))
              : undefined;
            const work = async (): Promise<void> => {
              const connections = await hosting.connections(index);
              if (isSearch) searches.note(index.id);
              const read = callOf(index, partsOf(request, principal));
              // Under one id the logs of both processes tell of the call.
              const traced = request.trace?.headers();
              const call = { ...read, headers: { ...read.headers, ...traced, [REQUEST_ID]: request.id }, body };
              await forward(connections, deadline === undefined ? call : withinTime(call, deadline.deadlineMs), {
                index: index.name,
                reply,
                lease: admission.answerLease(operation.operationId, owner),
                isChange: isChange(operation),
                deadline,
              });
            };
            try {
              await (deadline?.until(work) ?? work());
            } finally {
              deadline?.end();
            }
          });
        },
      });
    }
  }

  /** @throws PelorusError `index_not_found` for an index outside the key's list, as for one that is not there */
  #find({ params }: FastifyRequest, principal: Principal | undefined): HostedIndex {
    const { endpointId = '', indexName } = params as Record<string, string | undefined>;
    const index = this.#parts.hosting.byId(endpointId);
    if (index === undefined || !mayCall(principal, index.name)) throw noEndpoint(endpointId);
    if (indexName !== undefined && indexName !== index.name) throw indexNotFound(truncated(indexName));
    return index;
  }
}

function partsOf(request: FastifyRequest, principal: Principal | undefined): EndpointRequest {
  const { headers, raw } = request;
  const params = request.params as Record<string, string>;
  return { headers, params, query: splitTarget(raw.url ?? '/').query, principal };
}

/** The place to which an answer goes. */
interface Destination {
  /** Name of the index that gives it. */
  readonly index: string;
  readonly reply: FastifyReply;
  readonly lease: ByteLease;
  readonly isChange: boolean;
  readonly deadline: Deadline | undefined;
}

/**
 * Resolves once the answer is handed back or its client is gone.
 * @throws PelorusError `service_unavailable` where the process ends before it answers; `too_many_requests` where there is
 * no room for the answer, but never after a change
 */
async function forward(
  connections: IndexConnections,
  call: OperationCall,
  { index, reply, lease, isChange, deadline }: Destination,
): Promise<void> {
  const response = reply.raw;
  const signal = deadline?.signal;
  releaseAfter(response, lease);
  let controller: Dispatcher.DispatchController | undefined;
  response.once('close', () => {
    if (!response.writableFinished) controller?.abort(new Error('The client went away'));
  });
  signal?.addEventListener('abort', () => controller?.abort(signal.reason as Error));
  return await new Promise((resolve, reject) => {
    /** An answer that is small enough to be sent in one piece, as far as it came; else null. */
    let pieces: Buffer[] | null = null;
    connections.dispatch(call, {
      onRequestStart: (started) => {
        controller = started;
        if (response.destroyed) started.abort(new Error('The client went away'));
        else if (signal?.aborted) started.abort(signal.reason as Error);
      },
      onResponseStart: (started, status, headers) => {
        try {
          const bytes = declaredBytes(headers);
          const held = bytes <= SMALL_BYTES_MAX ? bytes : STREAMED_BYTES;
          if (isChange) lease.take(held);
          else lease.resize(held);
          if (bytes <= SMALL_BYTES_MAX) pieces = [];
        } catch (error) {
          return started.abort(error as Error);
        }
        // It came in time: how long its client takes to read it is another matter.
        deadline?.end();
        reply.hijack();
        response.writeHead(status, { ...(reply.getHeaders() as OutgoingHttpHeaders), ...handedBack(headers) });
      },
      onResponseData: (received, chunk) => {
        if (pieces !== null) pieces.push(chunk);
        else if (!response.write(chunk)) {
          received.pause();
          response.once('drain', () => received.resume());
        }
      },
      onResponseEnd: () => {
        response.end(pieces === null ? undefined : whole(pieces));
        resolve();
      },
      onResponseError: (_, cause) => {
        if (response.headersSent || response.destroyed) {
          response.destroy();
          resolve();
        } else reject(cause instanceof PelorusError ? cause : endedEarly(index, cause));
      },
    });
  });
}

/** Infinite where only the end of an answer will tell its length. */
function declaredBytes(headers: IncomingHttpHeaders): number {
  return Number(headers['content-length'] ?? Number.POSITIVE_INFINITY);
}

function whole(pieces: readonly Buffer[]): Buffer {
  return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
}

function handedBack(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !NOT_HANDED_BACK.has(name)));
}

function noEndpoint(id: string): PelorusError {
  return new PelorusError('index_not_found', `There is no endpoint ${truncated(id)}`);
}
