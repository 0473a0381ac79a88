import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiResponse, Client, type ClientOptions, errors } from '@opensearch-project/opensearch';
import type { EngineOptions } from '@pelorus/engine';
import { type AwsOptions, signing } from './aws.js';
import { isPassing, late, translated } from './errors.js';
import { GivenUpError, NodePool, withPatience } from './node-pool.js';

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

/**
 * The waits before a call is sent again whose node went away, in milliseconds: a cluster elects a manager and gives
 * shards to other nodes meanwhile. The first comes to another node at once.
 */
const WAITS_MS = [0, 100, 300, 600, 1_000];

/** Times that a call is given up after the loss of a node. The last try waits for as long as it takes. */
export const GIVE_UPS = 3;

/**
 * The wait of a read and of a write at a node that answers, after the loss of another one, in milliseconds. Another copy
 * answers a read at once; a write waits until the cluster has a new primary shard, and some that were under way never end.
 */
export const [READ_PATIENCE_MS, WRITE_PATIENCE_MS] = [750, 3_000];

/**
 * The way with a call that waits after the loss of a node: it is given up after so many milliseconds, and sent again, as
 * copies of a shard take turns; or its caller is told by a {@link GivenUpError}.
 */
export interface Patience {
  readonly ms: number;
  readonly isTold?: boolean;
}

/** The end of a call that somebody waits for. */
export interface CallEnd {
  /** Ends it when nobody waits any more. */
  readonly signal: AbortSignal;
  /** The time at which it ends by itself, on the clock of `performance.now()`. */
  readonly deadlineMs: number;
}

/** The options of a request whose answer is read elsewhere. */
export interface StreamOptions {
  readonly asStream: true;
  readonly headers?: Record<string, string>;
}

interface BytesOptions {
  readonly end?: CallEnd;
  readonly isTriedOnce?: boolean;
  /** The way with a call after the loss of a node; it waits by default. */
  readonly patience?: Patience;
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
      ConnectionPool: NodePool,
      // Calls are sent again here, with waits.
      maxRetries: 0,
      ...(auth === undefined ? {} : { auth: { ...auth } }),
      ...(tls === undefined ? {} : { ssl: { ...tls } }),
      ...(aws === undefined ? {} : await signing(aws)),
    };
    return new Connection(new Client(options), timeoutMs);
  }

  /**
   * Runs a call. It is sent again where its node went away, though it may have arrived: `work` is one that can be sent
   * twice. `options.isTriedOnce` leaves that to the caller.
   * @throws EngineError
   */
  async call<Answer>(
    work: (client: Client) => Promise<{ readonly body: Answer }>,
    { isTriedOnce = false }: { readonly isTriedOnce?: boolean } = {},
  ): Promise<Answer> {
    try {
      const send = async () => (await work(this.#client)).body;
      return await (isTriedOnce ? send() : this.#untilThere(send));
    } catch (error) {
      throw translated(error);
    }
  }

  /** Runs a call whose answer is read elsewhere, and returns its bytes. Is sent again, and fails, as {@link call} does. */
  async bytes(
    work: (client: Client, options: StreamOptions) => Answering,
    { end, isTriedOnce = false, patience }: BytesOptions = {},
  ): Promise<Buffer> {
    let ending: Ending | undefined;
    try {
      if (end !== undefined) ending = new Ending(end);
      const send = (givenUp: number) => this.#bytesOnce(work, ending, givenUp < GIVE_UPS ? patience : undefined);
      return await (isTriedOnce ? send(0) : this.#untilThere(send, { ending, patience }));
    } catch (error) {
      throw ending?.isLate ? late(error) : translated(error);
    } finally {
      ending?.over();
    }
  }

  /**
   * Runs a call whose answer `take` reads. It is sent again, as {@link call} does, where the answer cannot be had as a whole:
   * `take` rejects with `service_unavailable` then.
   */
  async taken<Taken>(
    work: (client: Client, options: StreamOptions) => Answering,
    take: (answer: Buffer) => Promise<Taken>,
    { patience }: { readonly patience?: Patience } = {},
  ): Promise<Taken> {
    try {
      return await this.#untilThere(async (givenUp) => {
        return take(await this.#bytesOnce(work, undefined, givenUp < GIVE_UPS ? patience : undefined));
      });
    } catch (error) {
      throw translated(error);
    }
  }

  async #bytesOnce(
    work: (client: Client, options: StreamOptions) => Answering,
    ending: Ending | undefined,
    patience: Patience | undefined,
  ): Promise<Buffer> {
    if (ending?.isOver) throw aborted();
    const request = work(this.#client, { asStream: true, ...(patience && { headers: withPatience(patience.ms) }) });
    let stream: Readable | undefined;
    if (ending !== undefined)
      ending.abort = () => {
        request.abort?.();
        stream?.destroy(aborted());
      };
    const answer = await request;
    stream = answer.body as Readable;
    const body = await buffer(stream).catch((error: unknown) => {
      throw error instanceof errors.OpenSearchClientError ? error : new errors.ConnectionError(String(error));
    });
    const { statusCode } = answer;
    if (statusCode !== null && statusCode < 400) return body;
    throw new errors.ResponseError({ ...answer, body: readError(body) } as ApiResponse);
  }

  /** Sends until a node answers, or waiting has not helped. `send` gets the number of times that it was given up. */
  async #untilThere<Answer>(
    send: (givenUp: number) => Promise<Answer>,
    { ending, patience }: { readonly ending?: Ending | undefined; readonly patience?: Patience | undefined } = {},
  ): Promise<Answer> {
    let givenUp = 0;
    for (const waitMs of WAITS_MS) {
      try {
        return await send(givenUp);
      } catch (error) {
        if (!isPassing(error) || ending?.isOver || this.#closed !== undefined) throw error;
        if (error instanceof GivenUpError) {
          if (patience?.isTold) throw error;
          givenUp += 1;
          continue;
        }
      }
      if (waitMs > 0) await sleep(waitMs, undefined, ending && { signal: ending.signal }).catch(() => undefined);
    }
    return send(givenUp);
  }

  /** Ends calls that are under way. Can be called again. */
  close(): Promise<void> {
    this.#closed ??= this.#client.close();
    return this.#closed;
  }
}

const aborted = () => new errors.RequestAbortedError('Request aborted');

/** The body of a refusal; text where it is no JSON, as that of a proxy. */
function readError(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return body.toString();
  }
}

/** Aborts a request at its end. The client's own limit is on the silence of a connection. */
class Ending {
  readonly #end: AbortController = new AbortController();
  readonly #gone: AbortSignal;
  readonly #leave = () => this.#over();
  readonly #timer: NodeJS.Timeout;
  isLate = false;
  /** Ends the request that is under way. */
  abort: () => void = () => undefined;

  constructor({ signal, deadlineMs }: CallEnd) {
    this.#gone = signal;
    const atDeadline = () => {
      this.isLate = true;
      this.#over();
    };
    this.#timer = setTimeout(atDeadline, Math.max(deadlineMs - performance.now(), 0));
    if (signal.aborted) this.#over();
    else signal.addEventListener('abort', this.#leave);
  }

  /** Is aborted at the end. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  get isOver(): boolean {
    return this.#end.signal.aborted;
  }

  /** Forgets the call, which has its answer. */
  over(): void {
    clearTimeout(this.#timer);
    this.#gone.removeEventListener('abort', this.#leave);
  }

  #over(): void {
    this.#end.abort();
    this.abort();
  }
}
