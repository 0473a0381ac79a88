import { setTimeout as sleep } from 'node:timers/promises';
import { SetupFailure } from '../failure.mjs';

/** Time of writes before a fault, and while a node is away, in milliseconds. */
const [BEFORE_MS, AWAY_MS] = [500, 3_000];
/** The shortest and the longest hang: with the settings of the nodes, one of three seconds and more is let go. */
const [HANG_MIN_MS, HANG_MAX_MS] = [500, 8_000];

/** Faults by their names, and how often each is drawn. One that is told by another name gives it. */
export const KINDS = [
  { name: 'node', weight: 20, run: ({ cluster, random }) => killed(cluster, random.int(0, cluster.nodes.length - 1)) },
  { name: 'manager', weight: 15, run: async ({ cluster }) => killed(cluster, Math.max(await cluster.manager(), 0)) },
  {
    name: 'hang',
    weight: 35,
    run: async ({ cluster, random }) => {
      const at = random.int(0, cluster.nodes.length - 1);
      const isManager = at === (await cluster.manager());
      await hung(cluster.nodes[at], random);
      return isManager ? 'hang of the manager' : 'hang';
    },
  },
  { name: 'server', weight: 30, run: ({ server, random }) => serverKilled(server, random) },
];

/**
 * Waits until the cluster is whole, does it some harm amid writes, and waits until all is mended and nothing is lost.
 * Tells of it in a line.
 */
export async function runFault(surroundings, kinds) {
  const { cluster, server, answers, workload, random } = surroundings;
  await cluster.untilWhole();
  await sleep(BEFORE_MS + random.int(0, 500));
  const { name, run } = random.weighted(KINDS.filter((kind) => kinds.includes(kind.name)));
  answers.beginFault();
  const told = await run(surroundings);
  await cluster.untilWhole();
  if (server.hasFailed) throw new SetupFailure(`The server ended by itself:\n${server.output}`);
  await workload.settle();
  const stops = answers.endFault(told ?? name);
  await workload.verifyAll();
  return stops;
}

async function killed(cluster, at) {
  const node = cluster.nodes[at];
  await node.kill();
  await sleep(AWAY_MS);
  node.startAgain();
}

async function hung(node, random) {
  node.signal('SIGSTOP');
  await sleep(random.int(HANG_MIN_MS, HANG_MAX_MS));
  node.signal('SIGCONT');
}

async function serverKilled(server, random) {
  await server.kill();
  await sleep(random.int(0, 300));
  await server.startAgain();
}
