import { cp, rm } from 'node:fs/promises';
import { median } from '../quantile.ts';
import { compare, type Row } from '../row.ts';
import { ServerProcess } from '../server/server-process.ts';
import { type Part, threadCpu } from '../server/thread-cpu.ts';
import { load } from './load.ts';

export interface ScalingPlan {
  warmUpSeconds: number;
  seconds: number;
  rounds: number;
  /** Numbers of event loops. */
  loops: number[];
  connectionsOfLoop: number;
}

/** A search that is sent over and over. */
export interface ScaledSearch {
  name: string;
  path: string;
  bodies: string[];
}

/** Searches a second with n loops, over n times those with one. */
const TARGET = 0.9;

/**
 * The gain of event loops, told by processor time, which needs no machine of as many cores: n loops on n times the cores
 * answer n times as much if none of a search's parts takes more than with one. Each server has the same data, and all of
 * them are asked in turns.
 */
export async function loopScaling(
  dataDirectory: string,
  searches: readonly ScaledSearch[],
  plan: ScalingPlan,
  say: (line: string) => void,
): Promise<Row[]> {
  if (process.platform !== 'linux') return [];
  const servers: Server[] = [];
  try {
    for (const loops of plan.loops) {
      const folder = `${dataDirectory}-${loops}-loops`;
      await rm(folder, { recursive: true, force: true });
      await cp(dataDirectory, folder, { recursive: true });
      const server = await ServerProcess.start(folder, '--http-threads', String(loops));
      servers.push({ loops, folder, server, costs: searches.map(() => []) });
    }
    for (let round = 0; round <= plan.rounds; round += 1) {
      if (round > 0) say(`event loops, round ${round} of ${plan.rounds}`);
      for (const [at, search] of searches.entries()) {
        for (const each of servers) {
          // The first warms them up, each loop as long as the only one of the first server.
          if (round === 0) await costOf(each, search, plan, plan.warmUpSeconds * each.loops);
          else each.costs[at]?.push(await costOf(each, search, plan, plan.seconds));
        }
      }
    }
    return searches.flatMap(({ name }, at) => rowsOf(name, servers, at));
  } finally {
    for (const { server, folder } of servers) {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    }
  }
}

/** Processor microseconds of a search, by part and in all. */
type Cost = Readonly<Record<Part | 'all', number>>;

interface Server {
  loops: number;
  folder: string;
  server: ServerProcess;
  /** By search, those of each round. */
  costs: Cost[][];
}

async function costOf(
  { server, loops }: Server,
  { path, bodies }: ScaledSearch,
  { connectionsOfLoop }: ScalingPlan,
  seconds: number,
): Promise<Cost> {
  const before = threadCpu(server.pid);
  const { requests } = await load(`${server.address}${path}`, bodies, connectionsOfLoop * loops, seconds);
  const after = threadCpu(server.pid);
  if (before === null || after === null) throw new Error('the system tells no processor time of threads');
  const us = (part: Part) => ((after[part] - before[part]) * 1e6) / requests;
  const parts = { 'event loops': us('event loops'), searches: us('searches'), V8: us('V8'), others: us('others') };
  return { ...parts, all: Object.values(parts).reduce((sum, part) => sum + part, 0) };
}

function rowsOf(name: string, servers: readonly Server[], at: number): Row[] {
  const middle = ({ costs }: Server, part: Part | 'all') => median((costs[at] ?? []).map((cost) => cost[part]));
  const [one, ...others] = servers;
  if (one === undefined) return [];
  return others.flatMap((server) => {
    const { loops } = server;
    const gain = compare(
      `${name}, ${loops} loops: searches/s by CPU time, over those of ${one.loops}`,
      'higher',
      (loops * middle(one, 'all')) / middle(server, 'all'),
      `${loops} times`,
      loops,
    );
    const parts = (['event loops', 'searches', 'V8', 'others', 'all'] as const).map((part) => {
      const metric = `${name}, ${loops} loops: ${part} (CPU us)`;
      return compare(metric, 'lower', middle(server, part), 'one loop', middle(one, part));
    });
    return [{ ...gain, target: { reach: TARGET, chase: 1 } }, ...parts];
  });
}
