import type { Readable } from 'node:stream';
import type { OperationId, OperationIdOf, OperationRequest } from '@pelorus/contract';
import type { Device } from '@pelorus/inference';
import type { FastifyBaseLogger } from 'fastify';
import type { ServiceName } from './app.js';
import type { Principal } from './auth/access.js';
import type { Members } from './http/body.js';
import type { Deadline } from './http/deadline.js';
import type { Telemetry } from './http/telemetry.js';
import type { GivenVectors } from './search/given-vectors.js';

/** A checked request to operation `Id`, with what a handler needs besides. */
export interface Call<Id extends OperationId> extends OperationRequest<Id> {
  /**
   * The device for inference; undefined for the best there is. A parsed body had its device checked before; a handler
   * of raw bytes asks once it knows them to be JSON.
   * @throws PelorusError for a device that this machine does not have
   */
  readonly device: () => Device | undefined;
  /** The body as it came; no bytes where there is none. */
  readonly bytes: Buffer;
  /** The vectors that were taken out of the body before it was parsed; null where it was parsed as a whole. */
  readonly vectors: GivenVectors | null;
  readonly telemetry: Telemetry;
  /**
   * The end of the client's patience, so many milliseconds after the request came. For handlers that can end their work
   * early, which ask for it once, before they wait for anything.
   */
  readonly deadline: (timeoutMs: number) => Deadline;
  /** The time at which the request came, on the clock of `performance.now()`. */
  readonly startedMs: number;
  readonly log: FastifyBaseLogger;
  /** The caller; undefined where nobody has to prove who calls. */
  readonly principal: Principal | undefined;
  /** Address of this server as the client calls it, without a slash at the end. */
  readonly base: () => string;
}

/** The answer of a handler: JSON, nothing, or a text that goes on for as long as its source does. */
export type Answer = JsonAnswer | EmptyAnswer | StreamAnswer;

/** Bytes are sent as they are and must hold JSON. */
export interface JsonAnswer {
  /** 200 when absent. */
  readonly status?: number;
  readonly body: Buffer | Members;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface EmptyAnswer {
  readonly status: 204;
  readonly body: null;
}

/** With status 200, as what its content type says. */
export interface StreamAnswer {
  readonly stream: Readable;
  readonly headers: Readonly<Record<'content-type', string>> & Readonly<Record<string, string>>;
}

export type Handler<Id extends OperationId> = (call: Call<Id>) => Answer | Promise<Answer>;

/** One handler per operation that a service serves: a missing or surplus one does not compile. */
export type Handlers<Name extends ServiceName = 'search'> = { readonly [Id in OperationIdOf<Name>]: Handler<Id> };
