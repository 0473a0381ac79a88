import type { schemas } from '@pelorus/contract';
import type { NoBackups } from '../backups/backup-handlers.js';
import type { BackupWork } from '../backups/backup-work.js';
import type { Handlers, Services } from '../call.js';
import type { Config } from '../config.js';
import type { Counters } from '../http/counters.js';
import type { IndexFigure } from '../metrics/index-metrics.js';
import { indexesFor } from '../metrics/metrics-handlers.js';
import type { ModelFigures } from '../metrics/model-metrics.js';

interface QueueParts {
  readonly counters: Counters;
  readonly config: Config;
  readonly inference: Pick<ModelFigures, 'work'>;
  readonly backups: BackupWork | NoBackups;
  readonly indexes: readonly IndexFigure[];
}

/** The queues of a server that holds indexes: a caller sees those that its key may call. */
export function queueHandlers(services: Services): Pick<Handlers, 'getQueues'> {
  return {
    getQueues: async ({ principal }) => {
      const { figures: indexes } = await indexesFor(services.engine, principal);
      return { body: { ...queuesOf({ ...services, indexes }) } };
    },
  };
}

/** The work that is under way or waits. */
export function queuesOf({ counters, config, inference, backups, indexes }: QueueParts): schemas.Queues {
  const { searchesAtOnceMax, addsAtOnceMax, updatesAtOnceMax } = config;
  const limits = { search: searchesAtOnceMax, add: addsAtOnceMax, update: updatesAtOnceMax };
  const loads = ['search', 'add', 'update'] as const;
  return {
    requests: loads.map((load) => ({ load, underWay: counters.counter(load).value, max: limits[load] })),
    models: inference.work().map(({ device, encoder, waiting }) => ({ device, encoder, waiting })),
    indexes: indexes.flatMap(({ name: indexName, stats: { work } }) => {
      if (work === null) return [];
      const { queuedWrites, unlinkedVectors, vectorsToRelink, unflushedDocuments } = work;
      const left = { queuedWrites, unlinkedVectors, vectorsToRelink, unflushedDocuments };
      return Object.values(left).every((count) => count === 0) ? [] : [{ indexName, ...left }];
    }),
    backups: typeof backups === 'string' ? [] : backups.underWay(),
  };
}
