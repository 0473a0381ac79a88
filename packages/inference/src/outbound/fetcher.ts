import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
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

const REDIRECTS_MAX = 3;
const REDIRECT = new Set([301, 302, 303, 307, 308]);
const HEAD_BYTES_MAX = 16 * 1024;
const CONNECT_TIMEOUT_MS = 5_000;
const HEADERS_TIMEOUT_MS = 30_000;
/** Longest silence within a body. */
const BODY_TIMEOUT_MS = 30_000;

/** Fetches over HTTP under an {@link OutboundPolicy}, which is asked again at every hop. */
export class Fetcher {
  readonly #policy: OutboundPolicy;
  #client: Promise<Client> | null = null;

  constructor(policy: OutboundPolicy) {
    this.#policy = policy;
  }

  /**
   * Answers with the first response that is no redirect.
   * @throws OutboundRefused for a place the policy forbids, else the network's own error.
   */
  async get(address: string, headers: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<Fetched> {
    this.#client ??= openClient(this.#policy);
    const { request, guarded, trusting } = await this.#client;
    let url = new URL(address);
    let sent = headers;
    let firstHeaders: Record<string, string> | null = null;
    for (let hop = 0; hop <= REDIRECTS_MAX; hop++) {
      this.#policy.checkUrl(url);
      const isTrusted = this.#policy.isTrusted(url);
      const response = await request(url, {
        dispatcher: isTrusted ? trusting : guarded,
        headers: { ...sent, 'accept-encoding': 'identity', 'user-agent': 'pelorus' },
        ...(signal && { signal }),
      }).catch((error: Error) => {
        throw isTrusted ? error : withoutAddress(error);
      });
      const received = flat(response.headers);
      firstHeaders ??= received;
      const { location } = received;
      if (!REDIRECT.has(response.statusCode) || location === undefined) {
        // Who reads the body hears of its faults; a body that is given up unread must not end the process.
        response.body.on('error', () => undefined);
        return { status: response.statusCode, headers: received, firstHeaders, body: response.body };
      }
      await response.body.dump();
      const next = new URL(location, url);
      if (url.protocol === 'https:' && next.protocol !== 'https:') {
        throw new OutboundRefused(`${url.origin} redirects from https to ${next.protocol}`);
      }
      if (next.origin !== url.origin) sent = withoutCredentials(sent);
      url = next;
    }
    throw new OutboundRefused(`${url.origin}: more than ${REDIRECTS_MAX} redirects`);
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
  const connect = undici.buildConnector({ timeout: CONNECT_TIMEOUT_MS, lookup: vettedLookup(policy) });
  return {
    request: undici.request,
    guarded: new undici.Agent({ ...options, connect: vettedConnect(policy, connect) }),
    trusting: new undici.Agent({ ...options, connect: { timeout: CONNECT_TIMEOUT_MS } }),
  };
}

/** Resolves a name, if every address it has may be connected to. */
function vettedLookup(policy: OutboundPolicy): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null || addresses.some(({ address }) => !policy.permits(address))) {
        return callback(unreachableName(hostname), []);
      }
      const [first] = addresses;
      if (options.all === true || first === undefined) return callback(null, addresses);
      callback(null, first.address, first.family);
    });
  };
}

/** Looks once more at the address that a socket ended up with. */
function vettedConnect(policy: OutboundPolicy, connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      if (policy.permits(socket.remoteAddress ?? '')) return callback(null, socket);
      socket.destroy();
      callback(unreachableName(options.hostname), null);
    });
}

/** The system's own words for a failed connection name the address that was tried. */
function withoutAddress(error: Error & { code?: unknown }): Error {
  if (error instanceof OutboundRefused || typeof error.code !== 'string') return error;
  return Object.assign(new Error(`the connection failed (${error.code})`, { cause: error }), { code: error.code });
}

function withoutCredentials(headers: Readonly<Record<string, string>>): Record<string, string> {
  const isSecret = (name: string) => name === 'authorization' || name.startsWith('x-amz-');
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !isSecret(name.toLowerCase())));
}

function flat(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
  );
  return Object.fromEntries(entries);
}
