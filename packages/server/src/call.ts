// The types between the binder and handlers: the call, its caller, and the services of handlers.

import type { Readable } from 'node:stream';
import type { OperationId, OperationIdOf, OperationRequest, PelorusError, Scope } from '@pelorus/contract';
import type { AliasTable, StorageEngine } from '@pelorus/engine';
import type { Device, Inference } from '@pelorus/inference';
import type { ManagedKeys } from '@pelorus/keys';
import type { FastifyBaseLogger } from 'fastify';
import type { NoBackups } from './backups/backup-handlers.js';
import type { BackupWork } from './backups/backup-work.js';
import type { Config } from './config.js';
import type { Problems } from './host/health.js';
import type { AnswerParts } from './http/admission.js';
import type { Members } from './http/body.js';
import type { Counters } from './http/counters.js';
import type { Deadline } from './http/deadline.js';
import type { ExtractedVectors } from './http/extracted-vectors.js';
import type { SlowRequests } from './http/slow-requests.js';
import type { Telemetry } from './http/telemetry.js';
import type { JudgementSets } from './judgements/judgement-sets.js';
import type { RecentLog } from './log/recent-log.js';
import type { LoopFigures } from './loops/loop-figures.js';
import type { Metrics } from './metrics/metrics.js';
import type { Cursors } from './services/cursors.js';
import type { Definitions } from './services/definition.js';
import type { IndexChangeLock } from './services/index-change-lock.js';
import type { HostMonitor } from './services/monitor.js';

/** The part of the contract that a server serves. */
export type ServiceName = 'search' | 'hosted';

/** The caller that the key of a request stands for. */
export interface Principal {
  readonly keyId: string;
  readonly name: string;
  /** Null of a key for events, which may send them and nothing else. */
  readonly scope: Exclude<Scope, 'none'> | null;
  /** Names of the indexes that it may call; null for all. */
  readonly indexes: readonly string[] | null;
  /** The filter that all documents of its calls pass; null where it reaches every document. */
  readonly filter: string | null;
  /** The customer whose events a key for events sends; null of any other key. */
  readonly customerId: string | null;
  /** Tells whether a page calls by the public id of a shop, and not a key; false when absent. */
  readonly isPage?: boolean;
}

/** The services of handlers. */
export interface Services {
  readonly engine: StorageEngine;
  readonly inference: Inference;
  readonly keys: ManagedKeys;
  readonly config: Config;
  readonly definitions: Definitions;
  /** Index creation and deletion go through here, one at a time. */
  readonly indexChanges: IndexChangeLock;
  readonly cursors: Cursors;
  readonly host: HostMonitor;
  readonly loops: LoopFigures;
  readonly metrics: Metrics;
  readonly slowRequests: SlowRequests;
  /** The latest lines of the log. */
  readonly recentLog: RecentLog;
  /** The numbers behind the limits. */
  readonly counters: Counters;
  /** The backups, or why there are none. */
  readonly backups: BackupWork | NoBackups;
  readonly judgements: JudgementSets;
  /** Faults of files of the whole data directory. */
  readonly filesProblems: Problems;
  /** Version of this program. */
  readonly version: string;
}

/** A checked request to operation `Id`, with the other needs of a handler. */
export interface Call<Id extends OperationId> extends OperationRequest<Id> {
  /**
   * The device for inference; undefined for the CPU. A parsed body had its device checked before; a handler
   * of raw bytes asks once it knows them to be JSON.
   * @throws PelorusError for a device that this machine does not have
   */
  readonly device: () => Device | undefined;
  /** The name of the path for its index: the index's own, or an alias, for which `params` has the index; else empty. */
  readonly calledAs: string;
  /** The aliases as they were when the request was begun; undefined where indexes have none. */
  readonly aliases: AliasTable | undefined;
  /** The body as it came; no bytes where there is none. */
  readonly bytes: Buffer;
  /** The vectors that were taken out of the body before it was parsed; null where it was parsed as a whole. */
  readonly vectors: ExtractedVectors | null;
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
  /**
   * Runs `work` with up to `countMax` places besides the one of the request, for work of the same load at once: those
   * that are free. It is told how many.
   */
  readonly withFreePlaces: <Result>(countMax: number, work: (count: number) => Promise<Result>) => Promise<Result>;
  /**
   * Makes a part of the answer that another operation would answer by itself: it counts from before it is made.
   * @throws PelorusError `too_many_requests` where there is no room for it
   */
  readonly answerPart: AnswerParts['make'];
  /** The error that the whole request would be answered with for a thrown value, logged as then, for a part of the answer. */
  readonly toldError: (error: unknown) => PelorusError;
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
