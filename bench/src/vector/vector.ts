import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { run } from '../command.ts';
import { definition } from '../definition.ts';
import { LineProcess } from '../line-process.ts';
import { CACHE, ROOT } from '../paths.ts';
import { installPeers, missingPeer, peerVersion } from '../peers.ts';
import { median } from '../quantile.ts';
import { compare, type Row } from '../row.ts';
import { type Point, qpsAt } from './curve.ts';
import { type DatasetDefinition, describe, readTruth } from './dataset.ts';
import type { Built, Searched } from './engine.ts';
import { recall } from './recall.ts';

interface VectorDefinition {
  dataset: DatasetDefinition;
  m: number;
  efConstruction: number;
  efs: number[];
  recalls: number[];
  rounds: number;
}

interface Engine {
  name: string;
  process: LineProcess;
  built: Built;
  recalls: Map<number, number>;
  /** For each search list, the rate of each round. */
  rates: Map<number, number[]>;
}

interface Control {
  scanSeconds: number;
  multiplySeconds: number;
}

const PEERS = ['hnswlib-node', 'usearch'];
const OURS = 'pelorus';
const EXECUTABLE = join(ROOT, 'target', 'release', 'pelorus-bench-vector');
/** Past this change of the control's speed within a run, figures are marked. */
const DRIFT_MAX = 0.15;

/** Our graph beside other libraries' on one thread: recall curves, build time, size. */
export const vector: Bench = async ({ quick, say }) => {
  const plan = definition<VectorDefinition>('vector', quick);
  await installPeers(say);
  say('building our side');
  await run('cargo', ['build', '--release', '--locked', '--quiet', '-p', 'pelorus-bench-vector'], ROOT);
  const directory = await makeDataset(plan.dataset, say);
  const truth = readTruth(directory, plan.dataset.k);

  const engines = [await start(OURS, EXECUTABLE, ['serve', directory], plan, say)];
  const missing = PEERS.filter((name) => peerVersion(name) === null);
  for (const name of PEERS.filter((peer) => !missing.includes(peer))) {
    const script = join(import.meta.dirname, 'engines', `${name.replace('-node', '')}.ts`);
    const title = `${name} ${peerVersion(name)}`;
    engines.push(await start(title, process.execPath, [script, directory, String(plan.dataset.dim)], plan, say));
  }

  const controls: Control[] = [];
  for (let round = 0; round <= plan.rounds; round += 1) {
    // Round 0 warms up and finds the recalls, which do not change from round to round.
    say(round === 0 ? 'recall of every search list' : `round ${round} of ${plan.rounds}`);
    for (const engine of turned(engines, round)) await measure(engine, plan, round, truth);
    const [ours] = engines;
    if (round > 0 && ours) controls.push(await ours.process.ask<Control>({ op: 'control' }));
  }
  for (const engine of engines) engine.process.close();

  const drift = driftOf(controls);
  const rows = rowsOf(engines, plan).map((row) => (drift > DRIFT_MAX ? { ...row, disturbed: true } : row));
  const notes = missing.map(missingPeer);
  if (drift > DRIFT_MAX) notes.push(`the machine's own speed changed by ${percent(drift)} during the run`);
  for (const { name, built } of engines) {
    if (built.overheadUs) notes.push(`${name}: ${built.overheadUs.toFixed(1)} us of its binding taken off each search`);
  }
  return { rows, notes, dataset: { ...describe(directory), m: plan.m, efConstruction: plan.efConstruction, drift } };
};

async function makeDataset(wanted: DatasetDefinition, say: (line: string) => void): Promise<string> {
  const directory = join(CACHE, `clustered-${wanted.count}x${wanted.dim}`);
  if (JSON.stringify(describe(directory)?.definition) !== JSON.stringify(wanted)) {
    say(`generating ${wanted.count} x ${wanted.dim} and the exact neighbors of ${wanted.queries} queries`);
    await run(EXECUTABLE, ['generate', directory, JSON.stringify(wanted)], ROOT);
  }
  return directory;
}

