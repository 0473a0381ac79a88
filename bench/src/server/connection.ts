import { Agent, request } from 'node:http';

/** One connection that is kept, with one request under way at most. */
export class Connection {
  readonly #address: string;
  readonly #key: { 'x-api-key'?: string };
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  /** @param apiKey that every request carries */
  constructor(address: string, apiKey?: string) {
    this.#address = address;
    this.#key = apiKey === undefined ? {} : { 'x-api-key': apiKey };
  }

  post(path: string, body: string): Promise<string> {
    return this.send('POST', path, body);
  }

  /** Sends JSON, or no body, and gives the body of the answer; fails unless it is a success. */
  send(method: string, path: string, body = ''): Promise<string> {
    return new Promise((resolve, reject) => {
      const json = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const headers = { ...this.#key, ...(body !== '' && json) };
      const sent = request(`${this.#address}${path}`, { method, headers, agent: this.#agent }, (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('error', reject);
        answer.on('end', () => {
          const text = Buffer.concat(parts).toString();
          if (answer.statusCode === 200) resolve(text);
          else reject(new Error(`${method} ${path} answered ${answer.statusCode}: ${text.slice(0, 500)}`));
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
