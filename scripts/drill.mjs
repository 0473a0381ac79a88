// npm run drill -- [N ...|all]: plants known faults into a copy of what is committed, and says which of them tests catch.

import { readFaults } from './drill/faults.mjs';
import { writeResult } from './drill/results.mjs';
import { prepareCopy, tryInCopy } from './drill/trial.mjs';
import { runOrExplain, SetupFailure } from './failure.mjs';

await runOrExplain(async () => {
  const faults = readFaults();
  const asked = process.argv.slice(2);
  if (asked.length === 0) {
    for (const fault of faults) console.log(`${String(fault.number).padStart(3)}  ${fault.title}`);
    return 0;
  }
  const chosen = asked[0] === 'all' ? faults : asked.map((text) => numbered(faults, text));
  prepareCopy();
  const results = [];
  for (const fault of chosen) {
    const result = await tryInCopy(fault);
    results.push({ fault, ...result });
    writeResult(faults, { fault, ...result });
    console.log(`${String(fault.number).padStart(3)}  ${result.outcome} in ${result.seconds} s  ${fault.title}`);
  }
  const missed = results.filter(({ outcome }) => outcome !== 'caught');
  console.log(`${results.length - missed.length} of ${results.length} planted faults caught`);
  return missed.length === 0 ? 0 : 1;
});

function numbered(faults, text) {
  const fault = faults.find(({ number }) => String(number) === text);
  if (fault === undefined) throw new SetupFailure(`There is no fault ${text}: \`npm run drill\` lists them.`);
  return fault;
}
