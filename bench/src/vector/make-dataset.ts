import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { run } from '../command.ts';
import { DATASETS, EXECUTABLE, ROOT } from '../paths.ts';
import { embeddedGlosses } from '../text/embedded-glosses.ts';
import { describe } from './dataset.ts';
import type { NamedSet, Plan } from './plan.ts';

/** Shares that every set has filters for, whatever a size measures. */
const PASS_RATES = [0.5, 0.1, 0.01, 0.001, 0.0001];

/** The folder of a data set, which is made unless it is there as defined. */
export async function makeDataset(set: NamedSet, { k }: Plan, say: (line: string) => void): Promise<string> {
  const { name, seed, dim, queries } = set;
  const directory = join(DATASETS, name);
  const source = await sourceOf(set, say);
  const definition = { seed, dim, queries, k, passRates: PASS_RATES, source };
  if (!isDeepStrictEqual(describe(directory)?.definition, definition)) {
    say(`generating ${set.title} and the exact neighbors of its queries`);
    await run(EXECUTABLE, ['generate', directory, JSON.stringify(definition)], ROOT);
  }
  return directory;
}

/** Glosses become rows of a file; the other kinds are drawn by `bench/vector`. */
async function sourceOf({ source }: NamedSet, say: (line: string) => void): Promise<object> {
  if (source.kind !== 'glosses') return source;
  const { file } = await embeddedGlosses(say);
  return { ...source, kind: 'rows', file };
}
