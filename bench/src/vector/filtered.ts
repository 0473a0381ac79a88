import { readTruth } from './dataset.ts';
import type { PassRate, QuerySet, Search } from './engine.ts';
import type { Engine } from './measured-engine.ts';
import type { Measurement } from './measurement.ts';
import type { Plan } from './plan.ts';
import { medianOf, medianRatio, turned } from './rounds.ts';

/** An engine at the smallest effort that reaches the recall, and its rates round by round. */
interface Filtered {
  engine: Engine;
  /** Null when no effort reaches it. */
  effort: { ef: number; recall: number } | null;
  rates: (number | null)[];
}

/** Searches in which a filter lets only a share of all pass; each engine with as much effort as it needs. */
export async function measureFiltered(measurement: Measurement): Promise<void> {
  for (const passRate of measurement.plan.passRates) {
    await compareFiltered(measurement, 'queries', passRate, `${Number((passRate * 100).toPrecision(3))} % pass`);
  }
  await compareFiltered(measurement, 'correlated', 'correlated', 'the farthest 1 % pass');
}

async function compareFiltered(
  measurement: Measurement,
  set: QuerySet,
  passRate: PassRate,
  title: string,
): Promise<void> {
  const { directory, plan, ours, peers, controls, report, say } = measurement;
  say(`filtered, ${title}`);
  const truth = readTruth(directory, measurement.set.dim, set, passRate);
  const search = { op: 'search' as const, k: plan.k, set, passRate, count: plan.filteredQueries };
  const filtering: Filtered[] = [];
  for (const engine of [ours, ...peers]) {
    const effort = await smallestEffort(engine, search, truth, plan);
    if (effort !== 'none') filtering.push({ engine, effort, rates: [] });
  }
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const { engine, effort, rates } of turned(filtering, round)) {
      const pass = effort && (await engine.timedPass({ ...search, ef: effort.ef }, truth));
      rates.push(pass?.qps ?? null);
    }
  }
  await controls.take();

  const mine = filtering.find(({ engine }) => engine === ours);
  const row = (peer: Filtered | null, name: string, peerTitle: string) =>
    report.add({
      subject: typeof passRate === 'number' ? { metric: 'filtered', passRate, peer: name } : { metric: passRate },
      text: `QPS with a filter, ${title}`,
      better: 'higher',
      ours: mine ? medianOf(mine.rates) : null,
      peer: peerTitle,
      theirs: peer && medianOf(peer.rates),
      recall: mine?.effort?.recall ?? null,
      ratio: mine && peer ? medianRatio(mine.rates, peer.rates) : null,
    });
  const others = filtering.filter(({ engine }) => engine !== ours);
  for (const peer of others) row(peer, peer.engine.name, peer.engine.title);
  const best = bestOf(others.filter(({ effort }) => effort !== null));
  row(best, 'best', best === null ? 'no peer gets there' : `best: ${best.engine.name}`);
}

/** The smallest effort that reaches the recall, null if none does; `none` of an engine that cannot filter. */
async function smallestEffort(
  engine: Engine,
  search: Omit<Search, 'ef'>,
  truth: readonly Uint32Array[],
  { efs, filteredRecall, passSecondsMax }: Plan,
): Promise<Filtered['effort'] | 'none'> {
  for (const ef of efs) {
    const pass = await engine.pass({ ...search, ef }, truth);
    if (pass === null) return 'none';
    if (pass.recall >= filteredRecall) return { ef, recall: pass.recall };
    if (pass.seconds > passSecondsMax) break;
  }
  return null;
}

function bestOf(filtered: readonly Filtered[]): Filtered | null {
  const rate = ({ rates }: Filtered) => medianOf(rates) ?? 0;
  return filtered.reduce<Filtered | null>((best, each) => (best && rate(best) >= rate(each) ? best : each), null);
}
