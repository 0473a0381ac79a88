import { connect } from 'node:net';
import { quantile } from '../quantile.ts';
import { bytesOfAnswer } from '../server/connection.ts';
import type { ServerProcess } from '../server/server-process.ts';

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
 * Sends the bodies one after the other, over and over, on `connections` connections, each of which waits for its answer
 * before it goes on, for so many seconds or one answer; asks without a body where there are none. Fails when any answer is no success: such a speed would mean
 * nothing. Requests are written out beforehand and answers are only counted: what the load costs, it takes from the server.
 */
export async function load(
  url: string,
  bodies: readonly string[] | null,
  connections: number,
  seconds: number,
): Promise<Load> {
  const target = new URL(url);
  const requests = bodies?.map((body) => requestOf(target, body)) ?? [requestOf(target, null)];
  const times: number[] = [];
  const startedMs = performance.now();
  const endMs = startedMs + seconds * 1000;
  let sent = 0;
  let lastMs = startedMs;
  const lanes = Array.from({ length: connections }, () =>
    ask(target, {
      next: () =>
        sent < connections || performance.now() < endMs ? (requests[sent++ % requests.length] as Buffer) : null,
      answered: (sentMs) => {
        lastMs = performance.now();
        times.push(lastMs - sentMs);
      },
    }),
  );
  await Promise.all(lanes);
  return {
    requests: times.length,
    requestsPerSecond: (times.length * 1000) / (lastMs - startedMs),
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
  };
}

function requestOf({ host, pathname }: URL, body: string | null): Buffer {
  const head = (method: string, more: string) => `${method} ${pathname} HTTP/1.1\r\nHost: ${host}\r\n${more}\r\n`;
  if (body === null) return Buffer.from(head('GET', ''));
  const more = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
  return Buffer.from(head('POST', more) + body);
}

interface Lane {
  /** The request to be sent now; null ends the lane. */
  next: () => Buffer | null;
  answered: (sentMs: number) => void;
}

/** Asks on a connection of its own until there is no request any more. */
function ask({ hostname, port, href }: URL, { next, answered }: Lane): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    let sentMs = 0;
    let start: Buffer | null = null;
    let receivedBytes = 0;
    let answerBytes = Number.POSITIVE_INFINITY;
    const send = () => {
      const request = next();
      if (request === null) {
        resolve();
        socket.destroy();
        return;
      }
      [start, receivedBytes, answerBytes] = [null, 0, Number.POSITIVE_INFINITY];
      sentMs = performance.now();
      socket.write(request);
    };
    socket.on('connect', send);
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`${href}: the server closed a connection`)));
    socket.on('data', (bytes) => {
      receivedBytes += bytes.length;
      if (answerBytes === Number.POSITIVE_INFINITY) {
        start = start === null ? bytes : Buffer.concat([start, bytes]);
        answerBytes = bytesOfAnswer(start);
        const status = start.toString('latin1', 'HTTP/1.1 '.length, 'HTTP/1.1 200'.length);
        if (status !== '200') socket.destroy(new Error(`${href} answered ${status}: ${start.toString()}`));
        if (Number.isNaN(answerBytes)) socket.destroy(new Error(`${href}: an answer does not say how long it is`));
      }
      if (socket.destroyed || receivedBytes < answerBytes) return;
      answered(sentMs);
      send();
    });
  });
}
