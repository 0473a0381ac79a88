import { join } from 'node:path';

/** The repository. */
export const ROOT = join(import.meta.dirname, '..', '..');
export const BENCH = join(ROOT, 'bench');
/** Data sets and whatever else a bench may keep between runs. */
export const CACHE = join(ROOT, 'target', 'bench');
