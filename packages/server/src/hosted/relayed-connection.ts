import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { PelorusError } from '@pelorus/contract';
import { type Exchange, endedEarly } from '@pelorus/hosted';
import { isChange } from '../http/admission.js';
import type { ByteLease } from '../http/byte-budget.js';
import { clientWentAway, timeIsUp } from '../http/deadline.js';
import { toldError } from '../http/errors.js';
import { lineLevel } from '../http/observe.js';
import { REQUEST_ID } from '../http/request-id.js';
import { errorAnswer } from '../http/socket-errors.js';
import type { RequestTrace } from '../tracing/tracing.js';
import { SMALL_BYTES_MAX, STREAMED_BYTES } from './endpoint-calls.js';
import type { Permit, Relay, RelayedCall } from './relay.js';
import { KnownHead, mayBecomeHead, type RequestHead, readHead } from './request-head.js';

/** Larger bodies are the framework's: their copies count, and theirs alone is worth the time. */
const BODY_BYTES_MAX = 64 * 1024;
/** Bytes behind a request that are kept until it is answered; more wait with the system. */
const BEHIND_BYTES_MAX = 64 * 1024;
/** Time for the rest of a head or a body to come; the framework waits longer. */
const REST_WAIT_MS = 1_000;

type Feed = (bytes: Buffer) => void;
type Lengths = Pick<RequestHead, 'headBytes' | 'bodyBytes'>;

/** The owner of the next bytes of a connection. */
type State =
  /** A request begins with them. */
  | 'idle'
  /** The rest of the head of a request. */
  | 'head'
  /** The framework's, of the request that it has. */
  | 'framework'
  /** The rest of the body of a call that is to be handed on. */
  | 'body'
  /** A request behind the call that was handed on. */
  | 'call';

/**
 * A connection of a client, between the system and the parser of the framework. Where one request ends and the next begins
 * is known here of plain requests alone: behind any other, all that comes is the framework's, for good.
 */
export class RelayedConnection {
  readonly #socket: Socket;
  readonly #server: Server;
  readonly #relay: Relay;
  /** Hands bytes to the parser of the framework. */
  readonly #feed: Feed;
  #state: State = 'idle';
  /** Bytes of the framework's request that have yet to come. */
  #left = 0;
  /** The responses of the framework that are not over. */
  #responses = 0;
  /** The host that the last call named which the framework let in: the guard of sites has nothing against it. */
  #host: string | null = null;
  /** The bytes of the request that comes, or is being answered. */
  #request: Buffer[] = [];
  #requestBytes = 0;
  /** The length of its head. */
  #headBytes = 0;
  #wanted = 0;
  /** The permit of the last call that was handed on, and the head by which its like is known. */
  #permit: Permit | null = null;
  #known: KnownHead | null = null;
  #call: RelayedCall | null = null;
  #startedMs = 0;
  #deadlineMs = Number.POSITIVE_INFINITY;
  #bodyLease: ByteLease | null = null;
  #answerLease: ByteLease | null = null;
  #exchange: Exchange | null = null;
  /** For the rest of a head or a body. */
  #restTimer: NodeJS.Timeout | undefined;
  /** For deadlines: it runs on behind calls that were answered in time, and looks again. */
  #timer: NodeJS.Timeout | undefined;
  #timerAtMs = 0;
  #status = 0;
  #hasAnswered = false;
  /** Tells that the call may take longer than an idle connection is kept. */
  #isLong = false;
  /** Bytes behind the request. */
  #behind: Buffer[] = [];
  #behindBytes = 0;

  private constructor(socket: Socket, server: Server, relay: Relay, feed: Feed) {
    this.#socket = socket;
    this.#server = server;
    this.#relay = relay;
    this.#feed = feed;
  }

