import type { Churned } from './engine.ts';
import type { Measurement } from './measurement.ts';

/** Generations of documents replaced, removed and added again. Changes the index. */
export async function measureChurn({ ours, plan, report, say }: Measurement): Promise<void> {
  const { generations, share } = plan.churn;
  say(`churn: ${generations} generations`);
  const { k, buildThreads: threads } = plan;
  const churned = await ours.ask<Churned>({ op: 'churn', generations, share, k, threads });
  if (churned === null) return;
  const [first, ...later] = churned.generations;
  const worst = later.reduce((worst, each) => (each.recall < worst.recall ? each : worst));
  const last = later.at(-1);
  if (first === undefined || last === undefined) return;
  const after = `after ${generations} generations of ${share * 100} %`;
  const row = (text: string, better: 'higher' | 'lower', ours: number, peer: string | null, theirs: number | null) =>
    report.add({ subject: { metric: 'churn' }, text, better, ours, peer, theirs });
  row(
    `recall at its worst of ${generations} generations of ${share * 100} %`,
    'higher',
    worst.recall,
    'before',
    first.recall,
  );
  row(
    `index ${after} (bytes/document)`,
    'lower',
    last.bytes / churned.documents,
    'before',
    first.bytes / churned.documents,
  );
  row(`documents not found by their own vector ${after}`, 'lower', churned.unfound, null, null);
  row(`vectors that no links lead to ${after}`, 'lower', churned.unreachable, null, null);
}
