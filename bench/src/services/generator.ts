import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { WireName } from './wire.ts';

/** Bytes to send, and how many answers they have. */
export interface Request {
  bytes: Uint8Array;
  answers: number;
}

/** Work for the generator. */
export interface Order {
  wire: WireName;
  port: number;
  /** Sent over each new connection, each answered once. */
  greeting: readonly Uint8Array[];
  requests: readonly Request[];
  connections: number;
  /** Over and over for so long; each once where it is null. */
  seconds: number | null;
  keepsAnswers: boolean;
}

export interface Outcome {
  seconds: number;
  /** Milliseconds of each request. */
  times: Float64Array;
  /** The answers to each request, where they are kept. */
  answers: Uint8Array[];
}

/** The process that sends all requests to all services. */
export class Generator {
  readonly #child: ChildProcess;
  readonly #ended: Promise<never>;

  constructor() {
    const script = new URL('./generator-process.ts', import.meta.url);
    this.#child = fork(script, { serialization: 'advanced' });
    this.#ended = once(this.#child, 'exit').then(() => {
      throw new Error('the load generator ended');
    });
    this.#ended.catch(() => {}); // whoever waits for an answer is told
  }

  /** Carries out an order, one at a time. Fails with the fault that a service answers. */
  async send(order: Order): Promise<Outcome> {
    const answered = once(this.#child, 'message');
    this.#child.send(order);
    const [outcome] = (await Promise.race([answered, this.#ended])) as [Outcome | { error: string }];
    if ('error' in outcome) throw new Error(outcome.error);
    return outcome;
  }

  close(): void {
    this.#child.kill();
  }
}
