import { Readable } from 'node:stream';
import type { StorageEngine } from '@pelorus/engine';
import { mayCall } from '../auth/access.js';
import type { Handlers, Principal, Services, StreamAnswer } from '../call.js';
import { wholeHealth } from '../host/service-handlers.js';
import { type IndexFigure, LABELLED_INDEXES_MAX } from './index-metrics.js';
import type { MetricsOfCaller } from './metrics.js';

/** The type of the text format, with its version. */
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Metrics of a server that holds indexes: a caller sees the indexes that its key may call. */
export function metricsHandlers(services: Services): Pick<Handlers, 'getMetrics'> {
  return {
    getMetrics: async ({ principal }) => {
      const health = await wholeHealth(services, principal);
      const indexes = await indexesFor(services.engine, principal);
      return metricsAnswer(await services.metrics.text({ health, indexes }));
    },
  };
}

/** The answer that has a text of metrics. */
export function metricsAnswer(text: string): StreamAnswer {
  return { stream: Readable.from([text]), headers: { 'content-type': CONTENT_TYPE } };
}

/** The number of the indexes that a caller may call, and the figures of the first of them. */
export async function indexesFor(
  engine: Pick<StorageEngine, 'listIndexes' | 'stats'>,
  principal: Principal | undefined,
): Promise<MetricsOfCaller['indexes']> {
  const names = (await engine.listIndexes()).filter((name) => mayCall(principal, name));
  const figures: IndexFigure[] = [];
  for (const name of names.slice(0, LABELLED_INDEXES_MAX)) {
    // An index that cannot be read is told by health; one that is gone by now is told by nothing.
    const stats = await engine.stats(name).catch(() => null);
    if (stats !== null) figures.push({ name, stats });
  }
  return { count: names.length, figures };
}
