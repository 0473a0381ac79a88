import { bracket, type Curve } from './curve.ts';
import { readTruth } from './dataset.ts';
import type { Pass, Way } from './measured-engine.ts';
import type { Measurement } from './measurement.ts';
import { medianOf, medianRatio } from './rounds.ts';

/** Compares two variants of our own engine: a second thread, stopping early. */
export async function measureOwn(measurement: Measurement, curve: Curve | undefined): Promise<void> {
  for (const recall of measurement.plan.recalls) {
    const reached = curve && bracket(recall, curve.points);
    if (!reached) continue;
    const [, { ef }] = reached;
    await secondThread(measurement, ef);
  }
  await defaultRequest(measurement);
}

async function secondThread(measurement: Measurement, ef: number): Promise<void> {
  const { plan, say } = measurement;
  say(`second thread, ef ${ef}`);
  // One time over the queries is over before a second thread is at full speed.
  const one = { op: 'search', ef, k: plan.k, threads: 1, times: 10 } as const;
  const figure = { subject: { metric: 'second-thread' }, text: 'QPS on two threads', peer: 'one thread' };
  await versus(measurement, { ...one, threads: 2 }, one, figure);
}

async function defaultRequest(measurement: Measurement): Promise<void> {
  const { plan, say } = measurement;
  say('default request');
  const count = plan.filteredQueries;
  const request = { op: 'default', k: plan.k, count } as const;
  const ceiling = { op: 'ceiling', ef: 2000, k: plan.k, count } as const;
  const figure = {
    subject: { metric: 'default' },
    text: 'QPS of a default request (efSearch 2000)',
    peer: 'no early stop',
  };
  await versus(measurement, request, ceiling, figure);
}

/** Rounds in which two ways of searching take turns. */
async function versus(
  measurement: Measurement,
  ours: Way,
  theirs: Way,
  { subject, text, peer }: { subject: { metric: string }; text: string; peer: string },
): Promise<void> {
  const { plan, report, controls } = measurement;
  const [mine = [], other = []] = await passes(measurement, [ours, theirs], plan.rounds);
  await controls.take();
  const rates = (passes: (Pass | null)[]) => passes.map((pass) => pass?.qps ?? null);
  const [recall, otherRecall] = [mine, other].map((passes) => medianOf(passes.map((pass) => pass?.recall ?? null)));
  report.add({
    subject,
    text,
    better: 'higher',
    ours: medianOf(rates(mine)),
    peer: otherRecall == null ? peer : `${peer}, recall ${Number(otherRecall.toFixed(4))}`,
    theirs: medianOf(rates(other)),
    recall: recall ?? null,
    ratio: medianRatio(rates(mine), rates(other)),
  });
}

/** For each command its passes, round by round; null where it cannot be done. */
async function passes(
  { directory, set, ours }: Measurement,
  commands: Way[],
  rounds: number,
): Promise<(Pass | null)[][]> {
  const truth = readTruth(directory, set.dim, 'queries');
  const results: (Pass | null)[][] = commands.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [which, command] of commands.entries()) {
      results[which]?.push(await ours.timedPass(command, truth));
    }
  }
  return results;
}
