import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Server } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { EmbeddedEngine } from '@pelorus/engine';
import { giveCopies, type OwnFault, type ProcessMessage, type ProcessOrder, startHeartbeat } from '@pelorus/hosted';
import { createInference } from '@pelorus/inference';
import {
  type Config,
  createServer,
  engineOptions,
  grantedAccess,
  HttpLoops,
  type LoopFigures,
  logEngine,
  loopCount,
  openKeys,
  openTracing,
  writeLine,
} from '@pelorus/server';
import { inferenceConfig } from '../inference-config.js';
import { asStartFailure } from '../known-failures.js';
import { lostFormat } from '../serve/data-folders.js';
import { DRAIN_MAX_MS, drain } from '../serve/drain.js';
import { exit } from '../serve/exit.js';
import { logOf } from '../serve/log.js';
import { ExitCode, StartFailure } from '../start-failure.js';

/** The module of event loops beside the first. */
const HTTP_LOOP = new URL('../serve/http-loop.js', import.meta.url);

/** Environment name under which the settings of the service come, as JSON. */
export const INDEX_CONFIG = 'PELORUS_INDEX_CONFIG';

/** Interval of the checks for faults of the index. */
const FAULTS_INTERVAL_MS = 1_000;
/** Ends of a start that tell of the data, not of the moment. */
const UNUSABLE: ReadonlySet<ExitCode> = new Set([ExitCode.DATA_DIRECTORY_UNREADABLE, ExitCode.DATA_DIRECTORY_NEWER]);

/** Bytes that a copy of a model takes besides its weights: a thread, and the memory of a batch. */
const MODEL_COPY_BYTES = 128 * 2 ** 20;

/**
 * Serves one hosted index until the process that started this one says so or is gone: there must never be two processes
 * with one index.
 */
export async function serveIndex(): Promise<void> {
  if (process.send === undefined) {
    throw new StartFailure(ExitCode.BAD_CONFIGURATION, 'index-process is started by serve --hosted, not by hand');
  }
  const ordered = once(process, 'message') as Promise<[ProcessOrder]>;
  await startHeartbeat();
  const [order] = await ordered;
  const config = configOf(order);
  const log = await logOf(config);
  const repairs = await lostFormat(config.dataDir);
  for (const { reason } of repairs) log.warn(reason);
  const engine = await openIndex(order, config);
  const models = inferenceConfig(config);
  const inference = createInference({
    ...models,
    modelCopyBytes: MODEL_COPY_BYTES,
    report: (message) => log.warn(message),
    reportEncoder: (message) => log.info(message),
  });
  // The gateway has already checked who calls.
  const keys = await openKeys(config, {});
  const access = grantedAccess(order.secret);
  const own = { engine, inference, keys, config, modelsApart: true };
  const count = loopCount(config);
  const { modelFile } = models;
  const loops = count === 1 ? null : new HttpLoops({ ...own, modelFile, count, grantSecret: order.secret });
  const server = createServer({
    ...{ ...own, access, log, docs: false, tracing: await openTracing(config, log) },
    ...(loops !== null && { counters: loops.counters, slowRequests: loops.slowRequests, loops }),
  });
  const writeEngineLog = logEngine(log);

  let copies: Server | undefined;
  let isStopping = false;
  const stop = async (exitCode = 0): Promise<void> => {
    if (isStopping) return;
    isStopping = true;
    try {
      const giveUpMs = performance.now() + DRAIN_MAX_MS;
      // The first loop answers the others to their end.
      copies?.close();
      await loops?.drain();
      await drain(server.server, () => server.close(), Math.max(0, giveUpMs - performance.now()));
      await inference.close();
      await engine.close();
      writeEngineLog();
    } finally {
      exit(exitCode);
    }
  };
  // A terminal sends Ctrl-C to every process of its group; when this one is to end is its parent's to say.
  process.on('SIGINT', () => undefined);
  process.on('SIGHUP', () => undefined);
  process.on('SIGTERM', () => void stop());
  process.on('disconnect', () => void stop());
  if (!process.connected) return await stop();

  copies = await giveCopies(order.socketPath, order.secret, () => engine.copies.begin(order.name));
  await server.listen({ path: order.socketPath });
  const listensAt = Array.from({ length: count }, (_, at) => socketOf(order, at + 1));
  // A process that was killed leaves its sockets behind.
  for (const path of listensAt.slice(1)) await rm(path, { force: true });
  await loops?.start(HTTP_LOOP, {
    listeningOf: (loop) => ({ path: socketOf(order, loop) }),
    app: server,
    log: (line) => writeLine(log, line),
    ended: (reason) => {
      // All that it had under way and counted is lost: a process that starts anew has it right.
      log.fatal(`${reason}; the process of the index ends`);
      void stop(ExitCode.FAILED);
    },
  });
  // Before it serves: an index with a fault is never taken for a sound one.
  await tellFaults(engine, loops, order.name, repairs[0]);
  tell({ listensAt });
}

