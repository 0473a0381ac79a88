import { LineProcess } from '../line-process.ts';
import { EXECUTABLE } from '../paths.ts';
import { readTruth } from './dataset.ts';
import type { Restarted } from './engine.ts';
import type { Measurement } from './measurement.ts';
import { recall } from './recall.ts';
import { medianOf } from './rounds.ts';

/**
 * From opening a saved index, in a new process each time, to the first answer. Later measurements run on the last one.
 */
export async function measureRestart({ ours, plan, set, directory, folder, report, say }: Measurement): Promise<void> {
  say('restart');
  const { m, efConstruction, k, rounds } = plan;
  const saved = await ours.ask<{ seconds: number }>({ op: 'save' });
  const seconds: (number | null)[] = [];
  let found: number | null = null;
  for (let round = 0; saved !== null && round < rounds; round += 1) {
    await ours.moveTo(new LineProcess(EXECUTABLE, ['serve', directory]));
    const answer = await ours.ask<Restarted>({ op: 'restart', directory: folder, m, efConstruction, k });
    seconds.push(answer?.seconds ?? null);
    found = answer && recall(answer.neighbors, readTruth(directory, set.dim, 'queries'));
  }
  const restart = { subject: { metric: 'restart' }, text: 'restart to the first answer (s)' };
  report.add({ ...restart, better: 'lower', ours: medianOf(seconds), recall: found });
  report.add({ subject: { metric: 'save' }, text: 'saving (s)', better: 'lower', ours: saved?.seconds ?? null });
}
