import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

export interface HubFile {
  readonly bytes: Buffer;
  /** Announce this hash instead of the right one. */
  readonly announcedHash?: string;
  /** Send the reader on to another path first. */
  readonly redirect?: boolean;
  /** Break the connection after so many bytes, this often, and once the reader has some of them if `whenRead` tells. */
  cuts?: { readonly afterBytes: number; times: number; readonly whenRead?: () => Promise<void> };
}

/** A hub on the loopback interface that serves files by path and can misbehave. */
export class LoopbackHub {
  readonly files = new Map<string, HubFile>();
  /** Token that every request has to bear; none by default. */
  token: string | null = null;
  /** The time it takes to answer, in milliseconds. */
  delayMs = 0;
  /** Path and headers of every request. */
  readonly requests: { path: string; headers: IncomingMessage['headers'] }[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer(async (request, response) => {
      if (this.delayMs > 0) await setTimeout(this.delayMs);
      this.#answer(request, response);
    });
  }

  static async start(): Promise<LoopbackHub> {
    const hub = new LoopbackHub();
    await new Promise<void>((resolve) => hub.#server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      hub.#server.closeAllConnections();
      hub.#server.close();
    });
    return hub;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Puts a file where a hub keeps it. */
  put(repo: string, file: string, bytes: Uint8Array | string, behaviour: Omit<HubFile, 'bytes'> = {}): void {
    this.files.set(`/${repo}/resolve/main/${file}`, { bytes: Buffer.from(bytes), ...behaviour });
  }

  paths(): string[] {
    return this.requests.map(({ path }) => path);
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '';
    this.requests.push({ path, headers: request.headers });
    if (this.token !== null && request.headers.authorization !== `Bearer ${this.token}`) {
      response.writeHead(401).end('no token');
      return;
    }
    const stored = path.startsWith('/stored') ? path.slice('/stored'.length) : null;
    const file = this.files.get(stored ?? path);
    if (file === undefined) {
      response.writeHead(404).end('no such file');
      return;
    }
    const hash = createHash('sha256').update(file.bytes).digest('hex');
    const announced = { 'x-linked-etag': `"${file.announcedHash ?? hash}"` };
    if (file.redirect === true && stored === null) {
      response.writeHead(302, { location: `/stored${path}`, ...announced }).end();
      return;
    }
    this.#send(request, response, file, { etag: `"${hash.slice(0, 16)}"`, ...announced });
  }

  #send(request: IncomingMessage, response: ServerResponse, file: HubFile, headers: Record<string, string>): void {
    const asked = /^bytes=(\d+)-$/.exec(request.headers.range ?? '');
    const isSame = request.headers['if-range'] === headers.etag;
    const start = asked !== null && isSame ? Number(asked[1]) : 0;
    const total = file.bytes.length;
    const body = file.bytes.subarray(start);
    const range = start > 0 ? { 'content-range': `bytes ${start}-${total - 1}/${total}` } : {};
    response.writeHead(start > 0 ? 206 : 200, { ...headers, ...range, 'content-length': body.length });
    const { cuts } = file;
    if (cuts !== undefined && cuts.times > 0) {
      cuts.times--;
      void trickle(response, body.subarray(0, cuts.afterBytes), cuts.whenRead?.());
      return;
    }
    response.end(body);
  }
}

/** The moments at which a reader tells that bytes arrived, for {@link HubFile.cuts}. */
export class Arrivals {
  #waiting: (() => void)[] = [];

  /** Tells of bytes. */
  readonly note = (): void => {
    for (const resolve of this.#waiting.splice(0)) resolve();
  };

  /** Resolves with the next bytes. */
  readonly next = (): Promise<void> => new Promise((resolve) => this.#waiting.push(resolve));
}

/** Sends bytes in slices, so that most of them are read before the connection breaks. */
async function trickle(response: ServerResponse, bytes: Buffer, areRead?: Promise<void>): Promise<void> {
  const sliceBytes = Math.max(1, Math.ceil(bytes.length / 8));
  for (let at = 0; at < bytes.length; at += sliceBytes) {
    response.write(bytes.subarray(at, at + sliceBytes));
    await setTimeout(5);
  }
  // A reader that finds the bytes and the end of the connection at once may drop the bytes.
  await areRead;
  response.destroy();
}
