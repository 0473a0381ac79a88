import { setTimeout as sleep } from 'node:timers/promises';
import {
  ANSWER_BOUNDS,
  type Answer,
  type AnswerBounds,
  type AnswerLines,
  callServer,
  jsonObject,
  linesOfServer,
  NoAnswer,
  type Server,
  Silence,
  unreachable,
} from '../server-call.js';
import { TransferFailure } from './transfer-failure.js';

/**
 * Number of times that a request is sent before the server is given up. With the waits below that takes about two
 * minutes.
 */
const TRIES_MAX = 12;
/** The same of one that says nothing: each of these tries lasts minutes. */
const SILENCES_MAX = 2;
/** The part of the time for an answer after which the user is told that it is waited for. */
const TOLD_PART = 0.2;
const FIRST_WAIT_MS = 250;
const WAIT_MS_MAX = 15_000;
/** The longest wait that a server may ask for. */
const RETRY_AFTER_MS_MAX = 60_000;

export interface Waiting {
  wait(milliseconds: number): Promise<unknown>;
  /** Told of each wait, and once of a long one for an answer. */
  say(line: string): void;
}

/**
 * Calls of one server. Requests that it has no room for at the moment, or that do not reach it any more, are sent
 * again.
 */
export class Api {
  readonly #server: Server;
  readonly #waiting: Waiting;
  readonly #bounds: AnswerBounds;
  #isReached = false;
  /** Tells whether the user knows that an answer is waited for. */
  #isTold = false;

  constructor(server: Server, waiting: Partial<Waiting> = {}, bounds = ANSWER_BOUNDS) {
    this.#server = server;
    this.#waiting = { wait: sleep, say: () => {}, ...waiting };
    this.#bounds = bounds;
  }

  get url(): string {
    return this.#server.url;
  }

  /**
   * The answer, once it is one that stays: refusals among them.
   * @throws StartFailure when the server cannot be reached or keeps failing
   */
  send(method: 'GET' | 'POST' | 'PUT', path: string, body?: string): Promise<Answer> {
    return this.#again(`${method} ${path}`, () => callServer(this.#server, method, path, body, this.#bounds));
  }

  /**
   * As `send`, for an answer of lines; it is whole where it is no success. Lines that do not come are not asked for again.
   */
  lines(path: string): Promise<Answer | AnswerLines> {
    return this.#again(`GET ${path}`, () => linesOfServer(this.#server, path, this.#bounds));
  }

  async #again<Answered extends Answer | AnswerLines>(what: string, ask: () => Promise<Answered>): Promise<Answered> {
    let [problem, silences] = ['', 0];
    for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
      let asked = 0;
      try {
        const answer = await this.#told(ask);
        this.#isReached = true;
        if ('lines' in answer || (answer.status !== 429 && answer.status < 500)) return answer;
        asked = Math.min(1000 * Number(answer.retryAfter ?? 0) || 0, RETRY_AFTER_MS_MAX);
        problem = messageOf(answer);
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        // An address where nothing ever answered is more likely wrong than down.
        if (!this.#isReached) throw unreachable(this.#server.url, error);
        problem = error.message;
        if (error instanceof Silence) silences += 1;
      }
      if (tries === TRIES_MAX || silences === SILENCES_MAX) break;
      const wait = Math.max(asked, Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), WAIT_MS_MAX));
      if (tries > 2 || silences > 0) this.#waiting.say(`${problem} (trying again in ${(wait / 1000).toFixed(1)} s)`);
      await this.#waiting.wait(wait * (0.75 + Math.random() / 4));
    }
    throw new TransferFailure(`${this.#server.url} does not serve ${what}: ${problem}`);
  }

  /** Says once that an answer is waited for, where it is long in coming. */
  async #told<Answered>(ask: () => Promise<Answered>): Promise<Answered> {
    const { headersMs } = this.#bounds;
    const tell = setTimeout(() => {
      if (this.#isTold) return;
      this.#isTold = true;
      const [waited, whole] = [TOLD_PART * headersMs, headersMs].map((milliseconds) => milliseconds / 1000);
      this.#waiting.say(`${this.#server.url} has not answered for ${waited} s; each answer has ${whole} s`);
    }, TOLD_PART * headersMs);
    try {
      const answer = await ask();
      this.#isTold = false;
      return answer;
    } finally {
      clearTimeout(tell);
    }
  }

  /**
   * The answer to a request that must succeed.
   * @throws StartFailure with the server's own words
   */
  async call(method: 'GET' | 'POST', path: string, body?: string): Promise<Answer> {
    const answer = await this.send(method, path, body);
    if (answer.status >= 300) throw new TransferFailure(messageOf(answer));
    return answer;
  }

  /** Its JSON. */
  jsonOf<T>(answer: Answer): T {
    return jsonObject<T>(answer, this.#server.url);
  }
}

/** Most characters of an answer that a message shows. */
const SHOWN_LENGTH_MAX = 2000;

/** The server's own message. */
export function messageOf({ status, body }: Answer): string {
  const text = body.toString('utf8', 0, SHOWN_LENGTH_MAX);
  try {
    const { message, detail } = JSON.parse(body.toString()) as { message?: unknown; detail?: unknown };
    const told = typeof message === 'string' ? message : JSON.stringify(message ?? detail ?? text);
    return `${status}: ${told.slice(0, SHOWN_LENGTH_MAX)}`;
  } catch {
    return `${status}: ${text}`;
  }
}
