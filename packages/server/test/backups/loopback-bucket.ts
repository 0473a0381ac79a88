import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** As many objects as one answer lists. */
const PAGE = 2;

/** A bucket that speaks as much of S3 as backups use, in pages of two objects. */
export class LoopbackBucket {
  readonly objects = new Map<string, Buffer>();
  /** Answers that are given in place of the next ones. */
  readonly failures: { readonly status: number; readonly body: string }[] = [];
  readonly requests: string[] = [];
  readonly name: string;
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  constructor(name: string) {
    this.name = name;
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const url = new URL(request.url ?? '/', 'http://bucket');
    this.requests.push(`${request.method} ${url.pathname}`);
    const failure = this.failures.shift();
    if (failure !== undefined) return void response.writeHead(failure.status).end(failure.body);
    if (!/^AWS4-HMAC-SHA256 Credential=test-id\/\d{8}\/eu-west-1\/s3\//.test(request.headers.authorization ?? '')) {
      return void response
        .writeHead(403)
        .end('<Error><Code>AccessDenied</Code><Message>Access &amp; all</Message></Error>');
    }
    const [, bucket, key = ''] = /^\/([^/]+)\/?(.*)$/.exec(decodeURIComponent(url.pathname)) ?? [];
    if (bucket !== this.name) return void response.writeHead(404).end('<Error><Code>NoSuchBucket</Code></Error>');
    if (request.method === 'PUT') this.objects.set(key, Buffer.concat(parts));
    if (request.method === 'DELETE') this.objects.delete(key);
    if (request.method !== 'GET') return void response.writeHead(request.method === 'PUT' ? 200 : 204).end();
    if (key === '') return void response.end(this.#list(url.searchParams));
    const found = this.objects.get(key);
    if (found === undefined) response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
    else response.end(found);
  }

  #list(query: URLSearchParams): string {
    const names = [...this.objects.keys()].filter((name) => name.startsWith(query.get('prefix') ?? '')).sort();
    const start = Number(query.get('continuation-token') ?? 0);
    const listed = names.slice(start, start + PAGE).map((name) => {
      return `<Contents><Key>${name}</Key><Size>${this.objects.get(name)?.length}</Size></Contents>`;
    });
    const isLast = start + PAGE >= names.length;
    const next = isLast ? '' : `<NextContinuationToken>${start + PAGE}</NextContinuationToken>`;
    return `<ListBucketResult>${listed.join('')}<IsTruncated>${!isLast}</IsTruncated>${next}</ListBucketResult>`;
  }
}
