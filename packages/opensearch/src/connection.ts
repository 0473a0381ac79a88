import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type ApiResponse, Client, type ClientOptions, errors } from '@opensearch-project/opensearch';
import type { EngineOptions } from '@pelorus/engine';
import { type AwsOptions, signing } from './aws.js';
import { late, translated } from './errors.js';

/** The way to a cluster. */
export interface ClusterOptions {
  /** Addresses of nodes, `https://host:9200`: one is enough, several survive the loss of one. */
  readonly nodes: readonly string[];
  /** Basic authentication; none by default. */
  readonly auth?: { readonly username: string; readonly password: string };
  /** Signs requests as Amazon OpenSearch Service asks; none by default. */
  readonly aws?: AwsOptions;
  readonly tls?: {
    /** Certificates of authorities in PEM that vouch for nodes, besides those that Node.js trusts. */
    readonly ca?: string;
    /** Our own certificate and its key, in PEM. */
    readonly cert?: string;
    readonly key?: string;
  };
  /** Begins the names of all indexes: lower case letters and digits. Default `pelorus`. */
  readonly prefix?: string;
  /** Primary shards of an index that is created. Default 1. */
  readonly shards?: number;
  /** Copies of each shard besides the first. Default 1. */
  readonly replicas?: number;
  /** Bounds of an index, and the operators' names of them. */
  readonly limits?: EngineOptions;
  /** A call without a deadline of its own ends after so many milliseconds. Default 30,000. */
  readonly timeoutMs?: number;
}

/** The end of a call that somebody waits for. */
export interface CallEnd {
  /** Ends it when nobody waits any more. */
  readonly signal: AbortSignal;
  /** The time at which it ends by itself, on the clock of `performance.now()`. */
  readonly deadlineMs: number;
}

/** An answer whose body is not read yet. */
type Answering = Promise<{ readonly body: unknown; readonly statusCode: number | null; readonly headers: unknown }> & {
  abort?(): unknown;
};

/** Calls to a cluster, whose errors are ours. */
export class Connection {
  readonly #client: Client;
  /** A call without a deadline of its own ends after so many milliseconds. */
  readonly timeoutMs: number;
  #closed: Promise<void> | undefined;

  private constructor(client: Client, timeoutMs: number) {
    this.#client = client;
    this.timeoutMs = timeoutMs;
  }

  /** Makes a client of a cluster, which connects as it is used. */
  static async open({ nodes, auth, aws, tls, timeoutMs = 30_000 }: ClusterOptions): Promise<Connection> {
    if (nodes.length === 0) throw new TypeError('a cluster has at least one address');
    const options: ClientOptions = {
      nodes: [...nodes],
      requestTimeout: timeoutMs,
      // A write may have arrived though its answer did not; whoever sends one knows if it can be sent twice.
      maxRetries: 0,
      ...(auth === undefined ? {} : { auth: { ...auth } }),
      ...(tls === undefined ? {} : { ssl: { ...tls } }),
      ...(aws === undefined ? {} : await signing(aws)),
    };
    return new Connection(new Client(options), timeoutMs);
  }

  /**
   * Runs a call.
   * @throws EngineError
   */
  async call<Answer>(work: (client: Client) => Promise<{ readonly body: Answer }>): Promise<Answer> {
    try {
      return (await work(this.#client)).body;
    } catch (error) {
      throw translated(error);
    }
  }

  /** Runs a call whose answer is read elsewhere, and returns its bytes. Fails as {@link call} does. */
  async bytes(
    work: (client: Client, options: { readonly asStream: true }) => Answering,
    end?: CallEnd,
  ): Promise<Buffer> {
    let ending: Ending | undefined;
    try {
      if (end?.signal.aborted) throw new errors.RequestAbortedError('Request aborted');
      const request = work(this.#client, { asStream: true });
      let stream: Readable | undefined;
      const abort = () => {
        request.abort?.();
        stream?.destroy(new errors.RequestAbortedError('Request aborted'));
      };
      if (end !== undefined) ending = new Ending(end, abort);
      const answer = await request;
      stream = answer.body as Readable;
      const body = await buffer(stream);
      const { statusCode } = answer;
      if (statusCode !== null && statusCode < 400) return body;
      throw new errors.ResponseError({ ...answer, body: JSON.parse(body.toString()) } as ApiResponse);
    } catch (error) {
      throw ending?.isLate ? late(error) : translated(error);
    } finally {
      ending?.over();
    }
  }

  /** Ends calls that are under way. Can be called again. */
  close(): Promise<void> {
    this.#closed ??= this.#client.close();
    return this.#closed;
  }
}

/** Aborts a request at its end. The client's own limit is on the silence of a connection. */
class Ending {
  readonly #signal: AbortSignal;
  readonly #abort: () => void;
  readonly #timer: NodeJS.Timeout;
  isLate = false;

  constructor({ signal, deadlineMs }: CallEnd, abort: () => void) {
    this.#signal = signal;
    this.#abort = abort;
    signal.addEventListener('abort', abort);
    const atDeadline = () => {
      this.isLate = true;
      abort();
    };
    this.#timer = setTimeout(atDeadline, Math.max(deadlineMs - performance.now(), 0));
  }

  over(): void {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener('abort', this.#abort);
  }
}
