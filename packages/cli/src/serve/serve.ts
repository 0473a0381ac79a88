import { join } from 'node:path';
import type { StorageEngine } from '@pelorus/engine';
import { Inventory } from '@pelorus/files';
import { createInference } from '@pelorus/inference';
import {
  type Config,
  createServer,
  HttpLoops,
  keysListedIn,
  listening,
  logEngine,
  loopCount,
  openTracing,
  writeLine,
} from '@pelorus/server';
import { loadDemo } from '../demo/load-demo.js';
import { inferenceConfig } from '../inference-config.js';
import { serviceKeys } from '../keys/service-keys.js';
import { ExitCode } from '../start-failure.js';
import { print } from '../terminal/lines.js';
import { counted } from '../terminal/units.js';
import { exposureOf, localUrlOf, requireKeyBeyondLoopback, urlOf } from './addresses.js';
import { lostFormat, requireFolders, requireRestored } from './data-folders.js';
import { DRAIN_MAX_MS, drain } from './drain.js';
import { exit } from './exit.js';
import { requireFreePort } from './free-port.js';
import { logOf } from './log.js';
import { openBackups } from './open-backups.js';
import { openEngine } from './open-engine.js';
import { preload } from './preload.js';
import { secondsSinceStart } from './start-time.js';
import { startUpText } from './start-up.js';
import { stopOnSignal } from './stop-on-signal.js';

/** The module of event loops beside the first. */
const HTTP_LOOP = new URL('./http-loop.js', import.meta.url);

/**
 * Serves until a signal asks for the end. Resolves once requests are answered and, with `demo`, the
 * sample catalogue is in; without it the server is as good, so a catalogue that fails is only told.
 *
 * @throws StartFailure, or an error of a package that has a code: nothing has been changed then.
 */
export async function serve(config: Config, { demo }: { demo: boolean }): Promise<void> {
  const models = inferenceConfig(config);
  const address = await requireFreePort(config.host, config.port);
  const log = await logOf(config);
  const warn = (message: string): void => log.warn(message);
  await requireFolders(config.dataDir, ['indexes', 'keys']);
  await requireRestored(config.dataDir);
  const inventory = await Inventory.open(join(config.dataDir, 'inventory.json'), warn);
  // Before the keys that are there too, whose generation the data directory lists from then on.
  const onCluster = config.engine === 'opensearch' ? await openEngine(config, inventory, warn) : undefined;
  const keys = await serviceKeys(config, keysListedIn(inventory, warn));
  requireKeyBeyondLoopback(address, keys, config);
  const repairs = config.engine === 'embedded' ? await lostFormat(config.dataDir) : [];
  for (const { reason } of repairs) warn(reason);
  const { engine, storage, text: cluster } = onCluster ?? (await openEngine(config, inventory, warn));
  const inference = createInference({ ...models, report: warn, reportEncoder: (message) => log.info(message) });
  const count = loopCount(config);
  const { modelFile } = models;
  const loops = count === 1 ? null : new HttpLoops({ engine, inference, keys, config, modelFile, count });
  const backups = await openBackups(config);
  const server = await createServer({
    engine,
    inference,
    keys: keys.follow(),
    config,
    log,
    filesProblems: [...inventory.problems, ...repairs],
    tracing: await openTracing(config, log),
    ...(storage !== undefined && { storage }),
    ...(backups !== undefined && { backups }),
    ...(loops !== null && { counters: loops.counters, slowRequests: loops.slowRequests, loops }),
  });
  const writeEngineLog = logEngine(log);
  for (const { name, code, reason } of (await engine.health()).indexes) log.error({ index: name, code }, reason);

  const end = async (): Promise<void> => {
    const giveUpMs = performance.now() + DRAIN_MAX_MS;
    // The first loop answers the others to their end.
    await loops?.drain();
    await drain(server.server, () => server.close(), Math.max(0, giveUpMs - performance.now()));
    await inference.close();
    await engine.close();
    await keys.close();
    await inventory.close();
    writeEngineLog();
  };
  let ending: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    ending ??= end();
    return ending;
  };
  stopOnSignal(stop, print);
  await server.listen(listening(config, config.port, count));
  const bound = server.addresses().filter((address) => typeof address !== 'string');
  const place = listening(config, bound[0]?.port ?? config.port, count);
  await loops?.start(HTTP_LOOP, {
    listeningOf: () => place,
    app: server,
    log: (line) => writeLine(log, line),
    ended: (reason) => {
      // All that it had under way and counted is lost: a process that starts anew has it right.
      log.fatal(`${reason}; the server stops`);
      void stop().finally(() => exit(ExitCode.FAILED));
    },
  });
  const urls = bound.map(urlOf);
  const indexes = await indexesText(engine);
  process.stdout.write(
    startUpText({ urls, after: secondsSinceStart(), config, keys, indexes, ...(cluster !== undefined && { cluster }) }),
  );
  const exposure = exposureOf(bound, config);
  if (exposure !== undefined) console.warn(exposure);
  void preload(inference, { models: config.preloads || [], detectors: config.patchPreloads || [] }, print);
  const [url] = bound.map(localUrlOf);
  if (demo && url !== undefined) {
    const tell = (error: Error): void => print(`The sample catalogue is not loaded: ${error.message}`);
    await loadDemo(url).then(() => undefined, tell);
  }
}

/** Indexes whose documents are counted at a start: counting opens them. */
const COUNTED_MAX = 20;

/** The indexes and, where a terminal shows them and they are few, their documents. */
async function indexesText(engine: StorageEngine): Promise<string> {
  const names = await engine.listIndexes();
  const indexes = counted(names.length, 'index', 'indexes');
  if (!process.stdout.isTTY || names.length === 0 || names.length > COUNTED_MAX) return indexes;
  const counts = names.map((name) => countOf(engine, name));
  const documents = (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  return `${indexes} with ${counted(documents, 'document')}`;
}

/** An index that cannot be read counts as empty: the log and health tell of it. */
const countOf = (engine: StorageEngine, name: string): Promise<number> =>
  engine.stats(name).then(
    ({ numberOfDocuments }) => numberOfDocuments,
    () => 0,
  );
