import { releaseMemory, type StorageEngine } from '@pelorus/engine';
import type { Inference } from '@pelorus/inference';
import type { ManagedKeys } from '@pelorus/keys';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { createApp, operationsOf, recentLogOf } from './app.js';
import type { Access } from './auth/access.js';
import { keyAccess } from './auth/key-access.js';
import type { Backups } from './backups/index.js';
import { type Bindings, bindOperations } from './binder.js';
import type { Config } from './config.js';
import { handlersOf } from './handlers.js';
import type { Problems } from './host/health.js';
import { Admission } from './http/admission.js';
import { type Counters, LocalCounters } from './http/counters.js';
import { ExtractedVectors } from './http/extracted-vectors.js';
import { SlowRequests } from './http/slow-requests.js';
import { asArguments, readSettings } from './indexes/requested-settings.js';
import { type LoopFigures, OneLoop } from './loops/loop-figures.js';
import { Metrics } from './metrics/metrics.js';
import { refuseBulkSearch } from './search/bulk-search.js';
import { aliasesOfNow } from './services/called-index.js';
import { Memory } from './services/memory.js';
import { HostMonitor, type StorageElsewhere } from './services/monitor.js';
import { addBackups, servicesOf } from './services.js';
import type { Tracing } from './tracing/tracing.js';
import { ownVersion } from './version.js';

export interface ServerParts {
  readonly engine: StorageEngine;
  readonly inference: Inference;
  /** The keys that let calls in; the operations on keys change them. */
  readonly keys: ManagedKeys;
  readonly config: Config;
  /** Decides who is let in; when absent, those who have one of the keys are. */
  readonly access?: Access;
  /** Leaves models out of the memory of the config: their own limit stands beside it. They count in it when absent. */
  readonly modelsApart?: boolean;
  /** Tells whether the contract is served too; it is when absent. */
  readonly docs?: boolean;
  /** The disks that documents are on; that of the data directory when absent. */
  readonly storage?: StorageElsewhere;
  /** Faults of files of the whole data directory; none when absent. */
  readonly filesProblems?: Problems;
  /** The backups in the place of the settings; none when absent. */
  readonly backups?: Backups;
  /** One of its own when absent. */
  readonly log?: FastifyBaseLogger;
  /** The numbers behind its limits, where other event loops have them too; its own when absent. */
  readonly counters?: Counters;
  /** Keeps slow requests of all event loops; one of its own when absent. */
  readonly slowRequests?: SlowRequests;
  /** Its event loops; one when absent. */
  readonly loops?: LoopFigures;
  /** Traces its requests, and ends with it; none when absent. */
  readonly tracing?: Tracing | null;
}

/** The ways in which bodies of operations are read. */
export const readings = {
  preparations: {
    createIndex: readSettings,
    validateIndex: (body) => asArguments(() => readSettings(body)),
    search: refuseBulkSearch,
  },
  vectorExtractors: { search: (body) => ExtractedVectors.of(body) },
} satisfies Pick<Bindings, 'preparations' | 'vectorExtractors'>;

/**
 * The HTTP service over an engine and an inference. It starts with `listen()`; `close()` lets requests under way finish.
 * Engine, inference and keys are the caller's to close, after the server.
 */
export function createServer(parts: ServerParts): FastifyInstance {
  const {
    engine,
    inference,
    keys,
    config,
    modelsApart = false,
    docs = true,
    log,
    storage,
    filesProblems = [],
    counters = new LocalCounters(),
    loops = new OneLoop(counters),
    slowRequests = new SlowRequests(),
    tracing = null,
  } = parts;
  const { access = keyAccess({ keys, enforcement: config.keysEnforcement, isAlwaysRequired: false }) } = parts;
  const app = createApp('search', config, {
    ...{ docs, counters, noteSlow: slowRequests.note, tracing },
    ...(log !== undefined && { log }),
  });
  const memory = new Memory(config.maxMemory, {
    release: releaseMemory,
    ...(modelsApart && { apart: () => inference.modelBytes() }),
  });
  const host = new HostMonitor(config.dataDir, memory, storage);
  app.addHook('onClose', async () => host.close());
  const version = ownVersion();
  const { fault: aliasFault = null } = engine.aliases?.now() ?? {};
  if (aliasFault !== null) app.log.error(aliasFault);
  const ofAliases = aliasFault === null ? [] : [{ status: 'red', reason: aliasFault } as const];
  const metrics = new Metrics({ version, counters, loops, host, inference });
  const services = servicesOf({
    engine,
    inference,
    keys,
    config,
    host,
    loops,
    metrics,
    slowRequests,
    counters,
    recentLog: recentLogOf(app.log),
    filesProblems: [...filesProblems, ...ofAliases],
    version,
    backups: parts.backups,
    warn: (text) => app.log.warn(text),
  });
  addBackups(app, config, services.backups);
  app.addHook('onClose', async () => services.cursors.close());
  bindOperations(app, operationsOf('search'), handlersOf(services), {
    access,
    admission: new Admission(config, memory, counters),
    publicUrl: config.publicUrl,
    ...readings,
    aliasesNow: aliasesOfNow(engine),
    deviceNamed: (name) => inference.device(name),
  });
  return app;
}
