// npm run opensearch: a cluster of one node to try things on and to test with, until Ctrl-C. `install` fetches its parts, 200 MB of
// Maven Central, and stops there. It needs Java 21 or later, and Maven for the first time.
import { once } from 'node:events';
import { runOrExplain, SetupFailure } from './failure.mjs';
import { HOME, installOpenSearch } from './opensearch/install.mjs';
import { LocalNode } from './opensearch/local-node.mjs';
import { duration } from './progress.mjs';

await runOrExplain(async () => {
  const [command, ...rest] = process.argv.slice(2);
  if (rest.length > 0 || (command !== undefined && command !== 'install'))
    throw new SetupFailure('expected: npm run opensearch [-- install]');
  await installOpenSearch((line) => console.log(line));
  if (command === 'install') {
    console.log(`OpenSearch lies in ${HOME}`);
    return 0;
  }
  const started = performance.now();
  const asked = Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal)));
  const node = await LocalNode.start();
  console.log(`OpenSearch answers at ${node.address} after ${duration(performance.now() - started)}`);
  console.log(`  npm start -- --engine opensearch --opensearch ${node.address} --opensearch-replicas 0`);
  console.log(`  PELORUS_TEST_OPENSEARCH=${node.address} npm test`);
  await asked;
  await node.stop();
  return 0;
});
