import { output } from '../command.mjs';
import { readFaults } from '../drill/faults.mjs';
import { tryInPlace } from '../drill/trial.mjs';

/** The number of faults that each run plants. */
const AT_ONCE = 2;

/** The first seed of the tests when they look a second time, at other places of those that they choose from. */
const OTHER_SEEDS = '10001';

/**
 * Plants two of the known faults in this checkout, others for each commit, and counts those that their tests catch. It is
 * for a machine of CI: who works on a checkout tries faults in a copy, by `npm run drill`.
 *
 * @param {import('./tally.mjs').Tally} tally
 */
export async function runPlantedFaults(tally) {
  const commit = output('git', ['rev-parse', 'HEAD']);
  const changes = output('git', ['status', '--porcelain', '--untracked-files=no']);
  if (commit === null || changes !== '') {
    tally.leftOut.push(
      `planted faults: ${commit === null ? 'this is no checkout of git' : 'files of the checkout are changed'}`,
    );
    return { passed: 0, failed: 0 };
  }
  const result = { passed: 0, failed: 0, failures: [] };
  for (const fault of faultsOf(commit)) {
    const { outcome, seconds } = await tryTwice(fault);
    console.log(`${outcome} in ${seconds} s: fault ${fault.number}, ${fault.title}`);
    if (outcome === 'caught') {
      result.passed += 1;
      continue;
    }
    result.failed += 1;
    result.failures.push(`fault ${fault.number} was ${outcome}; \`npm run drill -- ${fault.number}\` tries it again`);
  }
  return result;
}

/** The faults whose turn it is at a commit: neighbours in the list, from a place that its hash draws. */
function faultsOf(commit) {
  const faults = readFaults();
  const first = Number.parseInt(commit.slice(0, 8), 16);
  return Array.from({ length: AT_ONCE }, (_, at) => faults[(first + at) % faults.length]);
}

async function tryTwice(fault) {
  const first = await tryInPlace(fault);
  if (first.outcome !== 'missed') return first;
  console.log(`missed once: fault ${fault.number}, ${fault.title}`);
  const elsewhere = ({ env, ...test }) => ({ ...test, env: { ...env, PELORUS_FAULTS_SEED: OTHER_SEEDS } });
  return await tryInPlace({ ...fault, tests: fault.tests.map(elsewhere) });
}
