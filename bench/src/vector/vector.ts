import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench, BenchOptions, BenchResult } from '../bench.ts';
import { run } from '../command.ts';
import { DATASETS, ROOT } from '../paths.ts';
import { installPeers } from '../peers.ts';
import { reportBuilds } from './building.ts';
import { measureChurn } from './churn.ts';
import { Controls } from './control.ts';
import { measureCurves, reportCurves } from './curves.ts';
import { describe } from './dataset.ts';
import { measureFiltered } from './filtered.ts';
import { makeDataset } from './make-dataset.ts';
import type { Measurement } from './measurement.ts';
import { measureOwn } from './own.ts';
import { type NamedSet, type Plan, readDefinition, readPlan } from './plan.ts';
import { curveText, Report, type TargetDefinition } from './report.ts';
import { measureRestart } from './restart.ts';
import { measureScale } from './scale.ts';
import { startBefore, startOurs, startPeers } from './start-engine.ts';
import { measureStreaming } from './streaming.ts';

/** Our vector index beside other libraries': recall curves, filters, builds, sizes, writes. */
export const vector: Bench = async (options) => {
  const { quick, million, scale, set: only, peers, before, say } = options;
  if (scale !== null) return measureScale(scale, options);
  const plan = readPlan(million ? 'million' : quick ? 'quick' : 'full', only, peers);
  if (peers === null || peers.length > 0) await installPeers(say);
  say('building our side');
  for (const checkout of [ROOT, ...(before === null ? [] : [before])]) {
    await run('cargo', ['build', '--release', '--locked', '--quiet', '-p', 'pelorus-bench-vector'], checkout);
  }
  const results: BenchResult[] = [];
  for (const set of plan.sets) results.push(await measureSet(set, plan, options));
  const { sets: _, ...parameters } = plan;
  const sets = results.map(({ dataset }) => dataset);
  return {
    rows: results.flatMap((result) => result.rows),
    lines: results.flatMap((result) => result.lines ?? []),
    notes: results.flatMap((result) => result.notes),
    dataset: { sets, ...parameters },
  };
};

async function measureSet(set: NamedSet, plan: Plan, options: BenchOptions): Promise<BenchResult> {
  options.say(`--- ${set.title}`);
  const directory = await makeDataset(set, plan, options.say);
  // Beside the data sets: there is room for gigabytes, which not every folder for temporary files has.
  const folder = await mkdtemp(join(DATASETS, 'index-'));
  try {
    return await measureIn(folder, directory, set, plan, options);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measureIn(
  folder: string,
  directory: string,
  set: NamedSet,
  plan: Plan,
  { before, churn, say }: BenchOptions,
): Promise<BenchResult> {
  const report = new Report(set, readDefinition<TargetDefinition[]>('vector-targets'));
  const ours = await startOurs(directory, folder, plan);
  say(`ours built in ${ours.built.seconds.toFixed(1)} s`);
  const peers = churn ? [] : await startPeers(directory, set, plan, say, (line) => report.note(line));
  if (before !== null) {
    const beforeFolder = join(folder, 'before');
    await mkdir(beforeFolder);
    peers.push(await startBefore(before, directory, beforeFolder, plan));
  }
  const controls = new Controls(ours);
  const measurement: Measurement = { set, directory, folder, plan, ours, peers, controls, report, say };
  try {
    if (churn) await measureChurn(measurement);
    else await measureAll(measurement);
  } finally {
    for (const engine of [ours, ...peers]) await engine.close();
  }
  report.noteFailures([ours, ...peers]);
  const { drift } = controls;
  if (controls.isDisturbed) report.note(`the machine's own speed changed by ${Math.round(drift * 100)} % meanwhile`);
  const rows = report.rows.map((row) => (controls.isDisturbed ? { ...row, disturbed: true } : row));
  const { notes, curves } = report;
  return { rows, notes, lines: curves.map(curveText), dataset: { ...describe(directory), drift, curves } };
}

async function measureAll(measurement: Measurement): Promise<void> {
  const { directory, set, ours, peers, report } = measurement;
  const description = describe(directory);
  const curves = await measureCurves(measurement, 'queries');
  const outside = hasOutside(set) ? await measureCurves(measurement, 'outside') : null;
  report.addCurves('queries', curves);
  reportCurves(measurement, 'qps', curves);
  if (outside !== null) {
    report.addCurves('outside', outside);
    reportCurves(measurement, 'qps-outside', outside);
  }
  await measureFiltered(measurement);
  reportBuilds(measurement, description?.count ?? 0, curves);
  // The other measurements are of ours alone, and writes take memory.
  for (const peer of peers) await peer.close();
  await measureOwn(measurement, curves.get(ours));
  await measureRestart(measurement);
  await measureStreaming(measurement);
  for (const { title, built } of peers) {
    if (built.overheadUs)
      report.note(`${title}: ${built.overheadUs.toFixed(1)} us of its binding taken off each search`);
  }
}

function hasOutside({ source }: NamedSet): boolean {
  const { shape } = source as { shape?: { outside: object | null } };
  return shape?.outside != null;
}
