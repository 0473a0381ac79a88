import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type ApiResponse, Client, type ClientOptions, errors } from '@opensearch-project/opensearch';
import type { EngineOptions } from '@pelorus/engine';
import { type AwsOptions, signing } from './aws.js';
import { translated } from './errors.js';

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

/** Calls to a cluster, whose errors are ours. */
export class Connection {
  readonly #client: Client;
  #closed: Promise<void> | undefined;

  private constructor(client: Client) {
    this.#client = client;
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
    return new Connection(new Client(options));
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
    work: (
      client: Client,
      options: { readonly asStream: true },
    ) => Promise<{
      readonly body: unknown;
      readonly statusCode: number | null;
      readonly headers: unknown;
    }>,
  ): Promise<Buffer> {
    try {
      const answer = await work(this.#client, { asStream: true });
      const body = await buffer(answer.body as Readable);
      const { statusCode } = answer;
      if (statusCode !== null && statusCode < 400) return body;
      throw new errors.ResponseError({ ...answer, body: JSON.parse(body.toString()) } as ApiResponse);
    } catch (error) {
      throw translated(error);
    }
  }

  /** Ends calls that are under way. Can be called again. */
  close(): Promise<void> {
    this.#closed ??= this.#client.close();
    return this.#closed;
  }
}
