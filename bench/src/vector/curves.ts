import { bracket, Curve, type Point } from './curve.ts';
import { readTruth } from './dataset.ts';
import type { QuerySet } from './engine.ts';
import type { Engine } from './measured-engine.ts';
import type { Measurement } from './measurement.ts';
import { medianRatio, turned } from './rounds.ts';

/** Past this recall no comparison needs a curve. */
const RECALL_ENOUGH = 0.995;

/**
 * Recall against rate on one thread: one pass at every effort, then rounds in which the engines take
 * turns at the efforts around the recalls that are compared.
 */
export async function measureCurves(measurement: Measurement, set: QuerySet): Promise<Map<Engine, Curve>> {
  const { directory, plan, ours, peers, controls, say } = measurement;
  const truth = readTruth(directory, measurement.set.dim, set);
  const engines = [ours, ...peers];
  const swept = new Map<Engine, Point[]>();
  say(`recall of every effort, ${set}`);
  for (const engine of engines) swept.set(engine, await sweep(engine, measurement, set, truth));

  const rates = new Map(engines.map((engine) => [engine, [] as Map<number, number>[]]));
  for (let round = 0; round < plan.rounds; round += 1) {
    say(`round ${round + 1} of ${plan.rounds}, ${set}`);
    for (const engine of turned(engines, round)) {
      const measured = new Map<number, number>();
      for (const ef of effortsAround(plan.recalls, swept.get(engine) ?? [])) {
        const point = await engine.timedPass({ op: 'search', ef, k: plan.k, set }, truth);
        if (point) measured.set(ef, point.qps);
      }
      rates.get(engine)?.push(measured);
    }
    await controls.take();
  }
  return new Map(engines.map((engine) => [engine, new Curve(swept.get(engine) ?? [], rates.get(engine))]));
}

async function sweep(
  engine: Engine,
  { plan }: Measurement,
  set: QuerySet,
  truth: readonly Uint32Array[],
): Promise<Point[]> {
  const points: Point[] = [];
  const [first = 10] = plan.efs;
  await engine.pass({ op: 'search', ef: first, k: plan.k, set }, truth); // warms up
  for (const ef of plan.efs) {
    const pass = await engine.pass({ op: 'search', ef, k: plan.k, set }, truth);
    if (pass === null) break;
    points.push({ ef, recall: pass.recall, qps: pass.qps });
    if (pass.recall >= RECALL_ENOUGH || pass.seconds > plan.passSecondsMax) break;
  }
  return points;
}

/** The efforts that a rate at any of the recalls lies between. */
export function effortsAround(recalls: readonly number[], points: readonly Point[]): number[] {
  const around = recalls.flatMap((recall) => bracket(recall, points) ?? []);
  return [...new Set(around.flatMap((point) => (point ? [point.ef] : [])))].sort((a, b) => a - b);
}

/** A row for each peer and recall, and one for the best peer of each recall. */
export function reportCurves(
  { report, plan, ours, peers }: Measurement,
  metric: string,
  curves: Map<Engine, Curve>,
): void {
  const curveOf = (engine: Engine) => curves.get(engine) ?? new Curve([]);
  const mine = curveOf(ours);
  const suffix = metric === 'qps-outside' ? ', queries off the data' : '';
  for (const recall of plan.recalls) {
    const text = `QPS at recall@${plan.k} ${recall}${suffix}`;
    const row = (peer: Engine | null, name: string | undefined, title: string | null) => {
      const theirs = peer && curveOf(peer);
      report.add({
        subject: { metric, recall, ...(name !== undefined && { peer: name }) },
        text,
        better: 'higher',
        ours: mine.at(recall),
        peer: title,
        theirs: theirs?.at(recall) ?? null,
        recall,
        ratio: theirs && ratioOf(mine, theirs, recall, plan.rounds),
      });
    };
    for (const peer of peers) row(peer, peer.name, peer.title);
    const best = bestAt(recall, peers, curveOf);
    row(best, 'best', best === null ? 'no peer gets there' : `best: ${best.name}`);
  }
}

/** The peer with the highest rate at a recall. */
function bestAt(recall: number, peers: readonly Engine[], curveOf: (engine: Engine) => Curve): Engine | null {
  const reaching = peers.filter((peer) => curveOf(peer).at(recall) !== null);
  const rate = (peer: Engine) => curveOf(peer).at(recall) ?? 0;
  return reaching.reduce<Engine | null>((best, peer) => (best && rate(best) >= rate(peer) ? best : peer), null);
}

function ratioOf(ours: Curve, theirs: Curve, recall: number, rounds: number): number | null {
  const each = Array.from({ length: rounds }, (_, round) => round);
  return medianRatio(
    each.map((round) => ours.inRound(round, recall)),
    each.map((round) => theirs.inRound(round, recall)),
  );
}
