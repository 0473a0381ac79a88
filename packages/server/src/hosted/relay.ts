import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { ErrorCode, OperationId } from '@pelorus/contract';
import type { HostedIndex, IndexConnections, IndexHosting, RequestStart } from '@pelorus/hosted';
import type { KeyRecord, ManagedKeys } from '@pelorus/keys';
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import { type Access, type Caller, mayCall } from '../auth/access.js';
import { presentedSecret } from '../auth/presented-key.js';
import type { Config } from '../config.js';
import type { Admission } from '../http/admission.js';
import type { Counter, Counters } from '../http/counters.js';
import { routeUrl, splitTarget } from '../http/paths.js';
import { REQUEST_ID, requestIdOf } from '../http/request-id.js';
import { slowFrom } from '../http/slow-requests.js';
import { type RequestTrace, type Tracing, traceOf } from '../tracing/tracing.js';
import { atEndpoints, type EndpointOperation, patienceMs, timeLeft, withoutTime } from './endpoint-operations.js';
import { RelayedConnection } from './relayed-connection.js';
import type { RequestHead } from './request-head.js';
import type { SearchCounts } from './search-counts.js';

/** The parts that relayed calls go through: those of all calls of endpoints. */
export interface RelayParts {
  readonly hosting: Pick<IndexHosting, 'byId' | 'serving'>;
  readonly access: Access;
  /** A key is looked up before it is used: attempts with bad ones are counted, and none is made here. */
  readonly keys: Pick<ManagedKeys, 'find' | 'edition'>;
  readonly admission: Pick<Admission, 'bodies' | 'answerLease'>;
  readonly searches: SearchCounts;
  readonly config: Pick<Config, 'slowSearchMs' | 'slowWriteMs'>;
  /** Milliseconds that a search has which names no time of its own. */
  readonly searchTimeoutMs: number;
  /** Count those that were answered. */
  readonly counters: Counters;
  readonly log: FastifyBaseLogger;
  /** Traces calls; null for none. */
  readonly tracing: Tracing | null;
}

/** A call under way. */
export interface RelayedCall {
  readonly id: string;
  /** The headers that are its own. */
  readonly headers: Record<string, string>;
  readonly trace: RequestTrace | undefined;
}

/** A call that was let in, as long as {@link Relay.isGood} says so. */
export interface Permit {
  readonly asked: RelayedOperation;
  readonly index: HostedIndex;
  readonly connections: IndexConnections;
  /** The key that it counts for. */
  readonly owner: string | undefined;
  readonly headers: RequestHead['headers'];
  readonly start: RequestStart;
  /** Milliseconds until it is answered here; infinite for an operation that has no such time. */
  readonly patienceMs: number;
  readonly edition: object;
  /** Milliseconds of the epoch. */
  readonly goodUntilMs: number;
}

interface RelayedOperation extends EndpointOperation {
  /** Its path, as the log names it. */
  readonly route: string;
}

/** Headers of browsers, which ask for more than a key: from which pages they may come. */
const OF_BROWSERS = ['origin', 'sec-fetch-site', 'access-control-request-method'] as const;

/** A target with nothing in it that has to be decoded. */
const TARGET = /^\/e\/([0-9a-f]{1,32})\/indexes\/([\w-]+)((?:\/[a-z-]+)*)(?:\?[\w=&.-]*)?$/;

const OF_INDEX = '/e/{endpointId}/indexes/{indexName}';

/** Time after which a key is admitted anew, if only to note that it is in use. */
const PERMIT_MAX_MS = 1_000;

/**
 * Hands plain calls of endpoints on as bytes: from the second request of a connection on, one whose head can be read in
 * one way only, whose body is small, and which every check lets pass goes to the process of its index without becoming a
 * request of the framework, and its answer comes back likewise. All other requests, and all that is refused, are the
 * framework's as if there were no relay.
 */
export class Relay {
  readonly #parts: RelayParts;
  readonly #requests: Counter;
  /** By method and path below that of an index. */
  readonly #operations = new Map<string, RelayedOperation>();
  readonly #connections = new WeakMap<Socket, RelayedConnection>();
  #underWay = 0;
  #drained: (() => void) | null = null;
  #isDraining = false;

  constructor(parts: RelayParts) {
    this.#parts = parts;
    this.#requests = parts.counters.answered('requests');
    for (const one of atEndpoints) {
      const { method, path } = one.asked;
      const below = path.startsWith(OF_INDEX) ? path.slice(OF_INDEX.length) : undefined;
      if (below === undefined || below.includes('{')) continue;
      this.#operations.set(`${method} ${below}`, { ...one, route: routeUrl(path) });
    }
  }

  get log(): FastifyBaseLogger {
    return this.#parts.log;
  }

  get admission(): RelayParts['admission'] {
    return this.#parts.admission;
  }

