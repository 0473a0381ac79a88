import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { indexNotFound, type Operation, PelorusError, truncated } from '@pelorus/contract';
import {
  endedEarly,
  type HostedIndex,
  type IndexConnections,
  type IndexHosting,
  type OperationCall,
} from '@pelorus/hosted';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Dispatcher } from 'undici';
import { operationsOf } from '../app.js';
import { type Access, mayCall } from '../auth/access.js';
import type { Principal } from '../call.js';
import { type Admission, isChange, releaseAfter } from '../http/admission.js';
import type { ByteLease } from '../http/byte-budget.js';
import { Deadline } from '../http/deadline.js';
import { routeParameter, routeUrl, splitTarget } from '../http/paths.js';
import { withBodyToSend } from '../http/read-body.js';
import { REQUEST_ID } from '../http/request-id.js';
import type { SearchCounts } from './search-counts.js';

/** Part of the path that leads to the process of an index, before the paths of the data interface. */
const ENDPOINT = '/e/{endpointId}';

/** Headers that the process of an index is told, beside what its operation takes; nothing else is handed on. */
const FORWARDED = ['content-type', 'content-encoding'] as const;

const NOT_HANDED_BACK = new Set(['connection', 'keep-alive', 'transfer-encoding', 'date']);

/** Up to here answers are handed on in one piece: the hits of a search. */
const SMALL_BYTES_MAX = 64 * 1024;
/** Bytes that a larger one holds here: it is handed on as fast as its client takes it. */
const STREAMED_BYTES = 2 * SMALL_BYTES_MAX;

/** The header by which a client says how long it waits for an answer. */
const TIMEOUT = 'x-request-timeout-ms';
/** The additional wait for an answer: an index that is alive answers in time by itself. */
const DEADLINE_GRACE_MS = 500;

const SEARCHES: ReadonlySet<string> = new Set(['search', 'recommend', 'multiSearch']);

/** Indexes come and go by the control plane, and keys are those of the whole service. */
const CONTROLLED: ReadonlySet<string> = new Set([
  'listKeys',
  'createKey',
  'updateKey',
  'rotateKey',
  'deleteKey',
  'createIndex',
  'createIndexes',
  'deleteIndex',
  'deleteIndexes',
  'validateIndex',
]);

/** The operations that a hosted index has at its endpoint. */
const served = operationsOf('search').filter(({ operationId }) => !CONTROLLED.has(operationId));

/** As calls of an endpoint ask for it: by its path there. */
function atEndpoint({ path, scope, ...operation }: Operation): Operation {
  // Without a key nobody is to learn which endpoints there are, so that what asks for none elsewhere does here.
  return { ...operation, path: `${ENDPOINT}${path}`, scope: scope === 'none' ? 'read' : scope };
}

/** The operations that the endpoint of a hosted index has, by their paths there. */
export const endpointOperations: readonly Operation[] = served.map(atEndpoint);

/** The parts that calls of endpoints go through. */
export interface EndpointParts {
  readonly hosting: Pick<IndexHosting, 'byId' | 'connections'>;
  readonly access: Access;
  readonly admission: Pick<Admission, 'bodies' | 'answerLease'>;
  readonly searches: SearchCounts;
  /** Milliseconds that a search has which names no time of its own. */
  readonly searchTimeoutMs: number;
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
    const { hosting, access, admission, searches, searchTimeoutMs } = this.#parts;
    for (const operation of served) {
      const asked = atEndpoint(operation);
      const callOf = callReader(operation);
      const timed = operation.headers.properties?.[TIMEOUT] !== undefined;
      app.route({
        method: asked.method,
        url: routeUrl(asked.path),
        bodyLimit: operation.bodyLimitBytes,
        exposeHeadRoute: false,
        handler: async (request, reply) => {
          const principal = access.admit(asked, request);
          const owner = principal?.keyId;
          const index = this.#find(request, principal);
          await withBodyToSend(request, admission.bodies, owner, async (body) => {
            const deadline = timed ? deadlineOf(request, reply, searchTimeoutMs) : undefined;
            const work = async (): Promise<void> => {
              const connections = await hosting.connections(index);
              if (SEARCHES.has(operation.operationId)) searches.note(index.id);
              const call = withinTime({ ...callOf(index, request, principal), body }, deadline);
              await forward(connections, call, {
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

type CallReader = (index: HostedIndex, request: FastifyRequest, principal: Principal | undefined) => OperationCall;

/**
 * Reads the call of an operation off a request that a route has matched. The index is asked for that operation and its own
 * parameters; the address that the client wrote goes no further.
 */
function callReader(operation: Operation): CallReader {
  const paramNames = Object.keys(operation.params.properties ?? {});
  const queryNames = Object.keys(operation.query.properties ?? {});
  const headerNames = [...FORWARDED, ...Object.keys(operation.headers.properties ?? {})];
  return ({ name }, request, principal) => {
    const routed = request.params as Record<string, string>;
    const params = paramNames.map((one) => [one, routed[routeParameter(one)] ?? '']);
    const headers = headerNames.flatMap((one) =>
      request.headers[one] === undefined ? [] : [[one, request.headers[one]]],
    );
    const given = new URLSearchParams(splitTarget(request.raw.url ?? '/').query);
    return {
      operation,
      params: { ...Object.fromEntries(params), indexName: name },
      query: new URLSearchParams([...given].filter(([one]) => queryNames.includes(one))),
      keyId: principal?.keyId ?? '',
      // Under one id the logs of both processes tell of the call.
      headers: { ...Object.fromEntries(headers), [REQUEST_ID]: request.id },
    };
  };
}

/** The end of the client's patience; what is no time is for the index to refuse. */
function deadlineOf({ headers, startedMs }: FastifyRequest, { raw }: FastifyReply, otherwiseMs: number): Deadline {
  const given = headers[TIMEOUT];
  const timeoutMs = typeof given === 'string' && /^\d{1,6}$/.test(given) ? Number(given) : otherwiseMs;
  return new Deadline(raw, startedMs + timeoutMs + DEADLINE_GRACE_MS);
}

/** A call with the rest of its time: part of it went by while its body came, and its index was started. */
function withinTime(call: OperationCall, deadline: Deadline | undefined): OperationCall {
  const given = call.headers?.[TIMEOUT];
  if (deadline === undefined || (given !== undefined && !/^\d{1,6}$/.test(given))) return call;
  const leftMs = Math.max(0, Math.floor(deadline.deadlineMs - DEADLINE_GRACE_MS - performance.now()));
  return { ...call, headers: { ...call.headers, [TIMEOUT]: String(leftMs) } };
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