  /** Follows a connection that a server has just accepted; null where its parser does not take its bytes from events. */
  static follow(socket: Socket, server: Server, relay: Relay): RelayedConnection | null {
    const [feed, other] = socket.listeners('data') as Feed[];
    if (feed === undefined || other !== undefined) return null;
    const followed = new RelayedConnection(socket, server, relay, feed);
    socket.off('data', feed);
    socket.on('data', followed.#receive);
    socket.once('close', () => followed.#closed());
    return followed;
  }

  /** Told of a response that the framework begins. */
  began(response: ServerResponse): void {
    this.#responses += 1;
    response.once('close', () => {
      this.#responses -= 1;
      this.#settle();
    });
  }

  letIn(host: string | null): void {
    this.#host = host;
  }

  readonly #receive = (bytes: Buffer): void => {
    if (this.#state === 'idle') this.#begin(bytes);
    else if (this.#state === 'framework') this.#pass(bytes);
    else if (this.#state === 'body') this.#collect(bytes);
    else if (this.#state === 'head') this.#begin(Buffer.concat([...this.#request, bytes]));
    else this.#keepBehind(bytes);
  };

  #begin(bytes: Buffer): void {
    this.#startedMs = performance.now();
    const lengths = this.#known?.lengthsOf(bytes) ?? null;
    if (lengths !== null && this.#permit !== null && this.#relay.isGood(this.#permit) && this.#socket.writable) {
      this.#take(this.#permit, lengths, bytes);
      return;
    }
    this.#permit = null;
    this.#known = null;
    // A connection that has been ended has no next request.
    const head = this.#socket.writable ? readHead(bytes) : null;
    if (head === null) {
      if (this.#socket.writable && mayBecomeHead(bytes)) this.#awaitHead(bytes);
      else this.#giveUp(bytes);
      return;
    }
    const isLetIn = this.#host !== null && head.headers.host === this.#host;
    this.#permit = isLetIn ? this.#relay.permit(head, this.#socket) : null;
    if (this.#permit !== null) this.#known = KnownHead.of(head);
    this.#take(this.#permit, head, bytes);
  }

  /** Keeps the first bytes of a head. Where the rest does not come soon, the framework waits for it. */
  #awaitHead(bytes: Buffer): void {
    this.#state = 'head';
    this.#request = [bytes];
    this.#restTimer ??= setTimeout(() => this.#giveUp(Buffer.concat(this.#request)), REST_WAIT_MS);
  }

  /** Takes the first bytes of a request. */
  #take(permit: Permit | null, { headBytes, bodyBytes }: Lengths, bytes: Buffer): void {
    this.#clear();
    this.#wanted = headBytes + bodyBytes;
    if (permit === null || !this.#hasRoom(permit, bodyBytes)) {
      this.#state = 'framework';
      this.#left = this.#wanted;
      this.#pass(bytes);
      return;
    }
    this.#state = 'body';
    this.#headBytes = headBytes;
    if (bytes.length < this.#wanted) this.#restTimer = setTimeout(() => this.#handBack(), REST_WAIT_MS);
    this.#collect(bytes);
  }

  /** Takes the room for a body. Where there is none, the framework says so. */
  #hasRoom({ owner, asked }: Permit, bodyBytes: number): boolean {
    if (bodyBytes === 0) return true;
    if (bodyBytes > Math.min(BODY_BYTES_MAX, asked.operation.bodyLimitBytes)) return false;
    const lease = this.#relay.admission.bodies.lease(owner);
    try {
      lease.resize(bodyBytes);
    } catch {
      return false;
    }
    this.#bodyLease = lease;
    return true;
  }

  /** Bytes of the framework's request, and not of the one behind it. */
  #pass(bytes: Buffer): void {
    this.#left -= bytes.length;
    if (this.#left < 0) {
      this.#giveUp(bytes);
      return;
    }
    this.#feed(bytes);
    this.#settle();
  }

  #settle(): void {
    if (this.#state === 'framework' && this.#left === 0 && this.#responses === 0) this.#state = 'idle';
  }

  /** Leaves the connection to the framework for good. */
  #giveUp(bytes: Buffer): void {
    this.#clear();
    this.#socket.off('data', this.#receive);
    this.#socket.on('data', this.#feed);
    this.#feed(bytes);
  }

  /** Leaves a request to the framework of which nothing was handed on. */
  #handBack(): void {
    const bytes = Buffer.concat(this.#request);
    this.#clear();
    this.#state = 'framework';
    this.#left = this.#wanted;
    this.#pass(bytes);
  }

  #collect(bytes: Buffer): void {
    const own = bytes.subarray(0, this.#wanted - this.#requestBytes);
    this.#request.push(own);
    this.#requestBytes += own.length;
    if (own.length < bytes.length) this.#keepBehind(bytes.subarray(own.length));
    if (this.#requestBytes === this.#wanted) this.#send(this.#permit as Permit);
  }

  #send(permit: Permit): void {
    this.#endWait();
    const [only, more] = this.#request;
    const bytes = more === undefined ? (only as Buffer) : Buffer.concat(this.#request);
    const { asked, connections, owner, patienceMs, index, start } = permit;
    this.#state = 'call';
    this.#status = 0;
    this.#hasAnswered = false;
    this.#deadlineMs = this.#startedMs + patienceMs;
    const call = this.#relay.begin(permit, this.#startedMs, this.#deadlineMs);
    this.#call = call;
    this.#answerLease = this.#relay.admission.answerLease(asked.operation.operationId, owner);
    this.#watch();
    try {
      this.#exchange = connections.exchange(start, call.headers, bytes.subarray(this.#headBytes), {
        onHead: (status, bodyBytes) => this.#holdAnswer(status, bodyBytes),
        onBytes: (piece) => this.#hand(piece),
        onEnd: () => this.#end(),
        onError: (error) => this.#fail(error instanceof PelorusError ? error : endedEarly(index.name, error)),
      });
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Sees to the deadline of the call. Most are answered before, and by one timer for all of them. */
  #watch(): void {
    const { keepAliveTimeout, timeout } = this.#server;
    // An idle connection is cut off sooner than one on which an answer is worked on.
    this.#isLong = !(this.#deadlineMs - this.#startedMs < keepAliveTimeout);
    if (this.#isLong) this.#socket.setTimeout(timeout);
    if (this.#deadlineMs === Number.POSITIVE_INFINITY) return;
    if (this.#timer !== undefined && this.#timerAtMs <= this.#deadlineMs) return;
    clearTimeout(this.#timer);
    this.#timerAtMs = this.#deadlineMs;
    this.#timer = setTimeout(this.#look, Math.max(0, this.#deadlineMs - performance.now())).unref();
  }

  readonly #look = (): void => {
    this.#timer = undefined;
    if (this.#state !== 'call' || this.#status !== 0) return;
    if (performance.now() >= this.#deadlineMs) this.#fail(timeIsUp());
    else this.#watch();
  };

  /** @throws PelorusError `too_many_requests` where there is no room for the answer, but never after a change */
  #holdAnswer(status: number, bodyBytes: number): void {
    const held = bodyBytes <= SMALL_BYTES_MAX ? bodyBytes : STREAMED_BYTES;
    if (isChange((this.#permit as Permit).asked.operation)) this.#answerLease?.take(held);
    else this.#answerLease?.resize(held);
    // It came in time: how long its client takes to read it is another matter.
    this.#status = status;
  }

  #hand(piece: Buffer): boolean {
    this.#hasAnswered = true;
    if (this.#socket.write(piece)) return true;
    this.#socket.once('drain', () => this.#exchange?.resume());
    return false;
  }

  /** Answers with an error in place of the index. */
  #fail(error: unknown): void {
    const { id, trace } = this.#call as RelayedCall;
    this.#exchange?.abort();
    if (this.#hasAnswered || this.#socket.destroyed) {
      this.#socket.destroy();
      return;
    }
    const log = this.#relay.log.child({ reqId: id, ...logged(trace) });
    const told = toldError(error, { id, log, raw: { destroyed: false, complete: true } });
    this.#status = told.status;
    this.#relay.recordError(told.code);
    this.#socket.write(errorAnswer(told, { [REQUEST_ID]: id, connection: 'keep-alive' }));
    this.#end();
  }

  /** The answer is handed over: the next request may come, or is there. */
  #end(): void {
    this.#note();
    this.#releaseAnswer();
    this.#clear();
    this.#relay.ended();
    this.#state = 'idle';
    if (this.#isLong) this.#socket.setTimeout(this.#server.keepAliveTimeout);
    if (this.#behindBytes === 0) return;
    const bytes = Buffer.concat(this.#behind);
    this.#behind = [];
    this.#behindBytes = 0;
    this.#socket.resume();
    this.#receive(bytes);
  }

  /** Gives the bytes of the answer back once the system has them. */
  #releaseAnswer(): void {
    const lease = this.#answerLease;
    this.#answerLease = null;
    if (lease === null) return;
    if (this.#socket.writableLength === 0) lease.release();
    else this.#socket.write('', () => lease.release());
  }

  #note(): void {
    const [permit, call] = [this.#permit as Permit, this.#call as RelayedCall];
    const { operation, route } = permit.asked;
    const [{ method }, status, endMs] = [operation, this.#status, performance.now()];
    const ms = Math.round((endMs - this.#startedMs) * 1000) / 1000;
    this.#relay.record(permit, call, { status, ms, endMs });
    this.#relay.log[lineLevel(status, ms, this.#relay.slowMs(operation.operationId))](
      {
        ...{ reqId: call.id, ...logged(call.trace) },
        ...{ method, route, status, ms },
      },
      'request',
    );
  }

  #keepBehind(bytes: Buffer): void {
    this.#behind.push(bytes);
    this.#behindBytes += bytes.length;
    if (this.#behindBytes > BEHIND_BYTES_MAX) this.#socket.pause();
  }

  #endWait(): void {
    clearTimeout(this.#restTimer);
    this.#restTimer = undefined;
  }

  #clear(): void {
    this.#endWait();
    this.#request = [];
    this.#requestBytes = 0;
    this.#bodyLease?.release();
    this.#bodyLease = null;
    this.#exchange = null;
  }

  #closed(): void {
    const isUnderWay = this.#state === 'call';
    this.#exchange?.abort();
    if (isUnderWay) {
      this.#status = clientWentAway().status;
      this.#note();
      this.#relay.ended();
    }
    this.#answerLease?.release();
    this.#answerLease = null;
    this.#clear();
    clearTimeout(this.#timer);
    this.#state = 'framework';
  }
}

/** The members of log lines that name a trace. */
function logged(trace: RequestTrace | undefined): { readonly trace_id?: string } {
  const traceId = trace?.traceId ?? null;
  return traceId === null ? {} : { trace_id: traceId };
}
