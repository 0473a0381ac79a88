import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { withAdminKey } from './server-process.js';

export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: any;
}

/** A client with one connection, which it keeps: all its calls of an endpoint but the first are relayed. */
export class KeptClient {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #address: string;
  readonly #key: string;
  readonly #headers: Readonly<Record<string, string>>;
  /** The connections that it needed. */
  readonly ports = new Set<number>();

  /** @param headers of every call, beside its own */
  constructor(
    address: string,
    key: string = withAdminKey.PELORUS_ADMIN_KEY,
    headers: Readonly<Record<string, string>> = {},
  ) {
    this.#address = address;
    this.#key = key;
    this.#headers = headers;
  }

  /** @throws Error where the connection ends before an answer */
  call(method: string, path: string, body?: object): Promise<KeptAnswer> {
    const bytes = body === undefined ? '' : JSON.stringify(body);
    const headers = {
      ...this.#headers,
      ...{ 'x-api-key': this.#key, 'content-type': 'application/json' },
      ...(bytes !== '' && { 'content-length': Buffer.byteLength(bytes) }),
    };
    return new Promise((resolve, reject) => {
      const sent = request(`${this.#address}${path}`, { method, headers, agent: this.#agent }, async (response) => {
        this.ports.add(response.socket.localPort ?? 0);
        const { statusCode: status = 0, headers: told } = response;
        text(response).then((json) => resolve({ status, headers: told, body: JSON.parse(json) }), reject);
      });
      sent.on('error', reject);
      sent.end(bytes);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