async function start(
  name: string,
  command: string,
  args: string[],
  { m, efConstruction }: VectorDefinition,
  say: (line: string) => void,
): Promise<Engine> {
  const process = new LineProcess(command, args);
  const built = await process.ask<Built>({ op: 'build', m, efConstruction });
  say(`${name} built in ${built.seconds.toFixed(1)} s`);
  return { name, process, built, recalls: new Map(), rates: new Map() };
}

/** No engine is always the first after the pause between rounds. */
function turned<T>(items: readonly T[], by: number): T[] {
  const first = by % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}

async function measure(
  engine: Engine,
  { efs, dataset: { k, queries } }: VectorDefinition,
  round: number,
  truth: Uint32Array[],
): Promise<void> {
  for (const ef of efs) {
    const { seconds, neighbors } = await engine.process.ask<Searched>({ op: 'search', ef, k });
    if (round === 0) {
      engine.recalls.set(ef, recall(neighbors, truth));
      engine.rates.set(ef, []);
    } else {
      const overheadSeconds = ((engine.built.overheadUs ?? 0) * queries) / 1e6;
      engine.rates.get(ef)?.push(queries / (seconds - overheadSeconds));
    }
  }
}

/** An engine's curve; `round` picks one round, and without it each point is the median of all. */
function curve(engine: Engine, round?: number): Point[] {
  return [...engine.rates].map(([ef, rates]) => ({
    ef,
    recall: engine.recalls.get(ef) ?? 0,
    qps: round === undefined ? median(rates) : (rates[round] ?? 0),
  }));
}

function rowsOf([ours, ...peers]: Engine[], plan: VectorDefinition): Row[] {
  if (ours === undefined) return [];
  const beside = peers.length > 0 ? peers : [null];
  const rows: Row[] = [];
  for (const target of plan.recalls) {
    for (const peer of beside) {
      const metric = `QPS, one thread, recall@${plan.dataset.k}`;
      const theirs = peer && qpsAt(target, curve(peer));
      const row = compare(metric, 'higher', qpsAt(target, curve(ours)), peer?.name ?? null, theirs, target);
      // Rounds are interleaved, so the median of their ratios is steadier than the ratio of medians.
      rows.push({ ...row, ratio: peer ? ratioOverRounds(ours, peer, target, plan.rounds) : null });
    }
  }
  for (const peer of beside) {
    const name = peer?.name ?? null;
    rows.push(compare('build, one thread (s)', 'lower', ours.built.seconds, name, peer?.built.seconds ?? null));
    const perVector = (engine: Engine) => engine.built.indexBytes / plan.dataset.count;
    rows.push(compare('index (bytes/vector)', 'lower', perVector(ours), name, peer && perVector(peer)));
  }
  for (const engine of [ours, ...peers]) {
    for (const { ef, recall: reached, qps } of curve(engine)) {
      rows.push(compare(`${engine.name}: QPS at ef ${ef}`, 'higher', qps, null, null, Number(reached.toFixed(4))));
    }
  }
  return rows;
}

function ratioOverRounds(ours: Engine, peer: Engine, target: number, rounds: number): number | null {
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const [mine, theirs] = [qpsAt(target, curve(ours, round)), qpsAt(target, curve(peer, round))];
    if (mine !== null && theirs !== null) ratios.push(mine / theirs);
  }
  return ratios.length > 0 ? median(ratios) : null;
}

function driftOf(controls: readonly Control[]): number {
  const spread = (values: number[]) => Math.max(...values) / Math.min(...values) - 1;
  return Math.max(
    spread(controls.map((control) => control.scanSeconds)),
    spread(controls.map((control) => control.multiplySeconds)),
  );
}

const percent = (share: number) => `${Math.round(share * 100)} %`;
