import { type Operation, PelorusError, targetOf } from '@pelorus/contract';
import { type Dispatcher, Pool } from 'undici';
import { ByteExchanges, type Exchange, type ExchangeHandler } from './byte-exchanges.js';
import { GRANT_HEADER, writeGrant } from './grants.js';
import type { IndexAnswer } from './hosted-indexes.js';

/** Calls of one index under way at once, each on a connection of its own. */
const CALLS_MAX = 1_024;
/** Those of one key, or of the gateway itself for the pages of a shop: the rest is for others. */
const CALLS_OF_KEY_MAX = 768;
/** Longest silence of a process that works on an answer: the first use of a model may download it. */
const SILENCE_MAX_MS = 600_000;

/** One operation, as the process of an index is asked for it. */
export interface OperationCall {
  readonly operation: Operation;
  readonly params: Readonly<Record<string, string>>;
  readonly query?: URLSearchParams;
  /** The key that the gateway let in; empty for a call of its own. */
  readonly keyId?: string;
  /** The filter that it is bound to; none when absent. */
  readonly filter?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** All of it: a connection is not kept while a client has yet to send the rest. */
  readonly body?: Buffer | string;
}

/** The common part of requests that call one operation in the same way. */
export interface RequestStart {
  readonly keyId: string;
  /** The first line, and lines of headers. */
  readonly text: string;
}

/** Receives the answer to a call, as it comes. */
export type CallHandler = Required<
  Pick<
    Dispatcher.DispatchHandler,
    'onRequestStart' | 'onResponseStart' | 'onResponseData' | 'onResponseEnd' | 'onResponseError'
  >
>;

/** The connections to one event loop of the process. */
class LoopConnections {
  readonly pool: Pool;
  readonly exchanges: ByteExchanges;
  /** Calls under way. */
  calls = 0;

  constructor(socketPath: string) {
    this.exchanges = new ByteExchanges(socketPath);
    this.pool = new Pool('http://index', {
      socketPath,
      connections: CALLS_MAX,
      headersTimeout: SILENCE_MAX_MS,
      bodyTimeout: SILENCE_MAX_MS,
    });
  }
}

/** A place among the calls under way. */
interface CallPlace {
  readonly loop: LoopConnections;
  /** Gives it back, once. */
  leave(): void;
}

/**
 * The connections to the process of one index. They carry operations by name, each with the grant of the gateway, and each
 * to the event loop that has the fewest calls under way.
 */
export class IndexConnections {
  readonly #loops: readonly LoopConnections[];
  readonly #secret: string;
  #calls = 0;
  /** Calls under way by key; none that has none. */
  readonly #callsOf = new Map<string, number>();

  /** @param socketPaths where each event loop of the process listens @param secret what it knows its gateway by */
  constructor(socketPaths: readonly string[], secret: string) {
    this.#secret = secret;
    this.#loops = socketPaths.map((path) => new LoopConnections(path));
  }

