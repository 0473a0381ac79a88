import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ChatCompletions, Shops } from '@pelorus/ecommerce';
import { openEventStore } from '@pelorus/events';
import { Inventory } from '@pelorus/files';
import { IndexHosting, type ProcessCommand } from '@pelorus/hosted';
import { createInference } from '@pelorus/inference';
import type { ManagedKeys } from '@pelorus/keys';
import { BackupWork, type Config, createGateway, keysListedIn, openTracing, ownVersion } from '@pelorus/server';
import { inferenceConfig } from '../inference-config.js';
import { serviceKeys } from '../keys/service-keys.js';
import { exposureOf, urlOf } from '../serve/addresses.js';
import { holdDataDirectory, requireFolders, requireRestored } from '../serve/data-folders.js';
import { drain } from '../serve/drain.js';
import { requireFreePort } from '../serve/free-port.js';
import { logOf } from '../serve/log.js';
import { openBackups } from '../serve/open-backups.js';
import { secondsSinceStart } from '../serve/start-time.js';
import { startUpText } from '../serve/start-up.js';
import { stopOnSignal } from '../serve/stop-on-signal.js';
import { print } from '../terminal/lines.js';
import { counted } from '../terminal/units.js';
import { openHostedData, refuseIndexes } from './hosted-data.js';
import { INDEX_PROCESS } from './index-process-command.js';
import { INDEX_CONFIG } from './serve-index.js';
import { openSocketFolder } from './socket-folder.js';

/** Entry of the inventory. */
const EVENTS = 'events';

/** V8's share of the memory of a process: documents and vectors lie outside it. */
const HEAP_FLAGS = ['--max-old-space-size=512', '--max-semi-space-size=8'];

/** Serves the hosted form until a signal asks for the end. */
export async function serveHosted(config: Config): Promise<void> {
  await requireFreePort(config.host, config.port);
  const log = await logOf(config);
  const warn = (message: string): void => log.warn(message);
  await requireFolders(config.dataDir, ['hosted', 'hosted/indexes', 'hosted/sockets', 'keys']);
  await requireRestored(config.dataDir);
  // Before anything is read: an earlier process may still be writing it.
  await holdDataDirectory(config.dataDir);
  const inventory = await Inventory.open(join(config.dataDir, 'inventory.json'), warn);
  const keys = await serviceKeys(config, keysListedIn(inventory, warn));
  await inventory.begin();
  const inference = createInference(inferenceConfig(config));
  const sockets = await openSocketFolder(join(config.dataDir, 'hosted', 'sockets'));
  const hosting = await IndexHosting.open({
    folder: join(config.dataDir, 'hosted', 'indexes'),
    inventory,
    socketFolder: sockets.path,
    command: indexProcess(config),
    indexesMax: config.hostedIndexesMax,
    modelMemoryMax: config.modelMemoryMax,
    report: (level, fields, text) => log[level](fields, text),
  });
  const events = openEventStore({
    folder: join(config.dataDir, 'events'),
    wasThere: inventory.has(EVENTS),
    // An entry that cannot be listed now is listed at the next start.
    onOpen: () => void inventory.add(EVENTS).catch(({ message }: Error) => warn(message)),
    onFault: (message) => warn(message),
  });
  const shops = await Shops.open({
    hosted: hosting,
    limits: {
      limitMax: config.searchLimitMax,
      offsetMax: config.searchOffsetMax,
      contextDocumentsMax: config.contextDocumentsMax,
    },
    figures: events,
    folder: join(config.dataDir, 'ecommerce'),
    inventory,
    ...(config.chatUrl !== '' && { chat: chatOf(config) }),
    report: ({ message }, { name }) => log.warn({ index: name, reason: message }, 'Part of a shop failed'),
    tell: (fields, text) => log.error(fields, text),
    noteLearned: ({ name }, { state, outcome, reason, appliedVersion }) =>
      log.info({ index: name, state, outcome, reason, appliedVersion }, 'The learning of a shop ended'),
  });
  const backups = await openBackups(config);
  const gateway = createGateway({
    ...(backups !== undefined && {
      backups: new BackupWork({
        backups,
        version: ownVersion(),
        requireIndexes: refuseIndexes,
        open: () => openHostedData({ hosting, events, config }),
        warn,
      }),
    }),
    hosting,
    shops,
    inference,
    keys: keys.follow(),
    events,
    config,
    log,
    tracing: await openTracing(config, log),
    filesProblems: inventory.problems,
  });

  stopOnSignal(async () => {
    await drain(gateway.server, () => gateway.close());
    await shops.close();
    await events.close();
    await hosting.close();
    await inference.close();
    await keys.close();
    await inventory.close();
    await sockets.remove();
  }, print);
  if (!keys.isRequired && config.keysEnforcement !== 'off') await printFirstKey(keys);
  await gateway.listen({ host: config.host, port: config.port });
  const bound = gateway.addresses().filter((address) => typeof address !== 'string');
  const indexes = counted(hosting.list().length, 'hosted index', 'hosted indexes');
  process.stdout.write(startUpText({ urls: bound.map(urlOf), after: secondsSinceStart(), config, keys, indexes }));
  const exposure = exposureOf(bound, config);
  if (exposure !== undefined) console.warn(exposure);
}

/** Nobody can call the hosted form without a key, so that the first start makes one. */
async function printFirstKey(keys: ManagedKeys): Promise<void> {
  const all = { indexes: null, origins: null, expiresAt: null };
  const { secret } = await keys.create({ kind: 'api', name: 'default', scope: 'admin', ...all });
  print(`The first key, of scope admin; it is not shown again: ${secret}`);
}

/** The language model that the operator set. */
function chatOf({ chatUrl: url, chatModel: model, chatKey: key }: Config): ChatCompletions {
  return new ChatCompletions({ url, model, key });
}

/**
 * The process of an index gets from the environment the variables that every program needs and the path of the native
 * engine, and from the settings its own.
 */
export function indexProcess(config: Config, environment: NodeJS.ProcessEnv = process.env): ProcessCommand {
  const main = fileURLToPath(new URL('../main.js', import.meta.url));
  const { PATH, HOME, TMPDIR, TEMP, LANG, SystemRoot, LOCALAPPDATA, XDG_CACHE_HOME, PELORUS_NATIVE_PATH } = environment;
  const own = { PATH, HOME, TMPDIR, TEMP, LANG, SystemRoot, LOCALAPPDATA, XDG_CACHE_HOME, PELORUS_NATIVE_PATH };
  const env = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined));
  return {
    file: process.execPath,
    args: [...HEAP_FLAGS, main, INDEX_PROCESS],
    env: { ...env, [INDEX_CONFIG]: JSON.stringify({ ...config, chatKey: '' }) },
  };
}
