import { ConnectionError, PelorusError, TimeoutError, UnexpectedAnswerError } from './errors.js';
import { errorOf, isObject, shown } from './refusal.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The part of `fetch` that the client uses. */
export type Fetch = (address: string, init: RequestInit) => Promise<Response>;

export interface PelorusOptions {
  /** The address of the server, such as `http://127.0.0.1:8882`; a path of it stays before every path. */
  readonly url: string | URL;
  /** The key, where the server asks for one. */
  readonly apiKey?: string | undefined;
  /**
   * Time for one try of a call, in milliseconds. Default 60,000; for `add` and `update` 300,000, since a model may have
   * to be loaded.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Further tries of a call that the server has no room for, or that gets no answer and may be repeated. Default 4; for
   * `add` and `update` 10.
   */
  readonly retries?: number | undefined;
  /** Another `fetch` than that of the platform. */
  readonly fetch?: Fetch | undefined;
}

/** Options of one call, in place of those of the client. */
export interface CallOptions {
  /** Ends the call, which then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly retries?: number | undefined;
}

/** A request of the interface. */
export interface Call {
  readonly method: Method;
  /** The path behind the address of the server, from its slash on. */
  readonly path: string;
  /** The JSON of its body. */
  readonly body?: string | undefined;
  /** Tells whether it may be sent again although the server may have carried it out. */
  readonly isRepeatable: boolean;
}

/** Values for options that neither a call nor its client gives. */
export interface CallDefaults {
  readonly timeoutMs: number;
  readonly retries: number;
}

/** Sends calls to one server. An interface: clients of two copies of this package are of one type. */
export interface Sender {
  /**
   * The JSON of the answer. A call that the server has no room for is sent again after the time that it asks for.
   *
   * @throws PelorusError of the class that fits
   * @throws the reason of the signal
   */
  send(call: Call, options?: CallOptions, defaults?: CallDefaults): Promise<object>;
}

const DEFAULTS: CallDefaults = { timeoutMs: 60_000, retries: 4 };
const FIRST_WAIT_MS = 250;
const WAIT_MS_MAX = 15_000;
/** The longest wait that a server may ask for: a call that would have to wait longer fails. */
const RETRY_AFTER_MS_MAX = 60_000;
/** A page of a scan has 8 MiB and one document more. */
const ANSWER_BYTES_MAX = 128 * 1024 * 1024;
const RETRIES_MAX = 100;
/** The longest time that a timer takes. */
const TIMEOUT_MS_MAX = 2 ** 31 - 1;

/** Sends calls by `fetch`. */
export class Connection implements Sender {
  readonly #url: string;
  readonly #headers: Record<string, string>;
  readonly #timeoutMs: number | undefined;
  readonly #retries: number | undefined;
  readonly #fetch: Fetch;
  /** Tells whether the address has ever answered: one that has not is more likely wrong than down. */
  #isReached = false;

  /** @throws TypeError for an option that cannot be used */
  constructor({ url, apiKey, timeoutMs, retries, fetch }: PelorusOptions) {
    this.#url = addressOf(url);
    this.#headers = keyHeader(apiKey);
    this.#timeoutMs = timeoutMs === undefined ? undefined : within('timeoutMs', timeoutMs, 1, TIMEOUT_MS_MAX);
    this.#retries = retries === undefined ? undefined : within('retries', retries, 0, RETRIES_MAX);
    this.#fetch = fetch ?? ((address, init) => globalThis.fetch(address, init));
  }

  async send(call: Call, options: CallOptions = {}, defaults = DEFAULTS): Promise<object> {
    const { signal } = options;
    // Right behind the host it would be a part of that, and the key would go there.
    if (!call.path.startsWith('/')) throw new TypeError(`path is ${shown(call.path)}, but must begin with a slash`);
    const timeoutMs = options.timeoutMs ?? this.#timeoutMs ?? defaults.timeoutMs;
    within('timeoutMs', timeoutMs, 1, TIMEOUT_MS_MAX);
    const retries = within('retries', options.retries ?? this.#retries ?? defaults.retries, 0, RETRIES_MAX);
    for (let tries = 1; ; tries += 1) {
      signal?.throwIfAborted();
      const begun = await this.#once(call, timeoutMs, signal).then(
        (answer) => ({ answer }),
        (error: unknown) => ({ error, waitMs: this.#waitMs(error, call, tries) }),
      );
      if ('answer' in begun) return begun.answer;
      if (tries > retries || begun.waitMs === undefined) throw begun.error;
      await pause(begun.waitMs, signal);
    }
  }

  /** The time to wait before another try; undefined where none is made. */
  #waitMs(error: unknown, { isRepeatable }: Call, tries: number): number | undefined {
    if (!(error instanceof PelorusError)) return undefined;
    const { status, retryAfterMs } = error;
    // Without `Retry-After` a 503 may be of a proxy or process that lost its server while that carried out the call.
    const isAskedBack = (status === 503 || status === 507) && retryAfterMs !== undefined;
    const mayBeLost = (error instanceof ConnectionError && this.#isReached) || status === 502 || status === 503;
    if (status !== 429 && !isAskedBack && !(mayBeLost && isRepeatable)) return undefined;
    if (retryAfterMs !== undefined && retryAfterMs > RETRY_AFTER_MS_MAX) return undefined;
    const backoff = Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), WAIT_MS_MAX) * (0.5 + Math.random() / 2);
    return Math.max(retryAfterMs ?? 0, backoff);
  }

