import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/**
 * A load balancer as services have in front of their servers: each call goes to the next server, to another one where that
 * cannot be connected to, and is answered 502 where its connection breaks amid a call, which may have been done.
 */
export class LoadBalancer {
  readonly #server: Server;
  #turn = 0;

  private constructor(addresses: readonly string[]) {
    this.#server = createServer((asked, answer) => void this.#relay(addresses, asked, answer));
  }

  static async start(addresses: readonly string[]): Promise<LoadBalancer> {
    const balancer = new LoadBalancer(addresses);
    balancer.#server.listen(0, '127.0.0.1');
    await once(balancer.#server, 'listening');
    return balancer;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  end(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #relay(addresses: readonly string[], asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const body = await buffer(asked);
    const first = this.#turn;
    this.#turn += 1;
    for (let place = 0; place < addresses.length; place += 1) {
      const address = addresses[(first + place) % addresses.length] as string;
      try {
        const got = await answerOf(address, asked, body);
        answer.writeHead(got.status, got.headers).end(got.body);
        return;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') continue;
        break;
      }
    }
    answer.writeHead(502, { 'content-type': 'application/json' }).end('{"message": "the server is gone"}');
  }
}

async function answerOf(address: string, { method, url, headers }: IncomingMessage, body: Buffer) {
  const { host, ...others } = headers;
  const sent = request(new URL(url ?? '/', address), { method, headers: others, agent: false });
  sent.end(body);
  const [got] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: got.statusCode ?? 0, headers: got.headers, body: await buffer(got) };
}
