// Loads the client of Prometheus: imported when somebody asks for metrics, and only then.

import { collectDefaultMetrics, type Metric, Registry } from 'prom-client';
import type { SampledMetric } from './samples.js';

let ofNode: Registry | undefined;

/**
 * Figures of Node's, one for all servers of the process: processor time, memory, garbage, handles, the delay of the event
 * loop since somebody first asked.
 */
export function nodeMetrics(): Promise<string> {
  if (ofNode === undefined) {
    ofNode = new Registry();
    collectDefaultMetrics({ register: ofNode });
  }
  return ofNode.metrics();
}

/** Metrics in the text format of Prometheus. */
export function expositionOf(metrics: readonly SampledMetric[]): Promise<string> {
  const registry = new Registry();
  for (const { name, help, type, samples } of metrics) {
    if (samples.length === 0) continue;
    const get = async () => ({ name, help, type, values: samples, aggregator: 'sum' });
    registry.registerMetric({ name, get } as unknown as Metric);
  }
  return registry.metrics();
}
