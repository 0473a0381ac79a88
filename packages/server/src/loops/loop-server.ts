import { Readable } from 'node:stream';
import { type OperationId, PelorusError } from '@pelorus/contract';
import { releaseMemory, type StorageEngine } from '@pelorus/engine';
import type { Inference, RemoteInference } from '@pelorus/inference';
import type { Keys } from '@pelorus/keys';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createApp, operationsOf } from '../app.js';
import type { Access } from '../auth/access.js';
import { keyAccess } from '../auth/key-access.js';
import { bindOperations } from '../binder.js';
import type { Handler, Services } from '../call.js';
import type { Config } from '../config.js';
import { handlersOf } from '../handlers.js';
import { Admission, releaseAfter } from '../http/admission.js';
import type { Counters } from '../http/counters.js';
import { connectionAfter } from '../http/errors.js';
import { REQUEST_ID } from '../http/request-id.js';
import type { SlowRequest } from '../http/slow-requests.js';
import { readings } from '../server.js';
import { aliasesOfNow } from '../services/called-index.js';
import { Definitions } from '../services/definition.js';
import { Memory } from '../services/memory.js';
import type { Tracing } from '../tracing/tracing.js';
import { ownVersion } from '../version.js';
import { onFirstLoop, PassedOn } from './passed-on.js';

/** Operations that each event loop answers by itself; the first one answers all others. */
const EVERYWHERE: ReadonlySet<OperationId> = new Set([
  'search',
  'multiSearch',
  'recommend',
  'embed',
  'suggest',
  'getDocument',
  'getDocuments',
  'getDocumentsBatch',
  'addDocuments',
  'addOrUpdateDocuments',
  'updateDocuments',
  'deleteDocuments',
]);

/** A request on its way to the first event loop. */
export interface PassedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Uint8Array | null;
  readonly address: string;
}

/** Its answer on the way back. */
export interface PassedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  readonly body: Uint8Array;
}

export interface LoopServerParts {
  /** The engine that this thread is attached to. */
  readonly engine: StorageEngine;
  readonly inference: RemoteInference;
  readonly keys: Keys;
  readonly config: Config;
  /** Is told of requests that took long. */
  readonly noteSlow: (request: SlowRequest) => void;
  readonly counters: Counters;
  /** As in `ServerParts`. */
  readonly access?: Access;
  /** As in `ServerParts`. */
  readonly docs?: boolean;
  /** Bytes of models that do not count in the memory of the config. */
  readonly modelBytes: () => number;
  readonly log: FastifyBaseLogger;
  /** As of `ServerParts`. */
  readonly tracing: Tracing | null;
  /** Lets the first event loop answer a request. */
  readonly passOn: (request: PassedRequest, signal: AbortSignal) => Promise<PassedAnswer>;
}

/**
 * The HTTP service of an event loop beside the first: it answers what searches, reads and writes documents, and passes
 * everything else on, with each request that needs what the first loop alone has.
 */
export function createLoopServer(parts: LoopServerParts): FastifyInstance {
  const { engine, keys, config, counters, log, modelBytes, docs = true } = parts;
  const { noteSlow, tracing } = parts;
  const app = createApp('search', config, { docs, log, counters, noteSlow, tracing });
  const inference = parts.inference as Inference;
  const services: Services = {
    ...{ engine, inference, config, filesProblems: [], version: ownVersion() },
    definitions: new Definitions(engine, inference),
    keys: onFirstLoop(),
    indexChanges: onFirstLoop(),
    cursors: onFirstLoop(),
    host: onFirstLoop(),
    loops: onFirstLoop(),
    metrics: onFirstLoop(),
    slowRequests: onFirstLoop(),
    recentLog: onFirstLoop(),
    counters,
    judgements: onFirstLoop(),
    backups: 'unset',
  };
  const memory = new Memory(config.maxMemory, { release: releaseMemory, apart: modelBytes });
  const admission = new Admission(config, memory, counters);
  const operations = operationsOf('search');
  const own = handlersOf(services);
  const elsewhere: Handler<OperationId> = () => {
    throw new PassedOn();
  };
  const handlers = Object.fromEntries(
    operations.map(({ operationId: id }) => [id, EVERYWHERE.has(id) ? own[id] : elsewhere]),
  ) as unknown as typeof own;
  bindOperations(app, operations, handlers, {
    access: parts.access ?? accessByKeys(keys, config),
    admission,
    publicUrl: config.publicUrl,
    ...readings,
    aliasesNow: aliasesOfNow(engine),
    deviceNamed: (name) => inference.device(name),
    passOn: (request, reply, bytes) => passOn(parts, admission, request, reply, bytes),
  });
  return app;
}

function accessByKeys(keys: Keys, { keysEnforcement: enforcement }: Config): Access {
  // Attempts with bad keys are counted where all of them come together.
  const failures = { take: () => onFirstLoop<{ seconds: number }>().seconds };
  return keyAccess({ keys, enforcement, isAlwaysRequired: false, failures });
}

/** Headers that are about one connection, or the form of a body that is read by now. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'expect', 'te', 'trailer', 'proxy-connection'],
  ...['content-length', 'content-encoding', 'date'],
]);

async function passOn(
  { passOn: ask }: LoopServerParts,
  admission: Admission,
  request: FastifyRequest,
  reply: FastifyReply,
  bytes: Buffer | null,
): Promise<FastifyReply> {
  request.isPassedOn = true;
  const closed = new AbortController();
  const end = () => closed.abort(new PelorusError('client_closed_request', 'The client went away before the answer'));
  reply.raw.once('close', end);
  const asked: PassedRequest = {
    method: request.method,
    url: request.raw.url ?? '/',
    headers: { ...withoutConnection(request.headers), [REQUEST_ID]: request.id },
    body: bytes === null || bytes.length === 0 ? null : bytes,
    address: request.ip,
  };
  const { status, headers, body } = await ask(asked, closed.signal);
  reply.raw.off('close', end);
  const lease = admission.answers.lease();
  lease.take(body.length);
  releaseAfter(reply.raw, lease);
  if (bytes === null && connectionAfter(request) === 'close') reply.header('connection', 'close');
  reply.code(status).headers(withoutConnection(headers));
  if (body.length === 0) return reply.send();
  // As it came: nothing is added to it here.
  return reply
    .header('content-length', body.length)
    .send(Readable.from([Buffer.from(body.buffer, body.byteOffset, body.length)]));
}

function withoutConnection<Value>(headers: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_CONNECTION.has(name.toLowerCase())));
}
