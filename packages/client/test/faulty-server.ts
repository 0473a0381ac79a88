import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly key: string | undefined;
  readonly body: any;
  /** Milliseconds of the process's clock. */
  readonly at: number;
}

/** An answer; undefined breaks the connection, and a promise keeps it waiting. */
export type Fault =
  | { readonly status?: number; readonly headers?: Record<string, string>; readonly body?: string | object }
  | undefined;

/** A server on the loopback interface that answers each request as a test says. */
export class FaultyServer {
  readonly requests: ReceivedRequest[] = [];
  readonly #server: Server;

  private constructor(answer: (request: ReceivedRequest, count: number) => Fault | Promise<Fault>) {
    this.#server = createServer((request, response) => void this.#answer(request, response, answer));
  }

  static async open(
    answer: (request: ReceivedRequest, count: number) => Fault | Promise<Fault>,
  ): Promise<FaultyServer> {
    const faulty = new FaultyServer(answer);
    faulty.#server.listen(0, '127.0.0.1');
    await once(faulty.#server, 'listening');
    return faulty;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
    answer: (request: ReceivedRequest, count: number) => Fault | Promise<Fault>,
  ): Promise<void> {
    const sent = await text(request);
    const key = request.headers['x-api-key'] as string | undefined;
    const received = { method: request.method ?? '', path: request.url ?? '', key, at: performance.now() };
    this.requests.push({ ...received, body: sent === '' ? undefined : JSON.parse(sent) });
    const fault = await answer(this.requests.at(-1) as ReceivedRequest, this.requests.length);
    if (fault === undefined) {
      request.socket.destroy();
      return;
    }
    const { status = 200, headers = {}, body = '' } = fault;
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
