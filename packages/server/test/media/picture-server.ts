import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server of files on the loopback interface that counts what it is asked for. */
export class PictureServer {
  readonly #server: Server;
  #fetches = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** @param files by path; a listener answers by itself, and there is nothing at other paths */
  static async open(files: Readonly<Record<string, Uint8Array | RequestListener>>): Promise<PictureServer> {
    const server = createServer();
    const opened = new PictureServer(server);
    server.on('request', (request, response) => {
      opened.#fetches += 1;
      const file = files[(request.url ?? '').replace(/\?.*$/, '')];
      if (file === undefined) response.writeHead(404).end('no such file');
      else if (typeof file === 'function') file(request, response);
      else response.end(file);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return opened;
  }

  /** The URL of a path; other texts stay as they are. */
  readonly at = (path: string) =>
    path.startsWith('/') ? `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}` : path;

  /** Returns the number of fetches since the last call. */
  takeFetches(): number {
    const fetches = this.#fetches;
    this.#fetches = 0;
    return fetches;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
