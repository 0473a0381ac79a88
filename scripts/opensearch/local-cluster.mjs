import { setTimeout as sleep } from 'node:timers/promises';
import { SetupFailure } from '../failure.mjs';
import { freePort } from '../processes/free-port.mjs';
import { LocalNode } from './local-node.mjs';

/** The longest wait for a state of the cluster. */
const STATE_MS = 240_000;
const POLL_MS = 100;

/**
 * A node that does not answer is let go after some two seconds, by default after half a minute; so long at most a new
 * manager waits for it before that.
 */
const FAULT_DETECTION = [
  'cluster.publish.timeout: 2s',
  ...['follower_check', 'leader_check'].flatMap((check) => [
    `cluster.fault_detection.${check}.interval: 300ms`,
    `cluster.fault_detection.${check}.timeout: 600ms`,
    `cluster.fault_detection.${check}.retry_count: 2`,
  ]),
];

/** Installed nodes that are one cluster on the loopback interface, and end with this process at the latest. */
export class LocalCluster {
  /** @type {readonly LocalNode[]} */
  nodes;

  constructor(nodes) {
    this.nodes = nodes;
  }

  /**
   * @param {number} count nodes, each of which may manage the cluster
   * @throws SetupFailure where they cannot run here, or do not find each other
   */
  static async start(count) {
    const ports = [];
    while (ports.length < 2 * count) ports.push(await freePort());
    const [http, transport] = [ports.slice(0, count), ports.slice(count)];
    const names = http.map((_, at) => `n${at + 1}`);
    const common = [
      'cluster.name: pelorus-nodes',
      `discovery.seed_hosts: [${transport.map((port) => `"127.0.0.1:${port}"`).join(', ')}]`,
      `cluster.initial_cluster_manager_nodes: [${names.join(', ')}]`,
      // A node that has lost the others answers nothing, rather than what it had.
      'cluster.no_cluster_manager_block: all',
      'node.processors: 2',
      ...FAULT_DETECTION,
    ];
    const nodes = names.map((name, at) =>
      LocalNode.begin({ port: http[at], transportPort: transport[at], cluster: [`node.name: ${name}`, ...common] }),
    );
    const cluster = new LocalCluster(nodes);
    try {
      await cluster.untilWhole();
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  /** The addresses of all its nodes, separated by commas. */
  get addresses() {
    return this.nodes.map(({ address }) => address).join(',');
  }

  /**
   * Resolves once all nodes are in it and all copies are in step.
   *
   * @throws SetupFailure where that takes too long
   */
  async untilWhole() {
    await Promise.all(this.nodes.map((node) => node.untilReady()));
    const deadline = performance.now() + STATE_MS;
    for (;;) {
      const states = await Promise.all(this.nodes.map(({ address }) => asked(address, '/_cluster/health')));
      const count = this.nodes.length;
      if (states.every((state) => state?.status === 'green' && state.number_of_nodes === count)) return;
      if (performance.now() > deadline)
        throw new SetupFailure(`The cluster does not become whole: ${JSON.stringify(states)}`);
      await sleep(POLL_MS);
    }
  }

  /** The place of the node that manages the cluster; -1 where there is none. */
  async manager() {
    for (const { address } of this.nodes) {
      const rows = await asked(address, '/_cat/cluster_manager?format=json&h=node');
      if (Array.isArray(rows) && rows.length === 1) return Number(rows[0].node.slice(1)) - 1;
    }
    return -1;
  }

  /** Resolves once all are gone, with all that they kept. */
  async stop() {
    await Promise.all(this.nodes.map((node) => node.stop()));
  }
}

/** The answer of a node as JSON; null where it has none. */
export async function asked(address, path) {
  try {
    const answer = await fetch(`${address}${path}`, { signal: AbortSignal.timeout(2_000) });
    return answer.ok ? await answer.json() : null;
  } catch {
    return null;
  }
}