  async #once({ method, path, body }: Call, timeoutMs: number, signal?: AbortSignal): Promise<object> {
    const call = `${method} ${this.#url}${path}`;
    const gaveUp = new AbortController();
    const abort = () => gaveUp.abort(signal?.reason);
    signal?.addEventListener('abort', abort);
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      gaveUp.abort();
    }, timeoutMs);
    try {
      const response = await this.#fetch(`${this.#url}${path}`, {
        method,
        // The key would go to wherever it points.
        redirect: 'manual',
        signal: gaveUp.signal,
        headers: { ...this.#headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body }),
      });
      this.#isReached = true;
      return await answerOf(call, response);
    } catch (error) {
      if (isLate) {
        throw new TimeoutError(`${call} is not answered within ${timeoutMs} ms`, { code: 'timeout', cause: error });
      }
      signal?.throwIfAborted();
      if (error instanceof PelorusError) throw error;
      throw new ConnectionError(`${call} gets no answer: ${reasonOf(error)}`, {
        code: 'connection_failed',
        cause: error,
      });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      // Nobody waits for the rest of an answer.
      gaveUp.abort();
    }
  }
}

/** The JSON of an answer. @throws PelorusError where it is not of success, or is none */
async function answerOf(call: string, response: Response): Promise<object> {
  const { status, headers, type } = response;
  const requestId = headers.get('x-request-id') ?? undefined;
  const unexpected = (message: string, cause?: unknown) =>
    new UnexpectedAnswerError(`${call} ${message}`, { code: 'unexpected_answer', status, requestId, cause });
  if (type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    const place = headers.get('location');
    const to = place === null ? '' : ` to ${place.slice(0, 200)}`;
    throw unexpected(`answers with a redirect${to}, which is not followed`);
  }
  const text = await textOf(response);
  if (text === undefined) throw unexpected(`answers with more than ${ANSWER_BYTES_MAX} bytes, which are not read`);
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    // As for what is JSON and no object.
  }
  if (status < 300) {
    if (isObject(answer)) return answer;
    throw unexpected(`answers ${status} with what is no JSON object: ${shown(text)}`);
  }
  const retryAfterMs = delayOf(headers.get('retry-after'));
  throw errorOf({ call, status, answer, text, requestId, retryAfterMs });
}

/** The text of a body; undefined of one that is too large. */
async function textOf(response: Response): Promise<string | undefined> {
  const { body } = response;
  // None is to be had in pieces where there is none, or where a `fetch` of another make gives it whole.
  if (typeof body?.getReader !== 'function') return response.text();
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.length;
    if (bytes > ANSWER_BYTES_MAX) return undefined;
    text += decoder.decode(value, { stream: true });
  }
}

/** Milliseconds that `Retry-After` asks for, in seconds or as a date. */
function delayOf(header: string | null): number | undefined {
  if (header === null || header.trim() === '') return undefined;
  const delay = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(delay) ? undefined : Math.max(delay, 0);
}

/** Waits, unless the signal ends it. */
async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** The address of a server without a slash at its end. */
function addressOf(url: string | URL): string {
  let parsed: URL | undefined;
  try {
    parsed = new URL(url);
  } catch {
    // As for an address that is none of HTTP.
  }
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol) || parsed.username !== '' || parsed.password !== '') {
    // A password may have every character, and makes an address that cannot be read.
    const given = JSON.stringify(String(url).replace(/^(https?:\/\/)?.*@/s, '$1...@'));
    throw new TypeError(
      `url is ${given}, but must be an http or https address without a user, such as http://127.0.0.1:8882`,
    );
  }
  return `${parsed.origin}${parsed.pathname}`.replace(/\/+$/, '');
}

/** The header that shows a key; none for an empty one, as a variable without a value gives it. */
function keyHeader(apiKey = ''): Record<string, string> {
  if (apiKey === '') return {};
  // `fetch` would refuse it in words that show it.
  if (/^[\x21-\x7e]+$/.test(apiKey)) return { 'x-api-key': apiKey };
  throw new TypeError('apiKey must have visible ASCII characters alone, without spaces and line breaks');
}

/** A whole number within bounds. @throws TypeError */
export function within(name: string, value: number, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new TypeError(`${name} is ${String(value)}, but must be a whole number from ${least} to ${most}`);
}

/** `fetch` of Node hides the reason in its cause. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  const { code, message: inner } = (cause ?? {}) as { code?: string; message?: string };
  return inner || code || message || String(error);
}