/** The place where an event loop listens: that of the order for the first. */
function socketOf({ socketPath }: ProcessOrder, loop: number): string {
  return loop === 1 ? socketPath : `${socketPath}.${loop}`;
}

/**
 * Opens the data of the index.
 * @throws StartFailure where they cannot be used: the parent is told the reason first
 */
async function openIndex(order: ProcessOrder, config: Config): Promise<EmbeddedEngine> {
  const { name, dataDir, isMade } = order;
  const lost = new StartFailure(
    ExitCode.DATA_DIRECTORY_UNREADABLE,
    `The data of the index are gone: ${dataDir} has none`,
  );
  let engine: EmbeddedEngine | undefined;
  try {
    // Opening makes a folder that is not there.
    if (isMade && !existsSync(dataDir)) throw lost;
    engine = await EmbeddedEngine.open(dataDir, engineOptions(config));
    if (isMade && !(await engine.listIndexes()).includes(name)) throw lost;
    return engine;
  } catch (error) {
    await engine?.close();
    const failure = asStartFailure(error);
    if (failure instanceof StartFailure && UNUSABLE.has(failure.exitCode)) {
      await tell({ unusable: failure.message, isFinal: failure.exitCode === ExitCode.DATA_DIRECTORY_NEWER });
    }
    throw failure;
  }
}

/**
 * Tells the parent what is wrong with the index, now and whenever that is something else.
 * @param repair told of where nothing else is wrong
 */
async function tellFaults(
  engine: EmbeddedEngine,
  loops: LoopFigures | null,
  name: string,
  repair?: { readonly status: 'yellow'; readonly reason: string },
): Promise<void> {
  const repaired: OwnFault | null = repair === undefined ? null : { ...repair, code: 'backend_data_parsing_error' };
  let told: OwnFault | null = null;
  const look = async (): Promise<void> => {
    const { indexes } = await engine.health().catch(() => ({ indexes: [] }));
    const found = indexes.find((index) => index.name === name);
    const [silent] = loops?.problems() ?? [];
    const besides = silent === undefined ? repaired : { ...silent, code: 'service_unavailable' };
    const ownFault = found === undefined ? besides : { status: found.status, code: found.code, reason: found.reason };
    if (isDeepStrictEqual(ownFault, told)) return;
    told = ownFault;
    void tell({ ownFault });
  };
  await look();
  setInterval(look, FAULTS_INTERVAL_MS).unref();
}

/** Resolves once the parent has the message, or is gone. */
function tell(message: ProcessMessage): Promise<void> {
  return new Promise((resolve) => {
    if (!process.connected) return resolve();
    process.send?.(message, undefined, undefined, () => resolve());
  });
}

/** The settings of the service, within the limits of the index. */
function configOf({ dataDir, limits }: ProcessOrder): Config {
  const shared = JSON.parse(process.env[INDEX_CONFIG] ?? '{}') as Config;
  return {
    ...shared,
    dataDir,
    maxMemory: limits.memoryBytes,
    modelMemoryMax: Math.min(shared.modelMemoryMax, limits.modelMemory),
    // How many searches it has at once is part of its resources.
    throttling: true,
    searchesAtOnceMax: Math.min(shared.searchesAtOnceMax, limits.searchesAtOnce),
    inferenceThreads: Math.max(1, limits.inferenceThreads),
    indexesMax: 1,
    keysEnforcement: 'off',
  };
}
