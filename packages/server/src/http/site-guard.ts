import { type AddressInfo, isIP } from 'node:net';
import { PelorusError, truncated } from '@pelorus/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config.js';
import { type Authority, hostName, isOriginOf, readAuthority } from './authority.js';
import { connectionAfter, sendError } from './errors.js';
import { splitTarget } from './paths.js';

type SiteSettings = Pick<Config, 'host' | 'allowedHosts' | 'allowedOrigins'>;

/**
 * Refuses requests of a browser for a page of another site: such a page must neither write nor read here, though its
 * browser can reach this server. Clients that are no browsers send none of these headers and notice nothing.
 *
 * A site whose own name leads to this address (DNS rebinding) is the same site to the browser; what gives it away is
 * the Host header, which is why a server on loopback answers to known names only.
 */
export function refuseOtherSites(app: FastifyInstance, settings: SiteSettings): void {
  const hosts = knownHosts(settings);
  const origins = new Set(settings.allowedOrigins ?? []);
  // Before it listens, and for `inject`, which needs no address, the stricter rule holds.
  let checksHost = true;
  app.server.on('listening', () => {
    const bound = app.server.address() as AddressInfo | string;
    // A socket in a folder has no name that could be rebound.
    checksHost = typeof bound !== 'string' && (settings.allowedHosts !== null || isLoopback(bound.address));
  });

  app.addHook('onRequest', (request, reply, done) => {
    const own = ownAuthority(request);
    if (own instanceof PelorusError) return refuse(request, reply, own);
    if (checksHost && own !== undefined && !isKnownHost(own.host, hosts)) {
      return refuse(request, reply, unknownHost(own.host));
    }
    // The credential of shops' pages and their events says which pages may send it: they are of other sites by nature.
    if (request.routeOptions.config.originsByCredential) return done();
    const { origin } = request.headers;
    if (origin !== undefined && origins.has(origin)) {
      allowOrigin(reply, origin);
      return isPreflight(request) ? answerPreflight(reply) : done();
    }
    const error = crossSiteError(request, own);
    return error === undefined ? done() : refuse(request, reply, error);
  });
}

/** Tells whether only this machine can reach a server bound to `address`. */
export function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.') || address.startsWith('::ffff:127.');
}

function knownHosts({ host, allowedHosts }: SiteSettings): ReadonlySet<string> {
  return new Set(['localhost', hostName(host), ...(allowedHosts ?? [])]);
}

/** An address cannot be rebound to another one: only names can. */
function isKnownHost(host: string, known: ReadonlySet<string>): boolean {
  return known.has(host) || known.has('*') || isIP(host) !== 0 || host.startsWith('[') || host.endsWith('.localhost');
}

/**
 * This server's name as the client sees it: the Host header, unless the target is a whole URL, whose host then counts
 * (RFC 9112, 3.2.2). Undefined for the clients of HTTP/1.0 that send neither.
 */
function ownAuthority({ raw, headers }: FastifyRequest): Authority | PelorusError | undefined {
  const target = raw.url ?? '/';
  const isUrl = !target.startsWith('/');
  const named = (isUrl ? /^https?:\/\/([^/?#]*)/i.exec(target)?.[1] : undefined) ?? headers.host;
  if (named === undefined) return undefined;
  return (
    readAuthority(named) ??
    new PelorusError('bad_request', `The host '${truncated(named)}' is no name or address with an optional port`)
  );
}

/**
 * Paths to which a link on another site may lead a person: they show no data, and the page with the link cannot read
 * them.
 */
const linkedPaths: ReadonlySet<string> = new Set(['/', '/docs', '/docs/', '/console', '/console/']);

function crossSiteError(request: FastifyRequest, own: Authority | undefined): PelorusError | undefined {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (site !== undefined && site !== 'same-origin' && site !== 'none' && !isFollowedLink(request)) {
    return otherSite(`Sec-Fetch-Site is '${truncated(String(site))}', expected 'same-origin' or 'none'`);
  }
  if (origin === undefined || (own !== undefined && isOriginOf(own, origin))) return undefined;
  return otherSite(`Origin is '${truncated(origin)}', expected the host and port of this server`);
}

function isFollowedLink({ method, headers, raw }: FastifyRequest): boolean {
  return (
    method === 'GET' &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document' &&
    linkedPaths.has(splitTarget(raw.url ?? '').path)
  );
}

function otherSite(reason: string): PelorusError {
  return new PelorusError(
    'forbidden',
    `The request was sent for a page of another site: ${reason}. The operator may allow its origin with --allowed-origins (PELORUS_ALLOWED_ORIGINS)`,
  );
}

function unknownHost(host: string): PelorusError {
  return new PelorusError(
    'forbidden',
    `'${truncated(host)}' is no host name of this server: expected an address, localhost, or a name that the operator allows with --allowed-hosts (PELORUS_ALLOWED_HOSTS)`,
  );
}

function refuse(request: FastifyRequest, reply: FastifyReply, error: PelorusError): void {
  if (connectionAfter(request) === 'close') reply.header('connection', 'close');
  sendError(reply, error);
}

/** Lets a page of an allowed origin read the answer (CORS). */
function allowOrigin(reply: FastifyReply, origin: string): void {
  reply.headers({ 'access-control-allow-origin': origin, 'access-control-expose-headers': '*', vary: 'Origin' });
}

/** Tells whether a browser asks for permission before it lets a page send a request. */
function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

/** Time for which a browser may go by the answer, in seconds; none does for longer than two hours. */
const PREFLIGHT_MAX_AGE = '7200';

function answerPreflight(reply: FastifyReply): void {
  reply
    .code(204)
    .headers({
      'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
      'access-control-allow-headers': '*',
      'access-control-max-age': PREFLIGHT_MAX_AGE,
    })
    .send();
}
