import { PelorusError } from '@pelorus/contract';
import { AwsClient } from 'aws4fetch';
import { type BucketService, type Destination, destinationFailed, type StoredObject } from './destination.js';

// Loads the signer of requests, and where the environment has no credentials the finder of Amazon's: imported where a bucket
// is named, and only there.

/** Attempts at a request after the first; they wait longer each time, up to some seconds. */
const RETRIES = 6;
/** Time that one request may take. */
const REQUEST_MS = 120_000;
/** A credential is looked for anew when it has so little time left. */
const RENEWED_BEFORE_MS = 5 * 60_000;

interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  readonly expiration?: Date | undefined;
}

interface Answer {
  readonly status: number;
  readonly bytes: Buffer;
}

const isGood = (status: number): boolean => status >= 200 && status < 300;

/** Objects below a prefix of a bucket of S3-compatible storage. */
export class BucketDestination implements Destination {
  readonly text: string;
  readonly #address: string;
  readonly #bucket: string;
  readonly #prefix: string;
  readonly #region: string;
  readonly #find: () => Promise<Credentials>;
  #client: { readonly signer: AwsClient; readonly untilMs: number } | null = null;

  private constructor(text: string, { endpoint, region }: BucketService, find: () => Promise<Credentials>) {
    const [, bucket = '', path = ''] = /^s3:\/\/([^/]+)\/?(.*)$/.exec(text) ?? [];
    if (!/^[a-z0-9][a-z0-9.-]{1,62}$/.test(bucket) || !/^[\w./-]*$/.test(path)) {
      throw new PelorusError(
        'server_configuration_error',
        `The bucket of backups is named as in s3://bucket/prefix, by letters, digits, dots, slashes, underscores and hyphens, received ${JSON.stringify(text.slice(0, 100))}`,
      );
    }
    this.text = text;
    this.#address = (endpoint || `https://s3.${region}.amazonaws.com`).replace(/\/+$/, '');
    this.#bucket = bucket;
    this.#prefix = path === '' || path.endsWith('/') ? path : `${path}/`;
    this.#region = region;
    this.#find = find;
  }

  /** The credentials are those that tools of Amazon find: in the environment, in files, of the machine. */
  static async open(text: string, service: BucketService): Promise<BucketDestination> {
    return new BucketDestination(text, service, async () => {
      const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = process.env;
      const sessionToken = process.env.AWS_SESSION_TOKEN;
      if (accessKeyId && secretAccessKey) return { accessKeyId, secretAccessKey, sessionToken };
      const { defaultProvider } = await import('@aws-sdk/credential-provider-node');
      return await defaultProvider()();
    });
  }

  async *list(prefix: string): AsyncGenerator<StoredObject> {
    let token = '';
    do {
      const query = new URLSearchParams({ 'list-type': '2', prefix: `${this.#prefix}${prefix}` });
      if (token !== '') query.set('continuation-token', token);
      const { status, bytes } = await this.#ask('GET', `?${query}`, `listing ${prefix}`);
      const page = bytes.toString();
      if (!isGood(status)) throw this.#refused(`listing ${prefix}`, status, page);
      for (const [, entry = ''] of page.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
        const key = memberOf(entry, 'Key');
        const name = key?.startsWith(this.#prefix) ? key.slice(this.#prefix.length) : undefined;
        // The names that backups have need no decoding; others are none of theirs.
        if (name !== undefined) yield { name, bytes: Number(memberOf(entry, 'Size')) };
      }
      token = unescaped(memberOf(page, 'NextContinuationToken') ?? '');
    } while (token !== '');
  }

  async read(name: string): Promise<Buffer | null> {
    const { status, bytes } = await this.#ask('GET', this.#pathOf(name), `reading ${name}`);
    if (isGood(status)) return bytes;
    const told = bytes.toString();
    if (status === 404 && !told.includes('NoSuchBucket')) return null;
    throw this.#refused(`reading ${name}`, status, told);
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    const { status, bytes: told } = await this.#ask('PUT', this.#pathOf(name), `writing ${name}`, bytes);
    if (!isGood(status)) throw this.#refused(`writing ${name}`, status, told.toString());
  }

  async remove(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const { status, bytes } = await this.#ask('DELETE', this.#pathOf(name), `removing ${name}`);
      if (!isGood(status) && status !== 404) throw this.#refused(`removing ${name}`, status, bytes.toString());
    }
  }

  #pathOf(name: string): string {
    return `/${this.#prefix}${name}`;
  }

  /** Sends a request, again while the service is busy or away, and reads the answer to its end. */
  async #ask(method: string, path: string, action: string, body?: Uint8Array): Promise<Answer> {
    try {
      const signer = await this.#signer();
      const answer = await signer.fetch(`${this.#address}/${this.#bucket}${path}`, {
        method,
        // A part of a larger buffer would be signed and sent as the whole of it.
        ...(body !== undefined && { body: Uint8Array.from(body) }),
        signal: AbortSignal.timeout(REQUEST_MS),
      });
      return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
    } catch (error) {
      const { cause } = error as Error;
      throw destinationFailed(this.text, action, cause instanceof Error ? cause : error);
    }
  }

  async #signer(): Promise<AwsClient> {
    if (this.#client !== null && this.#client.untilMs > Date.now()) return this.#client.signer;
    const { accessKeyId, secretAccessKey, sessionToken, expiration } = await this.#find();
    const untilMs = (expiration?.getTime() ?? Number.POSITIVE_INFINITY) - RENEWED_BEFORE_MS;
    const signer = new AwsClient({
      accessKeyId,
      secretAccessKey,
      ...(sessionToken && { sessionToken }),
      service: 's3',
      region: this.#region,
      retries: RETRIES,
    });
    this.#client = { signer, untilMs };
    return signer;
  }

  #refused(action: string, status: number, told: string): PelorusError {
    const reason = memberOf(told, 'Message') ?? memberOf(told, 'Code') ?? told.slice(0, 200);
    return destinationFailed(this.text, action, new Error(`the service answers ${status}: ${unescaped(reason)}`));
  }
}

function memberOf(xml: string, name: string): string | undefined {
  return new RegExp(`<${name}>(.*?)</${name}>`, 's').exec(xml)?.[1];
}

function unescaped(text: string): string {
  const characters: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
  return text.replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => characters[name] ?? '');
}
