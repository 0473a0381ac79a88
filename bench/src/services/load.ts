import { quantile } from '../quantile.ts';
import type { Generator, Request } from './generator.ts';
import { useOf } from './process-tree.ts';
import type { Service } from './service.ts';

export interface Load {
  /** Requests a second. */
  rate: number;
  p99: number;
  /** Microseconds of all threads of the service for a request; null where the system does not tell. */
  cpu: number | null;
}

/** Sends requests over and over, and reads what that cost the service. */
export async function loadOf(
  generator: Generator,
  service: Service,
  effort: number,
  requests: readonly Request[],
  connections: number,
  seconds: number,
): Promise<Load> {
  const { wire, port, pid } = service;
  const before = useOf(pid);
  const order = { wire, port, greeting: service.greeting(effort), requests, connections, seconds };
  const { times, seconds: taken } = await generator.send({ ...order, keepsAnswers: false });
  const after = useOf(pid);
  const cpuSeconds = before === null || after === null ? null : after.cpuSeconds - before.cpuSeconds;
  return {
    rate: times.length / taken,
    p99: quantile([...times], 0.99),
    cpu: cpuSeconds === null ? null : (cpuSeconds * 1e6) / times.length,
  };
}