  /** Follows the connections of a server. */
  bind(server: Server): void {
    server.on('connection', (socket) => {
      const followed = RelayedConnection.follow(socket, server, this);
      if (followed !== null) this.#connections.set(socket, followed);
    });
    server.prependListener('request', ({ socket }, response) => this.#connections.get(socket)?.began(response));
  }

  /** Told of a call of an endpoint that the framework let in: the next ones that its connection carries may be plain. */
  letIn({ raw, headers }: Pick<FastifyRequest, 'raw' | 'headers'>): void {
    this.#connections.get(raw.socket)?.letIn(headers.host ?? null);
  }

  /** Hands nothing on any more; resolves when all that was is answered. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    if (this.#underWay === 0) return;
    await new Promise<void>((resolve) => {
      this.#drained = resolve;
    });
  }

  /** The permit of a call with this head; null where it is for the framework, be it to be refused. */
  permit({ method, target, headers }: RequestHead, { remoteAddress: ip = '' }: Socket): Permit | null {
    if (this.#isDraining) return null;
    const [, endpointId = '', indexName = '', below = ''] = TARGET.exec(target) ?? [];
    const asked = this.#operations.get(`${method} ${below}`);
    if (endpointId === '' || asked === undefined || OF_BROWSERS.some((name) => name in headers)) return null;
    const { hosting, searchTimeoutMs } = this.#parts;
    try {
      const params = { endpointId, indexName };
      const admitted = this.#admit(asked, { headers, params, query: {}, ip });
      const index = hosting.byId(endpointId);
      if (admitted === null || index?.name !== indexName || !mayCall(admitted.principal, indexName)) return null;
      const connections = hosting.serving(index);
      if (connections === null) return null;
      const { query } = splitTarget(target);
      const call = asked.callOf(index, { headers, params, query, principal: admitted.principal });
      return {
        ...{ asked, index, connections, headers, owner: admitted.principal?.keyId },
        start: connections.startOf(withoutTime(call)),
        patienceMs: asked.isTimed ? patienceMs(headers, searchTimeoutMs) : Number.POSITIVE_INFINITY,
        ...{ edition: admitted.edition, goodUntilMs: admitted.goodUntilMs },
      };
    } catch {
      // The framework comes to the same fault, and answers with it.
      return null;
    }
  }

  /** Tells whether a call like the one that has this permit would be let in now, and could be handed on. */
  isGood({ index, connections, edition, goodUntilMs }: Permit): boolean {
    const { hosting, keys } = this.#parts;
    return (
      !this.#isDraining &&
      keys.edition === edition &&
      Date.now() < goodUntilMs &&
      hosting.serving(index) === connections &&
      hosting.byId(index.id) === index
    );
  }

  /**
   * Counts a call as under way, until {@link ended} is told.
   * @param startedMs on the clock of `performance.now()`, as `deadlineMs`
   */
  begin({ asked, headers, index }: Permit, startedMs: number, deadlineMs: number): RelayedCall {
    this.#underWay += 1;
    if (asked.isSearch) this.#parts.searches.note(index.id);
    const id = requestIdOf({ headers });
    const trace = traceOf(this.#parts.tracing, headers, startedMs);
    const own = { [REQUEST_ID]: id, ...trace?.headers(), ...(asked.isTimed && timeLeft(headers, deadlineMs)) };
    return { id, headers: own, trace };
  }

  /** Counts a call that was answered. */
  record(
    { asked, index }: Permit,
    { id, trace }: RelayedCall,
    { status, ms, endMs }: { status: number; ms: number; endMs: number },
  ): void {
    const { method, operationId: operation } = asked.operation;
    this.#parts.counters.requestFigures.record(operation, status, ms);
    if (trace?.isRecorded === true) {
      trace.end({
        ...{ method, route: asked.route, operation, index: index.name, requestId: id },
        ...{ status, endMs, searches: [], write: null },
      });
    }
  }

  /** Counts a call that is answered with an error in place of its index. */
  recordError(code: ErrorCode): void {
    this.#parts.counters.requestFigures.recordError(code);
  }

  /** Milliseconds from which a call is slow. */
  slowMs(operation: OperationId): number {
    return slowFrom(operation, this.#parts.config);
  }

  ended(): void {
    this.#requests.add(1);
    this.#underWay -= 1;
    if (this.#underWay === 0) this.#drained?.();
  }

  /** Null for who is not to be let in by this way. */
  #admit({ asked }: EndpointOperation, caller: Caller): Admitted | null {
    const { keys, access } = this.#parts;
    const { edition } = keys;
    const now = Date.now();
    let goodUntilMs = now + PERMIT_MAX_MS;
    const secret = presentedSecret(caller);
    if (secret !== undefined) {
      const found = keys.find(secret);
      if (found === undefined || found.hasExpired) return null;
      goodUntilMs = Math.min(goodUntilMs, ...endsOf(found.key).filter((end) => end > now));
    }
    return { principal: access.admit(asked, caller), edition, goodUntilMs };
  }
}

interface Admitted {
  readonly principal: ReturnType<Access['admit']>;
  readonly edition: object;
  readonly goodUntilMs: number;
}

/** The times at which a key ends, or one of its secrets. */
function endsOf({ expiresAt, secrets }: KeyRecord): number[] {
  const all = [expiresAt, ...secrets.map((secret) => secret.expiresAt)];
  return all.flatMap((end) => (end === null ? [] : [Date.parse(end)]));
}
