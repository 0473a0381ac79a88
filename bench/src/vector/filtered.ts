import { readTruth } from './dataset.ts';
import type { PassRate, QuerySet } from './engine.ts';
import type { Engine } from './measured-engine.ts';
import type { Measurement } from './measurement.ts';
import { medianOf, medianRatio, turned } from './rounds.ts';

/** An engine at the smallest effort that reaches the recall, and its rates round by round. */
interface Filtered {
  engine: Engine;
  ef: number;
  recall: number;
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
  const reaching: Filtered[] = [];
  for (const engine of [ours, ...peers]) {
    for (const ef of plan.efs) {
      const point = await engine.pass({ ...search, ef }, truth);
      if (point === null) break;
      if (point.recall >= plan.filteredRecall) {
        reaching.push({ engine, ef, recall: point.recall, rates: [] });
        break;
      }
      if (point.seconds > plan.passSecondsMax) break;
    }
  }
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const filtered of turned(reaching, round)) {
      const point = await filtered.engine.timedPass({ ...search, ef: filtered.ef }, truth);
      filtered.rates.push(point?.qps ?? null);
    }
  }
  await controls.take();

  const mine = reaching.find(({ engine }) => engine === ours);
  const row = (peer: Filtered | null, name: string, peerTitle: string) =>
    report.add({
      subject: typeof passRate === 'number' ? { metric: 'filtered', passRate, peer: name } : { metric: passRate },
      text: `QPS with a filter, ${title}`,
      better: 'higher',
      ours: mine ? medianOf(mine.rates) : null,
      peer: peerTitle,
      theirs: peer && medianOf(peer.rates),
      recall: mine?.recall ?? null,
      ratio: mine && peer ? medianRatio(mine.rates, peer.rates) : null,
    });
  for (const peer of peers) row(reaching.find(({ engine }) => engine === peer) ?? null, peer.name, peer.title);
  const best = bestOf(reaching.filter(({ engine }) => engine !== ours));
  row(best, 'best', best === null ? 'no peer gets there' : `best: ${best.engine.name}`);
}

function bestOf(filtered: readonly Filtered[]): Filtered | null {
  const rate = ({ rates }: Filtered) => medianOf(rates) ?? 0;
  return filtered.reduce<Filtered | null>((best, each) => (best && rate(best) >= rate(each) ? best : each), null);
}
