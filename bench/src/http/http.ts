import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { definition } from '../definition.ts';
import { BENCH, CACHE } from '../paths.ts';
import { median } from '../quantile.ts';
import { compare, type Row } from '../row.ts';
import { catalogue, catalogueIsIn, DEMO_INDEX } from '../server/catalogue.ts';
import { ServerProcess } from '../server/server-process.ts';
import { glossSearches } from './gloss-searches.ts';
import { type CostedLoad, costedLoad, type Load, load } from './load.ts';
import { loopScaling, type ScalingPlan } from './loop-scaling.ts';

interface HttpDefinition {
  warmUpSeconds: number;
  seconds: number;
  connections: number;
  rounds: number;
  /** Documents of the second index, and queries for it. */
  glosses: number;
  queries: number;
  /** Long texts of the third. */
  articles: number;
  scaling: ScalingPlan;
}

interface Case {
  name: string;
  targetP50Ms: number | null;
  /** The body of a search; null asks for the health of the service, which is as fast as any answer can be. */
  body: object | null;
}

interface Measured {
  /** One connection: what a single caller waits. */
  alone: CostedLoad;
  /** Many connections: the capacity of the server, and the waits of callers at it. */
  crowded: Load;
  loopDelayP99Ms: number;
}

/** Searches over HTTP: a real server process with the sample catalogue and with glosses, the load from another one. */
export const http: Bench = async ({ quick, say }) => {
  const plan = definition<HttpDefinition>('http', quick);
  const cases = JSON.parse(readFileSync(join(BENCH, 'definitions', 'http-cases.json'), 'utf8')) as Case[];
  const data = join(CACHE, 'http-data');
  // With one event loop, whose share of a request the rows tell.
  const server = await ServerProcess.start(data, '--demo', '--http-threads', '1');
  let isStopped = false;
  try {
    say('loading the sample catalogue');
    await catalogueIsIn(server);
    for (const { name, body } of cases) {
      await checkAnswer(server, name, body);
      await load(...requestOf(server, body), plan.connections, plan.warmUpSeconds);
    }
    const measured = new Map<Case, Measured[]>(cases.map((each) => [each, []]));
    for (let round = 1; round <= plan.rounds; round += 1) {
      say(`round ${round} of ${plan.rounds}`);
      for (const [{ body }, results] of measured) results.push(await measure(server, body, plan));
    }
    const { residentBytes } = await server.read();
    const ofGlosses = await glossSearches(server, plan, say);
    isStopped = true;
    await server.stop();
    const ofLoops = await loopScaling(data, ofGlosses.scaled, plan.scaling, say);
    const ofCatalogue = [...measured].flatMap(([each, results]) => rowsOf(each, results, plan));
    return {
      rows: [...ofCatalogue, ...ofGlosses.rows, ...ofLoops],
      notes: ['the load generator shares the machine: it takes about one core while it runs'],
      dataset: { documents: catalogue().length, ...plan, residentBytes },
    };
  } finally {
    if (!isStopped) await server.stop();
  }
};

/** The request that is sent over and over. */
function requestOf({ address }: ServerProcess, body: object | null): [url: string, bodies: string[] | null] {
  if (body === null) return [`${address}/health`, null];
  return [`${address}/indexes/${DEMO_INDEX}/search`, [JSON.stringify(body)]];
}

/** A speed counts only for a search that finds something, and for a service that is well. */
async function checkAnswer(server: ServerProcess, name: string, body: object | null): Promise<void> {
  if (body === null) {
    const { status } = await server.call<{ status: string }>('GET', '/health');
    if (status === 'red') throw new Error('the server is not well');
    return;
  }
  const { hits } = await server.call<{ hits: unknown[] }>('POST', `/indexes/${DEMO_INDEX}/search`, body);
  if (hits.length === 0) throw new Error(`the ${name} search finds nothing`);
}

async function measure(
  server: ServerProcess,
  body: object | null,
  { connections, seconds }: HttpDefinition,
): Promise<Measured> {
  const [url, bodies] = requestOf(server, body);
  const alone = await costedLoad(server, url, bodies, 1, seconds);
  server.reset();
  const crowded = await load(url, bodies, connections, seconds);
  const { loopDelayP99Ms } = await server.read();
  return { alone, crowded, loopDelayP99Ms };
}

function rowsOf({ name, targetP50Ms }: Case, results: Measured[], { connections }: HttpDefinition): Row[] {
  const middle = (pick: (measured: Measured) => number) => median(results.map(pick));
  const target = targetP50Ms === null ? null : 'target';
  const crowd = `${name}, ${connections} connections`;
  return [
    compare(
      `${name}, 1 connection: p50 (ms)`,
      'lower',
      middle((m) => m.alone.p50Ms),
      target,
      targetP50Ms,
    ),
    compare(
      `${name}, 1 connection: p99 (ms)`,
      'lower',
      middle((m) => m.alone.p99Ms),
    ),
    compare(
      `${name}, 1 connection: event loop (CPU us)`,
      'lower',
      middle((m) => m.alone.loopUs),
    ),
    compare(
      `${crowd}: requests/s`,
      'higher',
      middle((m) => m.crowded.requestsPerSecond),
    ),
    compare(
      `${crowd}: p50 (ms)`,
      'lower',
      middle((m) => m.crowded.p50Ms),
    ),
    compare(
      `${crowd}: p99 (ms)`,
      'lower',
      middle((m) => m.crowded.p99Ms),
    ),
    compare(
      `${crowd}: event-loop delay p99 (ms)`,
      'lower',
      middle((m) => m.loopDelayP99Ms),
    ),
  ];
}
