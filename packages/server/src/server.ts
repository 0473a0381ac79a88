import { readFileSync } from 'node:fs';
import { releaseMemory, type StorageEngine } from '@pelorus/engine';
import type { Inference } from '@pelorus/inference';
import Fastify, { type FastifyInstance, LogController } from 'fastify';
import { bindOperations } from './binder.js';
import type { Config } from './config.js';
import { handlersOf } from './handlers/handlers.js';
import { Memory } from './host/memory.js';
import { HostMonitor } from './host/monitor.js';
import { installBodyParser } from './http/body-parser.js';
import { serveDocs } from './http/docs.js';
import { handleError, handleFrameworkError, loggedError } from './http/faults.js';
import { Gates } from './http/gates.js';
import { refuseBadHeads } from './http/head-faults.js';
import { observeRequests } from './http/observe.js';
import { parseQueryString } from './http/query-string.js';
import { setSecurityHeaders } from './http/security-headers.js';
import { refuseOtherSites } from './http/site-guard.js';
import { answerSocketFault } from './http/socket-faults.js';
import { answerUnrouted, redirectTrailingSlash, refuseUnrouted } from './http/unrouted.js';
import { prepareSettings } from './indexes/prepare-settings.js';
import { asArguments, readSettings } from './indexes/requested-settings.js';
import { refuseBulkSearch } from './search/bulk-search.js';
import { GivenVectors } from './search/given-vectors.js';
import { servicesOf } from './services.js';

export interface ServerParts {
  readonly engine: StorageEngine;
  readonly inference: Inference;
  readonly config: Config;
}

/** Longest time for a whole request to arrive, and for its head. */
const REQUEST_TIMEOUT_MS = 120_000;
const HEADERS_TIMEOUT_MS = 15_000;
/** How often connections are looked at for these two: what a request that never ends may take longer. */
const CONNECTIONS_CHECKING_INTERVAL_MS = 1_000;
/** Longest silence on a connection while its answer is worked on: the first use of a model may download it. */
const CONNECTION_TIMEOUT_MS = 600_000;
/** How long an idle connection is kept for the next request. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000;
/** Longest path parameter in characters, a percent-encoded document id for one; the head itself is bound to 16 kB. */
const PARAM_LENGTH_MAX = 16_384;

/**
 * The HTTP service over an engine and an inference. It starts with `listen()`; `close()` lets requests under way finish.
 * Engine and inference are the caller's to close, after the server.
 */
export function createServer({ engine, inference, config }: ServerParts): FastifyInstance {
  const app = Fastify({
    logger: { level: config.logLevel, serializers: { err: loggedError } },
    logController: new LogController({ disableRequestLogging: true }),
    exposeHeadRoutes: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: CONNECTIONS_CHECKING_INTERVAL_MS,
      requireHostHeader: false,
    },
    return503OnClosing: false,
    routerOptions: { maxParamLength: PARAM_LENGTH_MAX, querystringParser: parseQueryString },
    frameworkErrors: handleFrameworkError,
    clientErrorHandler: answerSocketFault,
  });
  installBodyParser(app);
  observeRequests(app);
  setSecurityHeaders(app);
  refuseBadHeads(app);
  refuseOtherSites(app, config);
  app.addHook('onRequest', redirectTrailingSlash);
  app.addHook('onRequest', refuseUnrouted);
  app.setErrorHandler(handleError);
  app.setNotFoundHandler(answerUnrouted);
  serveDocs(app);

  const memory = new Memory(config.maxMemory, { release: releaseMemory });
  const host = new HostMonitor(config.dataDir, memory);
  app.addHook('onClose', async () => host.close());
  const services = servicesOf({ engine, inference, config, host, version: ownVersion() });
  app.addHook('onClose', async () => services.cursors.close());
  bindOperations(app, handlersOf(services), {
    gates: new Gates(config, memory),
    preparations: {
      createIndex: prepareSettings,
      validateIndex: (body) => asArguments(() => readSettings(body)),
      search: refuseBulkSearch,
    },
    splits: { search: (body) => GivenVectors.of(body) },
    deviceNamed: inference.device,
  });
  return app;
}

function ownVersion(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
