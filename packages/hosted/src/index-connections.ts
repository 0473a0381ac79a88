import { type Operation, targetOf } from '@pelorus/contract';
import { type Dispatcher, Pool } from 'undici';
import { GRANT_HEADER, writeGrant } from './grants.js';

const CONNECTIONS_MAX = 64;
/** Longest silence of a process that works on an answer: the first use of a model may download it. */
const SILENCE_MAX_MS = 600_000;

/** One operation, as the process of an index is asked for it. */
export interface OperationCall {
  readonly operation: Operation;
  readonly params: Readonly<Record<string, string>>;
  readonly query?: URLSearchParams;
  /** Who the gateway let in; empty for a call of its own. */
  readonly keyId?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Dispatcher.RequestOptions['body'];
}

/** The connections to the process of one index. They carry operations by name, each with the grant of the gateway. */
export class IndexConnections {
  readonly #pool: Pool;
  readonly #secret: string;

  /** @param socketPath where the process listens @param secret what it knows its gateway by */
  constructor(socketPath: string, secret: string) {
    this.#secret = secret;
    this.#pool = new Pool('http://index', {
      socketPath,
      connections: CONNECTIONS_MAX,
      headersTimeout: SILENCE_MAX_MS,
      bodyTimeout: SILENCE_MAX_MS,
    });
  }

  /** Calls an operation; what comes of it is told to `handler` as it comes. */
  dispatch(call: OperationCall, handler: Dispatcher.DispatchHandler): void {
    this.#pool.dispatch(this.#requestOf(call), handler);
  }

  /** Calls an operation. Its body must be read. */
  request(call: OperationCall, signal?: AbortSignal): Promise<Dispatcher.ResponseData> {
    return this.#pool.request({ ...this.#requestOf(call), ...(signal !== undefined && { signal }) });
  }

  /** Ends all connections, and with them the calls under way. */
  async destroy(): Promise<void> {
    await this.#pool.destroy();
  }

  #requestOf({ operation, params, query, keyId = '', headers, body = null }: OperationCall) {
    return {
      method: operation.method,
      path: targetOf(operation, params, query),
      headers: { ...headers, [GRANT_HEADER]: writeGrant(this.#secret, operation, keyId) },
      body,
    };
  }
}
