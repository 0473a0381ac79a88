import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import type { Agent, Dispatcher } from 'undici';
import { type OutboundPolicy, OutboundRefused } from './outbound-policy.js';
import { type ResolveName, vettedConnect } from './vetted-connect.js';

/** An answer whose body has not been read yet. It must be consumed or destroyed. */
export interface Fetched {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Headers of the first answer, before any redirect; the same as `headers` when there was none. */
  readonly firstHeaders: Readonly<Record<string, string>>;
  readonly body: Readable;
}

/** The behaviour of a {@link Fetcher} towards the servers that it asks. */
export interface FetchManners {
  /** Default 3. */
  readonly redirectsMax?: number;
  /** Sent where the caller's headers name none. Default `pelorus`. */
  readonly userAgent?: string;
  /** The part of the caller's headers that another origin gets after a redirect. Default all but credentials. */
  readonly crossOrigin?: 'all but credentials' | 'nothing';
}

const REDIRECT = new Set([301, 302, 303, 307, 308]);
const HEAD_BYTES_MAX = 16 * 1024;
/** Most bytes that are read from the body of a redirect; with more left, its connection is closed instead. */
const REDIRECT_BODY_BYTES_MAX = 16 * 1024;
const REFUSED_REDIRECT = 'a redirect leads to a place that may not be reached';
const CONNECT_TIMEOUT_MS = 5_000;
const HEADERS_TIMEOUT_MS = 30_000;
/** Longest silence within a body. */
const BODY_TIMEOUT_MS = 30_000;

/** Fetches over HTTP under an {@link OutboundPolicy}, which is asked again at every hop. */
export class Fetcher {
  readonly #policy: OutboundPolicy;
  readonly #manners: Required<FetchManners>;
  readonly #resolve: ResolveName | undefined;
  #client: Promise<Client> | null = null;

  /** @param resolve how names are resolved; as the system does by default */
  constructor(policy: OutboundPolicy, manners: FetchManners = {}, resolve?: ResolveName) {
    this.#policy = policy;
    this.#resolve = resolve;
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
      // The reader of a body hears of its faults; a body that is given up unread must not end the process.
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

  /**
   * Sends a body and answers with the response to it, whatever its status. No redirect is followed, for the body
   * was meant for this place. The signal alone bounds the time, for an answer may have to be computed.
   * @throws OutboundRefused for a place the policy forbids, or a redirect, else the network's own error
   */
  async post(
    address: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ): Promise<Fetched> {
    const sent = { 'user-agent': this.#manners.userAgent, ...lowerCased(headers) };
    const response = await this.#ask(new URL(address), sent, signal, body);
    response.body.on('error', () => undefined);
    const received = flat(response.headers);
    if (REDIRECT.has(response.statusCode)) {
      response.body.destroy();
      throw new OutboundRefused('it answers with a redirect, which is not followed');
    }
    return { status: response.statusCode, headers: received, firstHeaders: received, body: response.body };
  }

  async #ask(url: URL, headers: Record<string, string>, signal: AbortSignal | undefined, posted?: string) {
    this.#client ??= openClient(this.#policy, this.#resolve);
    const { request, guarded, trusting } = await this.#client;
    this.#policy.checkUrl(url);
    const isTrusted = this.#policy.isTrusted(url);
    return request(url, {
      dispatcher: isTrusted ? trusting : guarded,
      headers: { ...headers, 'accept-encoding': 'identity' },
      ...(signal && { signal }),
      ...(posted !== undefined && { method: 'POST', body: posted, headersTimeout: 0, bodyTimeout: 0 }),
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
async function openClient(policy: OutboundPolicy, resolve: ResolveName | undefined): Promise<Client> {
  const undici = await import('undici');
  const options: Agent.Options = {
    headersTimeout: HEADERS_TIMEOUT_MS,
    bodyTimeout: BODY_TIMEOUT_MS,
    maxHeaderSize: HEAD_BYTES_MAX,
  };
  const build = (lookup: LookupFunction) => undici.buildConnector({ timeout: CONNECT_TIMEOUT_MS, lookup });
  return {
    request: undici.request,
    guarded: new undici.Agent({ ...options, connect: vettedConnect(policy, build, resolve) }),
    trusting: new undici.Agent({ ...options, connect: { timeout: CONNECT_TIMEOUT_MS } }),
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
