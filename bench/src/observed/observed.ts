import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { definition } from '../definition.ts';
import { type CostedLoad, costedLoad } from '../http/load.ts';
import { BENCH, CACHE } from '../paths.ts';
import { median } from '../quantile.ts';
import { compare, type Row } from '../row.ts';
import { catalogueIsIn, DEMO_INDEX } from '../server/catalogue.ts';
import { ServerProcess } from '../server/server-process.ts';

interface ObservedPlan {
  warmUpSeconds: number;
  seconds: number;
  rounds: number;
  connections: number;
  traceRatio: number;
}

interface Case {
  name: string;
  /** The body of a search; null of what is none. */
  body: object | null;
}

/** Searches a second of a server that is watched, over those of one that nobody watches. */
const TARGET = 0.98;
/** More than any search takes: with it no search is slow. */
const NEVER_MS = '100000000';
const SCRAPE_MS = 1_000;

/**
 * The cost of watching: a server with its slow log, whose metrics are asked for each second and that tells traces to a
 * collector, beside one of the same data without any of it. Both are asked in turns, each first in every other round, and
 * compared by the processor time of all their threads, which other programs of the machine change less than the clock does.
 */
export const observed: Bench = async ({ quick, say }) => {
  const plan = definition<ObservedPlan>('observed', quick);
  const all = JSON.parse(readFileSync(join(BENCH, 'definitions', 'http-cases.json'), 'utf8')) as Case[];
  const cases = all.filter(({ body }) => body !== null);
  const [data, copy] = [join(CACHE, 'observed-data'), join(CACHE, 'observed-data-2')];
  const collector = await openCollector();
  const servers: ServerProcess[] = [];
  try {
    const filled = await ServerProcess.start(data, '--demo', '--http-threads', '1');
    await catalogueIsIn(filled);
    await filled.stop();
    await rm(copy, { recursive: true, force: true });
    await cp(data, copy, { recursive: true });
    const traces = ['--otlp-endpoint', collector.url, '--trace-ratio', String(plan.traceRatio)];
    const on = await ServerProcess.start(data, '--http-threads', '1', ...traces);
    const off = await ServerProcess.start(copy, '--http-threads', '1', '--slow-search-ms', NEVER_MS);
    servers.push(on, off);
    const rows: Row[] = [];
    for (const { name, body } of cases) {
      say(`${name}: ${plan.rounds} rounds`);
      rows.push(...(await rowsOf(name, [JSON.stringify(body)], { on, off }, plan)));
    }
    const notes = ['the load generator, the collector and both servers share the machine'];
    return { rows, notes, dataset: { ...plan, deliveries: collector.requests() } };
  } finally {
    for (const server of servers) await server.stop();
    await collector.close();
    await rm(copy, { recursive: true, force: true });
  }
};

interface Pair {
  on: ServerProcess;
  off: ServerProcess;
}

async function rowsOf(name: string, bodies: string[], pair: Pair, plan: ObservedPlan): Promise<Row[]> {
  const results: { on: CostedLoad; off: CostedLoad }[] = [];
  for (let round = 0; round <= plan.rounds; round += 1) {
    const isFirstOn = round % 2 === 0;
    // The first warms them up.
    const seconds = round === 0 ? plan.warmUpSeconds : plan.seconds;
    const first = await ask(isFirstOn ? pair.on : pair.off, isFirstOn, bodies, seconds, plan);
    const second = await ask(isFirstOn ? pair.off : pair.on, !isFirstOn, bodies, seconds, plan);
    if (round > 0) results.push(isFirstOn ? { on: first, off: second } : { on: second, off: first });
  }
  const middle = (pick: (result: (typeof results)[number]) => number) => median(results.map(pick));
  const ratio = (pick: (load: CostedLoad) => number) => middle(({ on, off }) => pick(off) / pick(on));
  const perSecond = (cpuUs: number) => 1e6 / cpuUs;
  const byCpu: Row = {
    ...compare(
      `${name}: searches/s of a core`,
      'higher',
      middle(({ on }) => perSecond(on.cpuUs)),
      'nothing on',
    ),
    theirs: middle(({ off }) => perSecond(off.cpuUs)),
    // The median of rounds, the two halves of which met the same machine.
    ratio: ratio(({ cpuUs }) => cpuUs),
    target: { reach: TARGET, chase: 1 },
  };
  const loop: Row = {
    ...compare(
      `${name}: event loop (CPU us)`,
      'lower',
      middle(({ on }) => on.loopUs),
      'nothing on',
    ),
    theirs: middle(({ off }) => off.loopUs),
    ratio: ratio(({ loopUs }) => loopUs),
  };
  return [byCpu, loop];
}

/** Loads a server; one that is watched is asked for its metrics meanwhile. */
async function ask(
  server: ServerProcess,
  isWatched: boolean,
  bodies: string[],
  seconds: number,
  { connections }: ObservedPlan,
): Promise<CostedLoad> {
  const url = `${server.address}/indexes/${DEMO_INDEX}/search`;
  if (!isWatched) return await costedLoad(server, url, bodies, connections, seconds);
  let scrapes: Promise<unknown> = Promise.resolve();
  const scrape = async () => {
    const answer = await fetch(`${server.address}/metrics`);
    if (!(await answer.text()).includes('pelorus_requests_total')) throw new Error('the metrics tell no requests');
  };
  const timer = setInterval(() => {
    scrapes = scrapes.then(scrape);
  }, SCRAPE_MS);
  try {
    return await costedLoad(server, url, bodies, connections, seconds);
  } finally {
    clearInterval(timer);
    await scrapes;
  }
}

interface Collector {
  url: string;
  requests(): number;
  close(): Promise<void>;
}

/** Takes what it is sent. */
async function openCollector(): Promise<Collector> {
  let requests = 0;
  const server: Server = createServer((request, response) => {
    requests += 1;
    request.resume();
    request.on('end', () => response.end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
