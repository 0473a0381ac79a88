import { availableParallelism } from 'node:os';
import type { Config } from '../config.js';
import { memoryBudget } from '../services/memory.js';

/** Most event loops where nobody names a number. */
const DEFAULT_MAX = 8;

/** Tells whether several sockets of one process may listen on a port, and the system divides connections among them. */
export function sharesPorts(platform: NodeJS.Platform = process.platform): boolean {
  return platform === 'linux';
}

/** Memory of the budget for each of them: a loop takes some fifty megabytes of it before it has answered anything. */
const MEMORY_BYTES = 2 ** 30;

/**
 * The number of event loops of a server, or of the process of a hosted index: as many leave a core to the engine for each.
 */
export function loopCount(
  {
    hosted,
    httpThreads,
    maxMemory,
    dualWrite = false,
  }: Pick<Config, 'hosted' | 'httpThreads' | 'maxMemory'> & Partial<Pick<Config, 'dualWrite'>>,
  cores: number = availableParallelism(),
  platform: NodeJS.Platform = process.platform,
): number {
  // One of them alone knows the copies that wait.
  if (dualWrite) return 1;
  // Those of a hosted index have a socket each.
  if (!hosted && !sharesPorts(platform)) return 1;
  if (httpThreads !== null) return httpThreads;
  const most = [DEFAULT_MAX, cores / 2, memoryBudget(maxMemory) / MEMORY_BYTES];
  return Math.max(1, Math.floor(Math.min(...most)));
}

/** The place where an event loop listens. */
export type Listening =
  | {
      readonly host: string;
      readonly port: number;
      /** Other sockets of this process listen there too. */
      readonly reusePort: boolean;
    }
  /** A socket of the system, or a pipe. */
  | { readonly path: string };

/** The options by which a server listens, on a port that several event loops share. */
export function listening({ host }: Pick<Config, 'host'>, port: number, loops: number): Listening {
  return { host, port, reusePort: loops > 1 };
}
