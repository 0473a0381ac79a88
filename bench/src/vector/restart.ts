import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LineProcess } from '../line-process.ts';
import { EXECUTABLE } from '../paths.ts';
import { readTruth } from './dataset.ts';
import type { Restarted, Unsupported } from './engine.ts';
import type { Measurement } from './measurement.ts';
import { recall } from './recall.ts';

/** From the start of a process over a saved index to its first answers. */
export async function measureRestart({ ours, plan, set, directory, report, say }: Measurement): Promise<void> {
  say('restart');
  const folder = await mkdtemp(join(tmpdir(), 'pelorus-bench-'));
  const figure = { subject: { metric: 'restart' }, text: 'restart to the first answer (s)', better: 'lower' } as const;
  try {
    const saved = await ours.ask({ op: 'save', directory: folder });
    const answer = saved && (await restart(directory, folder, plan.k));
    const truth = readTruth(directory, set.dim, 'queries');
    const found = answer && recall(answer.neighbors, truth.slice(0, answer.neighbors.length));
    report.add({ ...figure, ours: answer?.seconds ?? null, recall: found });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function restart(dataset: string, directory: string, k: number): Promise<Restarted | null> {
  const process = new LineProcess(EXECUTABLE, ['serve', dataset]);
  try {
    const answer = await process.ask<Restarted | Unsupported>({ op: 'restart', directory, k });
    return 'unsupported' in answer ? null : answer;
  } finally {
    await process.close();
  }
}
