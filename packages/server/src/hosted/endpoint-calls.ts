import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { indexNotFound, type Operation, PelorusError, truncated } from '@pelorus/contract';
import { endedEarly, type HostedIndex, type IndexHosting } from '@pelorus/hosted';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Dispatcher } from 'undici';
import { operationsOf } from '../app.js';
import { type Access, mayCall } from '../auth/access.js';
import { routeUrl } from '../http/paths.js';
import { bodyStream } from '../http/read-body.js';
import { REQUEST_ID } from '../http/request-id.js';
import type { SearchCounts } from './search-counts.js';

/** Part of the path that leads to the process of an index, before the paths of the data interface. */
const ENDPOINT = '/e/{endpointId}';

/** What belongs to the connection of the client, or is between it and this server. */
const NOT_FORWARDED = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
  'te',
  'trailer',
  'expect',
  'host',
  'origin',
  'authorization',
  'x-api-key',
  'cookie',
]);

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

/**
 * The operations that the endpoint of a hosted index has, by their paths there. Those that ask for no key elsewhere do here:
 * without one nobody is to learn which endpoints there are.
 */
export const endpointOperations: readonly Operation[] = operationsOf('search')
  .filter(({ operationId }) => !CONTROLLED.has(operationId))
  .map(({ path, scope, ...operation }) => ({
    ...operation,
    path: `${ENDPOINT}${path}`,
    scope: scope === 'none' ? 'read' : scope,
  }));

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
    for (const operation of endpointOperations) {
      app.route({
        method: operation.method,
        url: routeUrl(operation.path),
        exposeHeadRoute: false,
        handler: (request, reply) => this.#answer(operation, request, reply),
      });
    }
  }

  async #answer(operation: Operation, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const principal = this.#access.admit(operation, request);
    const { endpointId = '', indexName } = request.params as Record<string, string | undefined>;
    const index = this.#hosting.byId(endpointId);
    // One that the key is not for is answered as one that is not there.
    if (index === undefined || !mayCall(principal, index.name)) throw noEndpoint(endpointId);
    if (indexName !== undefined && indexName !== index.name) throw indexNotFound(truncated(indexName));
    const connections = await this.#hosting.connections(index);
    if (SEARCHES.has(operation.operationId)) this.#searches.note(index.id);
    await forward(connections, index, request, reply);
  }
}

/** Everything after the endpoint, as the process of the index is asked for it. */
function targetOf(raw: string, { id }: HostedIndex): string {
  const rest = raw.slice(raw.indexOf(id) + id.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/**
 * Resolves once the answer is handed back or its client is gone.
 * @throws PelorusError `service_unavailable` where the process ends before it answers
 */
async function forward(
  connections: Dispatcher,
  index: HostedIndex,
  { raw, method, id }: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const response = reply.raw;
  let controller: Dispatcher.DispatchController | undefined;
  response.once('close', () => {
    if (!response.writableFinished) controller?.abort(new Error('The client went away'));
  });
  const request = {
    method: method as Dispatcher.HttpMethod,
    path: targetOf(raw.url ?? '/', index),
    // Under one id the logs of both processes tell of the call.
    headers: { ...forwarded(raw.headers), [REQUEST_ID]: id },
    body: await bodyOf(raw),
  };
  return await new Promise((resolve, reject) => {
    /** An answer that is small enough to be sent in one piece, as far as it came; else null. */
    let pieces: Buffer[] | null = null;
    connections.dispatch(request, {
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
        } else reject(endedEarly(index.name, cause));
      },
    });
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

function forwarded(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const kept = Object.entries(headers).filter(([name]) => !NOT_FORWARDED.has(name) && !name.startsWith('sec-'));
  return Object.fromEntries(kept);
}

function handedBack(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !NOT_HANDED_BACK.has(name)));
}

function noEndpoint(id: string): PelorusError {
  return new PelorusError('index_not_found', `There is no endpoint ${truncated(id)}`);
}
