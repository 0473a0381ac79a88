import type { schemas } from '@pelorus/contract';
import type { Shops } from '@pelorus/ecommerce';
import { type EngineHealth, releaseMemory } from '@pelorus/engine';
import type { EventStore } from '@pelorus/events';
import { callTrace, type IndexHosting } from '@pelorus/hosted';
import type { Inference } from '@pelorus/inference';
import type { ManagedKeys } from '@pelorus/keys';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { createApp, operationsOf, recentLogOf } from './app.js';
import { mayCall } from './auth/access.js';
import { keyAccess } from './auth/key-access.js';
import { keyHandlers } from './auth/key-handlers.js';
import { ShopperLimit } from './auth/shopper-limit.js';
import { backupHandlers } from './backups/backup-handlers.js';
import type { BackupWork } from './backups/backup-work.js';
import { bindOperations } from './binder.js';
import type { Principal } from './call.js';
import type { Config } from './config.js';
import { ecommerceHandlers } from './ecommerce/ecommerce-handlers.js';
import { eventHandlers } from './events/event-handlers.js';
import { healthOf, type Problems } from './host/health.js';
import { queuesOf } from './host/queues.js';
import { cpuInfo, greeting } from './host/service-handlers.js';
import { hostedAliasHandlers } from './hosted/alias-handlers.js';
import { ChangeQuota } from './hosted/change-quota.js';
import { controlHandlers } from './hosted/control-handlers.js';
import { EndpointCalls } from './hosted/endpoint-calls.js';
import { endpointOperations } from './hosted/endpoint-operations.js';
import type { HostedServices } from './hosted/hosted-services.js';
import { recordReader } from './hosted/read-record.js';
import { Relay } from './hosted/relay.js';
import { SearchCounts } from './hosted/search-counts.js';
import { Admission } from './http/admission.js';
import { LocalCounters } from './http/counters.js';
import { judgementHandlers } from './judgements/judgement-handlers.js';
import { JudgementSets } from './judgements/judgement-sets.js';
import { logHandlers } from './log/log-handlers.js';
import { OneLoop } from './loops/loop-figures.js';
import { Metrics } from './metrics/metrics.js';
import { metricsAnswer } from './metrics/metrics-handlers.js';
import { Memory } from './services/memory.js';
import { HostMonitor } from './services/monitor.js';
import { addBackups } from './services.js';
import type { Tracing } from './tracing/tracing.js';
import { ownVersion } from './version.js';

type IndexHealth = EngineHealth['indexes'][number];

export interface GatewayParts {
  readonly hosting: IndexHosting;
  readonly shops: Shops;
  readonly inference: Inference;
  /** The keys that let calls in; the operations on keys change them. */
  readonly keys: ManagedKeys;
  /** The events of shoppers. */
  readonly events: EventStore;
  readonly config: Config;
  readonly log: FastifyBaseLogger;
  /** Traces its requests, and ends with it; none when absent. */
  readonly tracing?: Tracing | null;
  /** Faults of files of the whole data directory; none when absent. */
  readonly filesProblems?: Problems;
  /** The backups of the service; none when absent. */
  readonly backups?: BackupWork;
}

/**
 * The HTTP service of the hosted form: the control plane, and the endpoints behind which each index has a process of its
 * own. `close()` lets requests under way finish; hosting, shops, inference, keys and events are the caller's to close, after it.
 */
