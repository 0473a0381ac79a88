import { once } from 'node:events';
import { EmbeddedEngine } from '@pelorus/engine';
import { PROCESS_READY, type ProcessOrder, startHeartbeat } from '@pelorus/hosted';
import { createInference } from '@pelorus/inference';
import {
  type Config,
  createLog,
  createServer,
  engineOptions,
  grantedAccess,
  logEngine,
  openKeys,
} from '@pelorus/server';
import { inferenceConfig } from '../configuration.js';
import { drain } from '../serve/drain.js';
import { ExitCode, StartFailure } from '../start-failure.js';

/** Environment name under which the settings of the service come, as JSON. */
export const INDEX_CONFIG = 'PELORUS_INDEX_CONFIG';

/** Bytes that a copy of a model takes besides its weights: a thread, and what a batch is computed in. */
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
  const log = createLog(config);
  const engine = await EmbeddedEngine.open(config.dataDir, engineOptions(config));
  const inference = createInference({
    ...inferenceConfig(config),
    modelCopyBytes: MODEL_COPY_BYTES,
    report: (message) => log.warn(message),
  });
  // The gateway has already checked who calls.
  const keys = await openKeys(config, {});
  const access = grantedAccess(order.secret);
  const server = createServer({ engine, inference, keys, config, access, log, docs: false, modelsApart: true });
  const writeEngineLog = logEngine(log);

  let isStopping = false;
  const stop = async (): Promise<void> => {
    if (isStopping) return;
    isStopping = true;
    try {
      await drain(server.server, () => server.close());
      await inference.close();
      await engine.close();
      writeEngineLog();
    } finally {
      process.exit();
    }
  };
  // A terminal sends Ctrl-C to every process of its group; when this one is to end is its parent's to say.
  process.on('SIGINT', () => undefined);
  process.on('SIGHUP', () => undefined);
  process.on('SIGTERM', () => void stop());
  process.on('disconnect', () => void stop());
  if (!process.connected) return await stop();

  await server.listen({ path: order.socketPath });
  process.send(PROCESS_READY);
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
