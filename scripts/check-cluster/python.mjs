import { setTimeout as sleep } from 'node:timers/promises';
import { run } from '../command.mjs';
import { asked } from '../opensearch/local-cluster.mjs';
import { fromRoot, NODE } from '../paths.mjs';

/** The end-to-end tests of the official Python client. */
const FILES = ['python-client', 'every-client-call'];
/** The longest wait from the first index, or from a whole cluster, to a kill, and the time that a node is away. */
const [UNTIL_KILL_MS, AWAY_MS] = [1_500, 3_000];
const POLL_MS = 100;

/**
 * Runs the tests of the Python client over a cluster, and kills one node after the other meanwhile. Gives the exit code
 * of the tests, and the number of kills amid them.
 */
export async function runPython(cluster, random) {
  const env = {
    PELORUS_TEST_ENGINE: 'opensearch',
    PELORUS_TEST_OPENSEARCH: cluster.addresses,
    PELORUS_TEST_KILLS: '1',
  };
  const vitest = fromRoot('node_modules', 'vitest', 'vitest.mjs');
  const config = fromRoot('scripts', 'vitest', 'end-to-end.config.ts');
  let isOver = false;
  const tests = run(NODE, [vitest, 'run', '--config', config, '--no-file-parallelism', ...FILES], { env }).finally(
    () => {
      isOver = true;
    },
  );
  const kills = await killUntil(() => isOver, cluster, random);
  return { code: await tests, kills };
}

async function killUntil(isOver, cluster, random) {
  let kills = 0;
  while (!isOver()) {
    if (!(await hasIndex(cluster))) {
      await sleep(POLL_MS);
      continue;
    }
    await sleep(random.int(0, UNTIL_KILL_MS));
    if (isOver()) break;
    const at = random.int(0, cluster.nodes.length - 1);
    await cluster.nodes[at].kill();
    kills += 1;
    console.log(`killed node ${at + 1}`);
    await sleep(AWAY_MS);
    cluster.nodes[at].startAgain();
    await cluster.untilWhole();
  }
  return kills;
}

async function hasIndex(cluster) {
  const rows = await asked(cluster.nodes[0].address, '/_cat/indices?format=json&h=index');
  return (rows ?? []).some(({ index }) => /^t[0-9a-f]{12}-/.test(index));
}
