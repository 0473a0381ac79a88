import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
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
import { type Access, mayCall, type Principal } from '../auth/access.js';
import { routeParameter, routeUrl, splitTarget } from '../http/paths.js';
import { bodyStream } from '../http/read-body.js';
import { REQUEST_ID } from '../http/request-id.js';
import type { SearchCounts } from './search-counts.js';

/** Part of the path that leads to the process of an index, before the paths of the data interface. */
const ENDPOINT = '/e/{endpointId}';

/** What the process of an index is told of a request's head, beside what its operation takes; nothing else is handed on. */
const FORWARDED = ['content-type', 'content-length', 'content-encoding'] as const;

const NOT_HANDED_BACK = new Set(['connection', 'keep-alive', 'transfer-encoding', 'date']);

/** Up to here bodies and answers are handed on in one piece: a search and its hits. */
const SMALL_BYTES_MAX = 64 * 1024;

const SEARCHES: ReadonlySet<string> = new Set(['search', 'recommend']);

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

/** Hands calls of endpoints on to the processes of their indexes, bytes as they come, and the answers back. */
export class EndpointCalls {
  readonly #hosting: IndexHosting;
  readonly #access: Access;
  readonly #searches: SearchCounts;

  constructor(hosting: IndexHosting, access: Access, searches: SearchCounts) {
    this.#hosting = hosting;
    this.#access = access;
    this.#searches = searches;
  }

  bind(app: FastifyInstance): void {
    for (const operation of served) {
      const asked = atEndpoint(operation);
      const callOf = callReader(operation);
      app.route({
        method: asked.method,
        url: routeUrl(asked.path),
        exposeHeadRoute: false,
        handler: async (request, reply) => {
          const principal = this.#access.admit(asked, request);
          const index = this.#find(request, principal);
          const connections = await this.#hosting.connections(index);
          if (SEARCHES.has(operation.operationId)) this.#searches.note(index.id);
          await forward(connections, callOf(index, request, principal), index.name, request, reply);
        },
      });
    }
  }

  /** @throws PelorusError `index_not_found` for what the key is not for, as for what is not there */
  #find({ params }: FastifyRequest, principal: Principal | undefined): HostedIndex {
    const { endpointId = '', indexName } = params as Record<string, string | undefined>;
    const index = this.#hosting.byId(endpointId);
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

/**
 * Resolves once the answer is handed back or its client is gone.
 * @throws PelorusError `service_unavailable` where the process ends before it answers
 */
async function forward(
  connections: IndexConnections,
  call: OperationCall,
  indexName: string,
  { raw }: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const response = reply.raw;
  let controller: Dispatcher.DispatchController | undefined;
  response.once('close', () => {
    if (!response.writableFinished) controller?.abort(new Error('The client went away'));
  });
  const body = await bodyOf(raw);
  return await new Promise((resolve, reject) => {
    /** An answer that is small enough to be sent in one piece, as far as it came; else null. */
    let pieces: Buffer[] | null = null;
    connections.dispatch(
      { ...call, body },
      {
        onRequestStart: (started) => {
          controller = started;
          if (response.destroyed) started.abort(new Error('The client went away'));
        },
        onResponseStart: (_, status, headers) => {
          reply.hijack();
          if (isSmall(headers)) pieces = [];
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
          } else reject(endedEarly(indexName, cause));
        },
      },
    );
  });
}

/** A body that is small enough to be read whole: one piece costs less than a stream. Any other as it comes. */
function bodyOf(raw: IncomingMessage): Promise<Buffer> | Readable | null {
  const { headers } = raw;
  if (headers['transfer-encoding'] !== undefined) return bodyStream(raw);
  if (Number(headers['content-length'] ?? 0) === 0) return null;
  if (!isSmall(headers)) return bodyStream(raw);
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    raw.on('data', (piece: Buffer) => pieces.push(piece));
    raw.once('end', () => resolve(whole(pieces)));
    raw.once('error', reject);
  });
}

function isSmall(headers: IncomingHttpHeaders): boolean {
  return Number(headers['content-length'] ?? Number.POSITIVE_INFINITY) <= SMALL_BYTES_MAX;
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
