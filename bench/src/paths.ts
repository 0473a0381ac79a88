import { homedir } from 'node:os';
import { join } from 'node:path';

/** The repository. */
export const ROOT = join(import.meta.dirname, '..', '..');
export const BENCH = join(ROOT, 'bench');
/** The folder of cargo's builds. */
const TARGET = process.env.CARGO_TARGET_DIR || join(ROOT, 'target');
/** Our side of the vector bench. */
export const EXECUTABLE = executableIn(TARGET);
/** Servers' data and whatever else a run may leave behind. */
export const CACHE = join(ROOT, 'target', 'bench');
/** Data sets: gigabytes that take minutes to make, so they outlive a checkout. */
export const DATASETS = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'pelorus', 'bench');

/** Our side of the search bench, and tantivy's. */
export function searchExecutable(): string {
  return join(TARGET, 'release', 'pelorus-bench-search');
}

/** Our side of the vector bench in a folder that cargo builds into. */
export function executableIn(target: string): string {
  return join(target, 'release', 'pelorus-bench-vector');
}
