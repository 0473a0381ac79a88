import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import type { Agent, buildConnector, Dispatcher } from 'undici';
import { type OutboundPolicy, OutboundRefused, unreachableName } from './outbound-policy.js';

/** An answer whose body has not been read yet. It must be consumed or destroyed. */
export interface Fetched {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Headers of the first answer, before any redirect; the same as `headers` when there was none. */
  readonly firstHeaders: Readonly<Record<string, string>>;
  readonly body: Readable;
}

/** How a {@link Fetcher} behaves towards the servers that it asks. */
export interface FetchManners {
  /** Default 3. */
  readonly redirectsMax?: number;
  /** Sent where the caller's headers name none. Default `pelorus`. */
  readonly userAgent?: string;
  /** What of the caller's headers another origin gets after a redirect. Default all but credentials. */
  readonly crossOrigin?: 'all but credentials' | 'nothing';
}

const REDIRECT = new Set([301, 302, 303, 307, 308]);
const HEAD_BYTES_MAX = 16 * 1024;
/** Of the body of a redirect; with more left, its connection is closed instead. */
const REDIRECT_BODY_BYTES_MAX = 16 * 1024;
const REFUSED_REDIRECT = 'a redirect leads to a place that may not be reached';
/** Connectors that are kept, each with its TLS sessions. */
const PORTS_MAX = 16;
const CONNECT_TIMEOUT_MS = 5_000;
const HEADERS_TIMEOUT_MS = 30_000;
/** Longest silence within a body. */
const BODY_TIMEOUT_MS = 30_000;

/** Fetches over HTTP under an {@link OutboundPolicy}, which is asked again at every hop. */
export class Fetcher {
  readonly #policy: OutboundPolicy;
  readonly #manners: Required<FetchManners>;
  #client: Promise<Client> | null = null;

  constructor(policy: OutboundPolicy, manners: FetchManners = {}) {
    this.#policy = policy;
    this.#manners = { redirectsMax: 3, userAgent: 'pelorus', crossOrigin: 'all but credentials', ...manners };
  }

  /**
   * Answers with the first response that is no redirect.
   * @throws OutboundRefused for a place the policy forbids, else the network's own error. It tells nothing of the places
   *   that redirects lead to, but for their number.
   */
  async get(address: string, headers: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<Fetched> {
    const { redirectsMax, userAgent } = this.#manners;
    let url = new URL(address);
    let sent = lowerCased(headers);
    let firstHeaders: Record<string, string> | null = null;
    for (let hop = 0; hop <= redirectsMax; hop++) {
      const response = await this.#ask(url, { 'user-agent': userAgent, ...sent }, signal).catch((error) => {
        throw hop > 0 && error instanceof OutboundRefused ? new OutboundRefused(REFUSED_REDIRECT) : error;
      });
      const received = flat(response.headers);
      firstHeaders ??= received;
      // Who reads the body hears of its faults; a body that is given up unread must not end the process.
      response.body.on('error', () => undefined);
      const { location } = received;
      if (!REDIRECT.has(response.statusCode) || location === undefined) {
        return { status: response.statusCode, headers: received, firstHeaders, body: response.body };
      }
      await response.body.dump({ limit: REDIRECT_BODY_BYTES_MAX, ...(signal && { signal }) });
      const next = URL.parse(location, url.href);
      if (next === null) throw new OutboundRefused('a redirect leads to what is no URL');
      if (url.protocol === 'https:' && next.protocol !== 'https:') {
        throw new OutboundRefused(`a redirect leads from https to ${next.protocol}`);
      }
      if (next.origin !== url.origin) sent = this.#forOtherOrigin(sent);
      url = next;
    }
    throw new OutboundRefused(`there are more than ${redirectsMax} redirects`);
  }

  async #ask(url: URL, headers: Record<string, string>, signal: AbortSignal | undefined) {
    this.#client ??= openClient(this.#policy);
    const { request, guarded, trusting } = await this.#client;
    this.#policy.checkUrl(url);
    const isTrusted = this.#policy.isTrusted(url);
    return request(url, {
      dispatcher: isTrusted ? trusting : guarded,
      headers: { ...headers, 'accept-encoding': 'identity' },
      ...(signal && { signal }),
    }).catch((error: Error) => {
      throw isTrusted ? error : withoutAddress(error);
    });
  }

  #forOtherOrigin(headers: Record<string, string>): Record<string, string> {
    return this.#manners.crossOrigin === 'nothing' ? {} : withoutCredentials(headers);
  }

  async close(): Promise<void> {
    const client = await this.#client;
    await Promise.all([client?.guarded.destroy(), client?.trusting.destroy()]);
  }
}

interface Client {
  readonly request: typeof import('undici').request;
  /** For places named by anybody. */
  readonly guarded: Dispatcher;
  /** For places that the operator configured. */
  readonly trusting: Dispatcher;
}

/** The HTTP client is loaded with the first fetch: most servers have their models and never need it. */
async function openClient(policy: OutboundPolicy): Promise<Client> {
  const undici = await import('undici');
  const options: Agent.Options = {
    headersTimeout: HEADERS_TIMEOUT_MS,
    bodyTimeout: BODY_TIMEOUT_MS,
    maxHeaderSize: HEAD_BYTES_MAX,
  };
  return {
    request: undici.request,
    guarded: new undici.Agent({ ...options, connect: vettedConnect(policy, undici.buildConnector) }),
    trusting: new undici.Agent({ ...options, connect: { timeout: CONNECT_TIMEOUT_MS } }),
  };
}

/** Connects where every address that the name has may be connected to, and looks once more at the one it got. */
function vettedConnect(policy: OutboundPolicy, build: typeof buildConnector): buildConnector.connector {
  const connectors = new LRUCache<string, buildConnector.connector>({ max: PORTS_MAX });
  const connectorTo = (port: string) => {
    const known = connectors.get(port);
    const connector = known ?? build({ timeout: CONNECT_TIMEOUT_MS, lookup: vettedLookup(policy, port) });
    if (known === undefined) connectors.set(port, connector);
    return connector;
  };
  return (options, callback) =>
    connectorTo(options.port)(options, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      if (policy.permits(socket.remoteAddress ?? '', options.port)) return callback(null, socket);
      socket.destroy();
      callback(unreachableName(options.hostname, options.port), null);
    });
}

/** Resolves a name, if every address it has may be connected to on this port. */
function vettedLookup(policy: OutboundPolicy, port: string): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null || addresses.some(({ address }) => !policy.permits(address, port))) {
        return callback(unreachableName(hostname, port), []);
      }
      const [first] = addresses;
      if (options.all === true || first === undefined) return callback(null, addresses);
      callback(null, first.address, first.family);
    });
  };
}

/** The system's own words for a failed connection name the address that was tried. */
function withoutAddress(error: Error & { code?: unknown }): Error {
  if (error instanceof OutboundRefused || typeof error.code !== 'string') return error;
  return Object.assign(new Error(`the connection failed (${error.code})`, { cause: error }), { code: error.code });
}

function withoutCredentials(headers: Readonly<Record<string, string>>): Record<string, string> {
  const isSecret = (name: string) => name === 'authorization' || name.startsWith('x-amz-');
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !isSecret(name)));
}

/** With names in one case, of which no two then mean one header. */
function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function flat(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
  );
  return Object.fromEntries(entries);
}