  /**
   * Calls an operation.
   * @throws PelorusError `too_many_requests` where too many calls are under way, in all or with this key
   */
  dispatch(call: OperationCall, handler: CallHandler): void {
    const { operation, params, query, keyId = '', filter = null, headers, body } = call;
    const request = {
      method: operation.method,
      path: targetOf(operation, params, query),
      headers: { ...headers, [GRANT_HEADER]: writeGrant(this.#secret, operation, { keyId, filter }) },
      body: body === undefined || body.length === 0 ? null : body,
    };
    const { loop, leave } = this.#enter(keyId);
    loop.pool.dispatch(request, {
      onRequestStart: (...told) => handler.onRequestStart(...told),
      onResponseStart: (...told) => handler.onResponseStart(...told),
      onResponseData: (...told) => handler.onResponseData(...told),
      onResponseEnd: (...told) => {
        leave();
        handler.onResponseEnd(...told);
      },
      onResponseError: (...told) => {
        leave();
        handler.onResponseError(...told);
      },
    });
  }

  /**
   * The start of requests that call an operation: all of them but their body and the headers that differ from one to the
   * next.
   */
  startOf(call: Omit<OperationCall, 'body'>): RequestStart {
    const { operation, params, query, keyId = '', filter = null, headers = {} } = call;
    const grant = { [GRANT_HEADER]: writeGrant(this.#secret, operation, { keyId, filter }) };
    const line = `${operation.method} ${targetOf(operation, params, query)} HTTP/1.1\r\nhost: index\r\n`;
    return { keyId, text: line + headerLines({ ...grant, ...headers }) };
  }

  /**
   * Sends a whole request, whose answer must tell its length, and hands over the bytes of that as they come, head and all.
   * @throws PelorusError as {@link dispatch}
   */
  exchange(
    { text, keyId }: RequestStart,
    headers: Readonly<Record<string, string>>,
    body: Buffer,
    handler: ExchangeHandler,
  ): Exchange {
    const length = body.length === 0 ? '' : `content-length: ${body.length}\r\n`;
    const head = `${text}${headerLines(headers)}${length}\r\n`;
    // One piece of memory: each more is a call of the system or a copy.
    const request = Buffer.allocUnsafe(head.length + body.length);
    request.write(head, 'latin1');
    body.copy(request, head.length);
    const { loop, leave } = this.#enter(keyId);
    const exchange = loop.exchanges.exchange(request, {
      onHead: (status, bodyBytes) => handler.onHead(status, bodyBytes),
      onBytes: (bytes) => handler.onBytes(bytes),
      onEnd: () => {
        leave();
        handler.onEnd();
      },
      onError: (error) => {
        leave();
        handler.onError(error);
      },
    });
    return {
      resume: () => exchange.resume(),
      abort: () => {
        leave();
        exchange.abort();
      },
    };
  }

  /**
   * Calls an operation and reads its whole answer.
   * @throws PelorusError as {@link dispatch}; Error where the process ends before it answers; the reason of `signal`
   */
  request(call: OperationCall, signal?: AbortSignal): Promise<IndexAnswer> {
    return new Promise((resolve, reject) => {
      let answer: Pick<IndexAnswer, 'status' | 'headers'> = { status: 0, headers: {} };
      const pieces: Buffer[] = [];
      let abort: (() => void) | undefined;
      const done = () => abort !== undefined && signal?.removeEventListener('abort', abort);
      this.dispatch(call, {
        onRequestStart: (controller) => {
          abort = () => controller.abort(signal?.reason as Error);
          signal?.addEventListener('abort', abort);
          if (signal?.aborted) abort();
        },
        onResponseStart: (_, status, headers) => {
          answer = { status, headers };
        },
        onResponseData: (_, piece) => void pieces.push(piece),
        onResponseEnd: () => {
          done();
          resolve({ ...answer, body: Buffer.concat(pieces) });
        },
        onResponseError: (_, error) => {
          done();
          reject(error);
        },
      });
    });
  }

  /** Ends all connections, and with them the calls under way. */
  async destroy(): Promise<void> {
    for (const { exchanges } of this.#loops) exchanges.destroy();
    await Promise.all(this.#loops.map(({ pool }) => pool.destroy()));
  }

  /** Takes a place for a call. */
  #enter(keyId: string): CallPlace {
    const ofKey = this.#callsOf.get(keyId) ?? 0;
    if (this.#calls >= CALLS_MAX) throw tooMany(this.#calls, 'of this index', CALLS_MAX);
    if (keyId !== '' && ofKey >= CALLS_OF_KEY_MAX)
      throw tooMany(ofKey, 'of this index with this key', CALLS_OF_KEY_MAX);
    const loop = this.#idlest();
    this.#calls += 1;
    loop.calls += 1;
    this.#callsOf.set(keyId, ofKey + 1);
    let isUnderWay = true;
    const leave = () => {
      if (!isUnderWay) return;
      isUnderWay = false;
      this.#calls -= 1;
      loop.calls -= 1;
      const left = (this.#callsOf.get(keyId) ?? 0) - 1;
      if (left > 0) this.#callsOf.set(keyId, left);
      else this.#callsOf.delete(keyId);
    };
    return { loop, leave };
  }

  /** The first of those with the fewest calls under way: one call after the other finds the same, and its memory warm. */
  #idlest(): LoopConnections {
    return this.#loops.reduce((best, loop) => (loop.calls < best.calls ? loop : best));
  }
}

/** Characters that a header's value cannot have: one that had a line break would be two headers. */
const NOT_OF_A_VALUE = /[^\t\x20-\x7e]/;

function headerLines(headers: Readonly<Record<string, string>>): string {
  let lines = '';
  for (const name in headers) {
    const value = headers[name] as string;
    if (NOT_OF_A_VALUE.test(value)) throw new TypeError(`the header ${name} has a character that none can have`);
    lines += `${name}: ${value}\r\n`;
  }
  return lines;
}

function tooMany(count: number, of: string, limit: number): PelorusError {
  return new PelorusError(
    'too_many_requests',
    `${count} calls ${of} are under way, and the limit is ${limit}. Try your request again later.`,
    { headers: { 'retry-after': '1' } },
  );
}
