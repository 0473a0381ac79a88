import { loadPeer } from '../peers.ts';
import { quantile } from '../quantile.ts';
import type { ServerProcess } from '../server/server-process.ts';

interface Cannon extends PromiseLike<{ non2xx: number; errors: number }> {
  on(event: 'response', listener: (client: unknown, status: number, bytes: number, milliseconds: number) => void): void;
}

interface CannonOptions {
  url: string;
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  requests: { body?: string }[];
  connections: number;
  duration: number;
}

/** The result of a load of requests. */
export interface Load {
  /** The number of answers. */
  requests: number;
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
}

/** A load, and CPU microseconds that the event loop and all threads of the server took for each of its requests. */
export interface CostedLoad extends Load {
  loopUs: number;
  cpuUs: number;
}

/** As `load`, with what it cost the server. */
export async function costedLoad(server: ServerProcess, ...args: Parameters<typeof load>): Promise<CostedLoad> {
  const before = await server.read();
  const made = await load(...args);
  const after = await server.read();
  const perRequest = (cpuSeconds: number) => (cpuSeconds * 1e6) / made.requests;
  return {
    ...made,
    loopUs: perRequest(after.loopCpuSeconds - before.loopCpuSeconds),
    cpuUs: perRequest(after.cpuSeconds - before.cpuSeconds),
  };
}

/**
 * Sends the bodies one after the other, over and over, on each of `connections` connections, which waits for its answer
 * before it goes on; asks without a body where there are none. Fails when any answer is no success: such a speed would mean nothing.
 */
export async function load(
  url: string,
  bodies: readonly string[] | null,
  connections: number,
  seconds: number,
): Promise<Load> {
  const autocannon = loadPeer<(options: CannonOptions) => Cannon>('autocannon');
  const started = performance.now();
  const cannon = autocannon({
    url,
    method: bodies === null ? 'GET' : 'POST',
    headers: bodies === null ? {} : { 'content-type': 'application/json' },
    requests: bodies?.map((body) => ({ body })) ?? [{}],
    connections,
    duration: seconds,
  });
  // Its own histogram counts whole milliseconds; here most answers take less than one.
  const times: number[] = [];
  let lastAt = started;
  cannon.on('response', (_client, _status, _bytes, milliseconds) => {
    times.push(milliseconds);
    lastAt = performance.now();
  });
  const { non2xx, errors } = await cannon;
  if (non2xx + errors > 0) throw new Error(`${non2xx} refusals and ${errors} errors from ${url}`);
  return {
    requests: times.length,
    requestsPerSecond: (times.length * 1000) / (lastAt - started),
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
  };
}
