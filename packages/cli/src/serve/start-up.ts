import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { defaultModelDir, encoderMachine, encoderText } from '@pelorus/inference';
import type { ManagedKeys } from '@pelorus/keys';
import { type Config, loopCount, memoryBudget } from '@pelorus/server';
import { type Output, stylesFor } from '../terminal/style.js';
import { pairsOf } from '../terminal/table.js';
import { bytesText, counted } from '../terminal/units.js';

/** The facts of a start, beside the settings. */
export interface StartUp {
  readonly urls: readonly string[];
  /** The time since the process began, for people. */
  readonly after: string;
  readonly config: Config;
  readonly keys: Pick<ManagedKeys, 'isRequired' | 'list'>;
  /** The indexes, in words. */
  readonly indexes: string;
  /** The cluster that they are on, in words; none where they are in the data directory. */
  readonly cluster?: string;
}

/** Tells that a server listens: a table on a terminal, elsewhere one line. */
export function startUpText(
  { urls, after, config, keys, indexes, cluster }: StartUp,
  out: Output = process.stdout,
): string {
  const form = config.hosted ? ', in the hosted form' : '';
  const where = urls.join(' and ');
  const elsewhere = cluster === undefined ? '' : `; indexes on ${cluster}`;
  const page = `${urls[0]}/console`;
  if (!out.isTTY)
    return `Pelorus is listening on ${where} after ${after}${form}${elsewhere}; data in ${config.dataDir}; console at ${page}\n`;
  const { bold } = stylesFor(out);
  const pairs: [string, string][] = [
    ['address', where],
    ['console', page],
    ['docs', `${urls[0]}/docs`],
    ['engine', cluster ?? 'embedded'],
    ['data', resolve(config.dataDir)],
    ['indexes', indexes],
    ['models', modelsText(config)],
    ['encoder', encoderText(config.encoder, config.encoderPrecision, encoderMachine())],
    ['model folder', resolve(config.modelDir || defaultModelDir())],
    ['threads', threadsText(config)],
    ['memory', `${bytesText(memoryBudget(config.maxMemory))} at most`],
    ['keys', keysText(config, keys)],
  ];
  return `${bold(`Pelorus is listening on ${where}`)} after ${after}${form}\n\n${pairsOf(pairs, out)}\n`;
}

function modelsText({ preloads, modelMemoryMax }: Config): string {
  const names = (preloads || []).map(({ model }) => model);
  const loaded = names.length === 0 ? 'loaded at their first use' : `loaded now: ${names.join(', ')}`;
  return `${loaded}, ${modelMemoryMax} GB at once`;
}

function threadsText(config: Config): string {
  const cores = availableParallelism();
  const models = counted(config.inferenceThreads ?? cores, 'thread');
  return `${loopCount(config)} for HTTP, ${models} for models, on ${counted(cores, 'core')}`;
}

function keysText({ keysEnforcement }: Config, keys: StartUp['keys']): string {
  if (keysEnforcement === 'off') return 'none is asked for';
  if (!keys.isRequired) return 'none: every program of this machine may call';
  return `${counted(keys.list().length, 'key')}; each call needs one`;
}