export function createGateway(parts: GatewayParts): FastifyInstance {
  const { hosting, shops, inference, keys, events, config, log, filesProblems = [], tracing = null } = parts;
  const { backups = 'unset' } = parts;
  const counters = new LocalCounters();
  const loops = new OneLoop(counters);
  const app = createApp('hosted', config, { others: endpointOperations, log, counters, tracing });
  const memory = new Memory(config.maxMemory, { release: releaseMemory });
  const host = new HostMonitor(config.dataDir, memory);
  app.addHook('onClose', async () => host.close());
  addBackups(app, config, backups);
  const services: HostedServices = { hosting, inference, config };
  const access = keyAccess({
    keys,
    enforcement: config.keysEnforcement,
    isAlwaysRequired: true,
    shops,
    shopperLimit: new ShopperLimit(config),
  });
  const searches = new SearchCounts(counters.answered('searches'));
  const admission = new Admission(config, memory, counters);
  const { searchTimeoutMs } = config;
  const relay = new Relay({
    ...{ hosting, access, keys, admission, searches, config, searchTimeoutMs, counters, log, tracing },
  });
  relay.bind(app.server);
  app.addHook('preHandler', ({ trace }, _reply, done) => {
    if (trace === undefined) done();
    else callTrace.run({ ...trace.headers() }, done);
  });
  // Before the server closes: to it a connection whose call is relayed is idle.
  app.addHook('preClose', () => relay.drain());
  const calls = new EndpointCalls({ hosting, access, admission, searches, searchTimeoutMs, relay });
  const record = recordReader(services, searches);
  const changes = new ChangeQuota(config.indexChangesPerMinute);
  const version = ownVersion();
  const welcome = () => ({ body: greeting(version) });
  const metrics = new Metrics({ version, counters, loops, host, inference });
  const health = (principal: Principal | undefined): schemas.Health => {
    const { status, indexes } = indexHealth(hosting, shops);
    const known = indexes.filter(({ name }) => mayCall(principal, name));
    const others = {
      ...{ events: events.problems, keys: keys.problems, files: filesProblems },
      ...(typeof backups !== 'string' && { backups: backups.problems }),
    };
    const whole = healthOf(host.usage(), { status, indexes: known }, others);
    return shops.collections.fault === null ? whole : { ...whole, ...closedCollections };
  };
  bindOperations(
    app,
    operationsOf('hosted'),
    {
      getRoot: welcome,
      getApi: welcome,
      getHealth: ({ principal }) => ({ body: health(principal) }),
      getMetrics: async ({ principal }) => {
        const count = hosting.list().filter(({ name }) => mayCall(principal, name)).length;
        // Each index has metrics of its own, at its endpoint.
        const indexes = { count, figures: [] };
        const { counts, droppedSearches } = events;
        const hosted = { processes: hosting.processFigures(), events: counts, droppedSearches };
        return metricsAnswer(await metrics.text({ health: health(principal), indexes, hosted }));
      },
      getQueues: () => ({
        body: {
          ...queuesOf({ counters, config, inference, backups, indexes: [] }),
          hostedIndexes: hosting
            .list()
            .flatMap(({ name, state }) =>
              state === 'READY' || state === 'FAILED' ? [] : [{ indexName: name, state }],
            ),
          eventsWaiting: events.counts.waiting,
        },
      }),
      ...logHandlers({ recentLog: recentLogOf(log), config }),
      getCpuInfo: () => ({ body: cpuInfo(host, loops) }),
      ...keyHandlers({ keys }),
      ...hostedAliasHandlers(),
      ...judgementHandlers({ judgements: new JudgementSets(config.dataDir) }),
      ...backupHandlers(backups),
      ...controlHandlers(services, record, changes),
      ...ecommerceHandlers({ shops, inference, config, record, changes, searches }),
      ...eventHandlers(events, shops),
    },
    {
      access,
      admission,
      publicUrl: config.publicUrl,
      preparations: {},
      vectorExtractors: {},
      deviceNamed: (name) => inference.device(name),
    },
  );
  calls.bind(app);
  return app;
}

/** Collections are no index's: that their file cannot be read is told apart. */
const closedCollections = {
  status: 'red',
  collections: { status: 'red', reasons: ['The file of the collections cannot be read; the log says why'] },
} satisfies Partial<schemas.Health>;

/**
 * Indexes that have failed, or whose files cannot be read, are `red`, those with whose process something is wrong `yellow`.
 * A serving index reports its own faults.
 */
function indexHealth(hosting: IndexHosting, shops: Shops): EngineHealth {
  const damaged = hosting.damaged().map(({ id, name, reason }) => closed(name ?? id, reason));
  const faults = shops.faults().map(({ name, reason }) => closed(name, reason));
  const indexes = hosting.list().flatMap((index): IndexHealth[] => {
    const { name, state, failure, resources } = index;
    if (state === 'FAILED') return [{ name, status: 'red', code: 'service_unavailable', reason: failure ?? '' }];
    if (state !== 'READY' || resources.numberOfInferences === 0) return [];
    const unusable = hosting.unusable(index);
    if (unusable !== null) return [closed(name, unusable)];
    const own = hosting.ownFaultOf(index);
    if (own?.status === 'red') return [{ name, ...own }];
    const reason = hosting.troubleOf(index);
    if (reason === null) return own === null ? [] : [{ name, ...own }];
    return [{ name, status: 'yellow', code: 'service_unavailable', reason }];
  });
  const all = [...damaged, ...faults, ...indexes];
  const isRed = all.some(({ status }) => status === 'red');
  return { status: isRed ? 'red' : all.length > 0 ? 'yellow' : 'green', indexes: all };
}

function closed(name: string, reason: string): IndexHealth {
  return { name, status: 'red', code: 'backend_data_parsing_error', reason };
}
