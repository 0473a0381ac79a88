import { setTimeout as sleep } from 'node:timers/promises';
import { TransferFailure } from './transfer-failure.js';

export interface Server {
  readonly url: string;
  readonly apiKey: string | undefined;
}

export interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

/** How often a request is sent before the server is given up. With the waits below that takes about two minutes. */
const TRIES_MAX = 12;
const FIRST_WAIT_MS = 250;
const WAIT_MS_MAX = 15_000;
/** What a server may ask to wait. */
const RETRY_AFTER_MS_MAX = 60_000;

export interface Waiting {
  wait(milliseconds: number): Promise<unknown>;
  /** Told of each wait. */
  say(line: string): void;
}

/** Calls of one server. What it has no room for at the moment, and what does not reach it, is sent again. */
export class Api {
  readonly #server: Server;
  readonly #waiting: Waiting;

  constructor(server: Server, waiting: Partial<Waiting> = {}) {
    this.#server = server;
    this.#waiting = { wait: sleep, say: () => {}, ...waiting };
  }

  get url(): string {
    return this.#server.url;
  }

  /**
   * The answer, once it is one that stays: refusals among them.
   * @throws TransferFailure when the server cannot be reached or keeps failing
   */
  async send(method: 'GET' | 'POST', path: string, body?: string): Promise<Answer> {
    let problem = '';
    for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
      let asked = 0;
      try {
        const response = await this.#fetch(method, path, body);
        const answer = { status: response.status, body: Buffer.from(await response.arrayBuffer()) };
        if (answer.status !== 429 && answer.status < 500) return answer;
        asked = Math.min(1000 * Number(response.headers.get('retry-after') ?? 0) || 0, RETRY_AFTER_MS_MAX);
        problem = messageOf(answer);
      } catch (error) {
        problem = reasonOf(error);
      }
      if (tries === TRIES_MAX) break;
      const wait = Math.max(asked, Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), WAIT_MS_MAX));
      if (tries > 2) this.#waiting.say(`${problem} (trying again in ${(wait / 1000).toFixed(1)} s)`);
      await this.#waiting.wait(wait * (0.75 + Math.random() / 4));
    }
    throw new TransferFailure(`${this.#server.url} does not serve ${method} ${path}: ${problem}`);
  }

  /**
   * The answer to a request that must succeed.
   * @throws TransferFailure with the server's own words
   */
  async call(method: 'GET' | 'POST', path: string, body?: string): Promise<Buffer> {
    const answer = await this.send(method, path, body);
    if (answer.status >= 300) throw new TransferFailure(messageOf(answer));
    return answer.body;
  }

  #fetch(method: string, path: string, body: string | undefined): Promise<Response> {
    const { url, apiKey } = this.#server;
    return fetch(new URL(path, url), {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(apiKey !== undefined && { 'x-api-key': apiKey }),
      },
      ...(body !== undefined && { body }),
    });
  }
}

/** What the server says is wrong. */
export function messageOf({ status, body }: Answer): string {
  const text = body.toString('utf8', 0, 10_000);
  try {
    const { message, detail } = JSON.parse(body.toString()) as { message?: unknown; detail?: unknown };
    return `${status}: ${typeof message === 'string' ? message : JSON.stringify(message ?? detail ?? text)}`;
  } catch {
    return `${status}: ${text}`;
  }
}

/** `fetch` hides in the cause what went wrong. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  const { code, message: inner } = (cause ?? {}) as { code?: string; message?: string };
  return [message, inner || code].filter(Boolean).join(': ');
}

export function indexPath(index: string): string {
  return `/indexes/${encodeURIComponent(index)}`;
}
