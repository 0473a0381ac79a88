import type { MessagePort, Transferable } from 'node:worker_threads';
import { isErrorCode, PelorusError } from '@pelorus/contract';

/** The calls that one thread answers to another: arguments and results are values that can be sent. */
export type Answers<Names> = { readonly [Name in keyof Names]: (argument: never, signal: AbortSignal) => unknown };

interface Asked {
  readonly id: number;
  readonly name: string;
  readonly argument: unknown;
}

/** An error on its way to another thread, where it is made anew with all that an answer tells of it. */
interface SentError {
  readonly name: string;
  readonly message: string;
  readonly code: unknown;
  readonly link: string | null | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly stack: string | undefined;
  readonly cause: SentError | undefined;
}

/** Causes of causes that are sent along. */
const CAUSES_MAX = 4;

type Answered = { readonly id: number } & ({ readonly result: unknown } | { readonly error: SentError });

/** A call that nobody waits for any more. */
interface Ended {
  readonly id: number;
  readonly isEnded: true;
}

/** Answers the calls that come through a port, until that is closed. */
export function answerCalls<Names extends Answers<Names>>(port: MessagePort, answers: Names): void {
  const under = new Map<number, AbortController>();
  port.on('message', async (message: Asked | Ended) => {
    const { id } = message;
    if ('isEnded' in message) {
      under.get(id)?.abort();
      return;
    }
    const controller = new AbortController();
    under.set(id, controller);
    try {
      const answer = answers[message.name as keyof Names];
      if (answer === undefined) throw new TypeError(`there is no call ${message.name}`);
      const result = await answer(message.argument as never, controller.signal);
      port.postMessage({ id, result } satisfies Answered);
    } catch (error) {
      port.postMessage({ id, error: sentError(error) } satisfies Answered);
    } finally {
      under.delete(id);
    }
  });
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Calls through a port what another thread answers. */
export class ThreadCalls<Names extends Answers<Names>> {
  readonly #port: MessagePort;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 0;

  constructor(port: MessagePort) {
    this.#port = port;
    port.on('message', (message: Answered) => this.#settle(message));
    port.once('close', () => this.#end());
  }

  /**
   * Calls `name`. Where the signal is aborted it fails at once with the reason, and the other thread is told.
   * @throws what the other thread throws, with its code; `service_unavailable` when that thread is gone
   */
  call<Name extends keyof Names & string>(
    name: Name,
    argument: Parameters<Names[Name]>[0],
    signal?: AbortSignal,
    transferred: readonly Transferable[] = [],
  ): Promise<Awaited<ReturnType<Names[Name]>>> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const id = this.#newId();
      const abort = () => {
        this.#waiting.delete(id);
        this.#port.postMessage({ id, isEnded: true } satisfies Ended);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', abort);
      const done = () => signal?.removeEventListener('abort', abort);
      this.#waiting.set(id, {
        resolve: (result) => {
          done();
          resolve(result as Awaited<ReturnType<Names[Name]>>);
        },
        reject: (error) => {
          done();
          reject(error);
        },
      });
      this.#port.postMessage({ id, name, argument } satisfies Asked, transferred);
    });
  }

  /** Calls `name` and waits for nothing, be it that the other thread is gone. */
  tell<Name extends keyof Names & string>(name: Name, argument: Parameters<Names[Name]>[0]): void {
    this.#port.postMessage({ id: this.#newId(), name, argument } satisfies Asked);
  }

  close(): void {
    this.#port.close();
  }

  #newId(): number {
    this.#nextId += 1;
    return this.#nextId;
  }

  #settle(message: Answered): void {
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if ('error' in message) waiting?.reject(receivedError(message.error));
    else waiting?.resolve(message.result);
  }

  #end(): void {
    for (const { reject } of this.#waiting.values()) {
      reject(new PelorusError('service_unavailable', 'The server is stopping'));
    }
    this.#waiting.clear();
  }
}

function sentError(thrown: unknown, causesMax = CAUSES_MAX): SentError {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const { name, message, stack, cause } = error;
  const { code } = error as { code?: unknown };
  const { link, headers } = error instanceof PelorusError ? error : { link: undefined, headers: undefined };
  const sentCause = cause instanceof Error && causesMax > 0 ? sentError(cause, causesMax - 1) : undefined;
  return { name, message, code, link, headers, stack, cause: sentCause };
}

function receivedError({ name, message, code, link, headers, stack, cause: sentCause }: SentError): Error {
  const cause = sentCause === undefined ? undefined : receivedError(sentCause);
  const error =
    headers !== undefined && isErrorCode(code)
      ? new PelorusError(code, message, { headers, cause, ...(link !== undefined && { link }) })
      : Object.assign(new Error(message, { cause }), { name, ...(code !== undefined && { code }) });
  if (stack !== undefined) error.stack = stack;
  return error;
}
