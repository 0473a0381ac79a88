// npm run check:cluster: kills nodes of a cluster, and the server over them, amid writes, and counts what was lost.
//
// `--python` runs the tests of the Python client instead, with a node killed in the middle of them.
// `--kills N` (default 20) faults of kinds that `--seed S` draws, `--kinds node,manager,hang,server` of these alone. It needs
// an installed OpenSearch: `npm run opensearch -- install`. It exits with 1 where an acknowledged write was lost or an
// answer was none that is promised; times are told, and decide nothing.
import { parseArgs } from 'node:util';
import { Answers } from './check-cluster/answers.mjs';
import { KINDS, runFault } from './check-cluster/faults.mjs';
import { runPython } from './check-cluster/python.mjs';
import { Random } from './check-cluster/random.mjs';
import { Server } from './check-cluster/server.mjs';
import { Workload } from './check-cluster/workload.mjs';
import { runOrExplain, SetupFailure } from './failure.mjs';
import { LocalCluster } from './opensearch/local-cluster.mjs';
import { duration } from './progress.mjs';
import { setUp } from './set-up.mjs';

const NODES = 3;

await runOrExplain(async () => {
  const { kills, seed, kinds, isPython } = flags();
  await setUp();
  const started = performance.now();
  const cluster = await LocalCluster.start(NODES);
  const random = new Random(seed);
  let server;
  try {
    if (isPython) {
      console.log(`seed ${seed}; ${NODES} nodes after ${duration(performance.now() - started)}`);
      const told = await runPython(cluster, random);
      console.log(`${told.kills} nodes killed amid the tests, seed ${seed}`);
      return told.kills > 0 ? told.code : 1;
    }
    console.log(`seed ${seed}, ${kills} kills of ${kinds.join(', ')}`);
    server = await Server.start(cluster.addresses);
    console.log(`${NODES} nodes and a server after ${duration(performance.now() - started)}`);
    const answers = new Answers(server);
    const workload = await Workload.begin(answers, random);
    for (let kill = 1; kill <= kills; kill++) {
      const fault = await runFault({ cluster, server, answers, workload, random }, kinds);
      console.log(`${String(kill).padStart(3)}  ${fault}`);
    }
    await workload.end();
    await workload.verifyAll();
    console.log(`\n${answers.summary()}\nafter ${duration(performance.now() - started)}, seed ${seed}`);
    return answers.isAsPromised ? 0 : 1;
  } finally {
    await server?.end();
    await cluster.stop();
  }
});

function flags() {
  const { values } = parseArgs({
    options: {
      kills: { type: 'string', default: '20' },
      seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
      python: { type: 'boolean', default: false },
      kinds: { type: 'string', default: KINDS.map(({ name }) => name).join(',') },
    },
  });
  const [kills, seed] = [Number(values.kills), Number(values.seed)];
  const names = values.kinds.split(',');
  if (!Number.isInteger(kills) || kills < 1 || !Number.isInteger(seed))
    throw new SetupFailure('--kills and --seed are whole numbers.');
  const unknown = names.find((name) => !KINDS.some((kind) => kind.name === name));
  if (unknown !== undefined) throw new SetupFailure(`--kinds knows no ${unknown}.`);
  return { kills, seed, kinds: names, isPython: values.python };
}
