import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BENCH } from './paths.ts';

/** Reads what a bench measures, in the size that was asked for. */
export function definition<T>(name: string, quick: boolean): T {
  const sizes = JSON.parse(readFileSync(join(BENCH, 'definitions', `${name}.json`), 'utf8')) as Record<string, T>;
  const chosen = sizes[quick ? 'quick' : 'full'];
  if (chosen === undefined) throw new Error(`the definition of ${name} lacks a size`);
  return chosen;
}
