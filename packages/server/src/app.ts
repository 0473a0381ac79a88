import { type Operation, type OperationId, type OperationIdOf, operations } from '@pelorus/contract';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { type DestinationStream, pino, symbols } from 'pino';
import type { ServiceName } from './call.js';
import type { Config } from './config.js';
import { installBodyParser } from './http/body-parser.js';
import { serveConsole } from './http/console.js';
import { type Counters, LocalCounters } from './http/counters.js';
import { serveDocs } from './http/docs.js';
import { handleError, handleFrameworkError, loggedError } from './http/errors.js';
import { refuseBadHeads } from './http/head-errors.js';
import { observeRequests } from './http/observe.js';
import { KnownPaths } from './http/paths.js';
import { parseQueryString } from './http/query-string.js';
import { requestIdOf, tellRequestIds } from './http/request-id.js';
import { setSecurityHeaders } from './http/security-headers.js';
import { refuseOtherSites } from './http/site-guard.js';
import type { SlowRequest } from './http/slow-requests.js';
import { answerSocketError } from './http/socket-errors.js';
import { endStalledConnections } from './http/stalled-connections.js';
import { refuseUnrouted } from './http/unrouted.js';
import { RecentLog } from './log/recent-log.js';
import type { Tracing } from './tracing/tracing.js';

/** Longest time for a whole request to arrive, and for its head. */
const REQUEST_TIMEOUT_MS = 120_000;
const HEADERS_TIMEOUT_MS = 15_000;
/**
 * Interval at which connections are checked for these two: the time by which a request that never ends may take longer.
 */
const CONNECTIONS_CHECKING_INTERVAL_MS = 1_000;
/** Longest silence on a connection while its answer is worked on: the first use of a model may download it. */
const CONNECTION_TIMEOUT_MS = 600_000;
/** Time for which an idle connection is kept for the next request. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000;
/** Longest path parameter in characters, a percent-encoded document id for one; the head itself is bound to 16 kB. */
const PARAM_LENGTH_MAX = 16_384;

/** The operations that a service serves. */
export function operationsOf<Name extends ServiceName>(
  name: Name,
): readonly (Operation & { readonly operationId: OperationIdOf<Name> & OperationId })[] {
  const served = Object.values<Operation>(operations).filter(({ service }) => service === name || service === 'every');
  return served as (Operation & { readonly operationId: OperationIdOf<Name> & OperationId })[];
}

/**
 * The log of a service, which keeps its latest lines. It can be written before there is a server.
 * @param stream for the lines, each a JSON object; standard output when absent
 */
export function createLog(
  config: Pick<Config, 'logLevel'>,
  stream: DestinationStream = pino.destination(process.stdout.fd || 1),
): FastifyBaseLogger {
  return createPassingLog(config, new RecentLog(stream));
}

/** As {@link createLog}, of lines that are kept where they are passed on to. */
export function createPassingLog(
  { logLevel: level }: Pick<Config, 'logLevel'>,
  stream: DestinationStream,
): FastifyBaseLogger {
  return pino({ level, serializers: { err: loggedError } }, stream);
}

const streamOf = (log: FastifyBaseLogger): DestinationStream | undefined =>
  (log as unknown as Record<symbol, DestinationStream>)[symbols.streamSym];

/** Writes a line, which another thread made with a log of the same settings, where the lines of a log go. */
export function writeLine(log: FastifyBaseLogger, line: string): void {
  streamOf(log)?.write(line);
}

/** The latest lines of a log; none of one that was not made here. */
export function recentLogOf(log: FastifyBaseLogger): RecentLog {
  const stream = streamOf(log);
  return stream instanceof RecentLog ? stream : new RecentLog({ write: () => undefined });
}

/**
 * An HTTP server of this interface that has its documentation and no operation yet: what all services have in common.
 * @param others operations that it will have besides those of the service
 * @param docs whether the contract and the console are served too
 * @param log one of its own when absent
 * @param counters count the requests that it answered
 * @param noteSlow is told of those that took long
 * @param tracing traces requests, and ends with the server; null for none
 */
export function createApp(
  name: ServiceName,
  config: Config,
  {
    others = [],
    docs = true,
    log = createLog(config),
    counters = new LocalCounters(),
    noteSlow = () => undefined,
    tracing = null,
  }: {
    others?: readonly Operation[];
    docs?: boolean;
    log?: FastifyBaseLogger;
    counters?: Counters;
    noteSlow?: (request: SlowRequest) => void;
    tracing?: Tracing | null;
  } = {},
): FastifyInstance {
  const served = operationsOf(name);
  const paths = new KnownPaths([...served, ...others]);
  const app = Fastify({
    // Before anything looks at the path, so that routes and every check see the same one.
    rewriteUrl: ({ url = '/' }) => paths.withoutRepeatedSlashes(url),
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    exposeHeadRoutes: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    // None: at the end a hook waits for calls under way, for as long as whoever ends the server lets it.
    pluginTimeout: 0,
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: CONNECTIONS_CHECKING_INTERVAL_MS,
      requireHostHeader: false,
    },
    return503OnClosing: false,
    routerOptions: { maxParamLength: PARAM_LENGTH_MAX, querystringParser: parseQueryString },
    genReqId: requestIdOf,
    frameworkErrors: handleFrameworkError,
    clientErrorHandler: answerSocketError,
  });
  installBodyParser(app);
  observeRequests(app, { config, counters, noteSlow, tracing });
  if (tracing !== null) app.addHook('onClose', () => tracing.close());
  endStalledConnections(app);
  tellRequestIds(app);
  setSecurityHeaders(app);
  refuseBadHeads(app);
  refuseOtherSites(app, config);
  refuseUnrouted(app, paths);
  app.setErrorHandler(handleError);
  if (docs) serveDocs(app, served);
  if (docs) serveConsole(app, name);
  return app;
}
