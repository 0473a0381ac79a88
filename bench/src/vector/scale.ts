import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { BenchOptions, BenchResult } from '../bench.ts';
import { run } from '../command.ts';
import { DATASETS, EXECUTABLE, ROOT } from '../paths.ts';
import { compare, type Row } from '../row.ts';
import { readDefinition } from './plan.ts';

interface Definition {
  recipe: object;
  shape: object;
}

/** The figures of one phase, as `bench/vector` prints them. */
interface Phase {
  phase: string;
  seconds?: number;
  firstAnswerSeconds?: number;
  diskBytes?: number;
  p50Us?: number;
  p99Us?: number;
  recall?: number | null;
  isCold?: boolean;
  resident: { own: number; files: number } | null;
}

/** Our index on a set that need not fit in memory: built, opened by another process, searched, filtered, written to. */
export async function measureScale(count: number, { numbers, codeMemory, say }: BenchOptions): Promise<BenchResult> {
  const { recipe, shape } = readDefinition<Definition>('scale');
  const source = { kind: 'manifold', count, shape };
  const whole = { ...recipe, source, numeric: numbers, codeMemory, threads: availableParallelism() };
  say('building our side');
  await run('cargo', ['build', '--release', '--locked', '--quiet', '-p', 'pelorus-bench-vector'], ROOT);
  await mkdir(DATASETS, { recursive: true });
  const folder = await mkdtemp(join(DATASETS, 'scale-'));
  try {
    const rows: Row[] = [];
    for await (const phase of phases(join(folder, 'run'), whole)) {
      say(JSON.stringify(phase));
      rows.push(...rowsOf(phase));
    }
    return { rows, notes: [], dataset: whole };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function* phases(directory: string, recipe: object): AsyncGenerator<Phase> {
  const child = spawn(EXECUTABLE, ['scale', directory, JSON.stringify(recipe)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`it ended with exit code ${code}`))));
  });
  for await (const line of createInterface({ input: child.stdout })) yield JSON.parse(line) as Phase;
  await ended;
}

/** A row for each figure of a phase. */
export function rowsOf({ phase, recall = null, resident, ...figures }: Phase): Row[] {
  const { seconds, firstAnswerSeconds, diskBytes, p50Us, p99Us } = figures;
  const named: [string, number | null | undefined][] = [
    ['seconds', seconds],
    ['first answer (s)', firstAnswerSeconds],
    ['disk (GB)', diskBytes === undefined ? undefined : diskBytes / 1e9],
    ['p50 (us)', p50Us],
    ['p99 (us)', p99Us],
    ['own memory (GB)', resident && resident.own / 1e9],
    ['pages of files (GB)', resident && resident.files / 1e9],
  ];
  return named.flatMap(([name, value]) => {
    if (value == null) return [];
    const ofSearches = name.startsWith('p50') || name.startsWith('p99');
    return [compare(`${phase}: ${name}`, 'lower', value, null, null, ofSearches ? recall : null)];
  });
}
