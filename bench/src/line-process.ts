import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A child that answers one JSON line for each that it is given, in order. */
export class LineProcess {
  readonly #child: ChildProcess;
  readonly #answers: AsyncIterator<string>;

  constructor(command: string, args: readonly string[]) {
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const { stdout, stdin } = this.#child;
    if (stdout === null || stdin === null) throw new Error('the child was started without a pipe');
    // A child that could not be started, or ended: the answer that does not come tells of it.
    this.#child.on('error', () => {});
    stdin.on('error', () => {});
    this.#answers = createInterface({ input: stdout })[Symbol.asyncIterator]();
  }

  async ask<T>(command: object): Promise<T> {
    this.#child.stdin?.write(`${JSON.stringify(command)}\n`);
    const { value, done } = await this.#answers.next();
    if (done) throw new Error(`${this.#child.spawnargs.join(' ')} ended without an answer`);
    return JSON.parse(value) as T;
  }

  /** Resolves once the child has ended and given its memory back. */
  async close(): Promise<void> {
    this.#child.stdin?.end();
    const { exitCode, signalCode, pid } = this.#child;
    if (pid !== undefined && exitCode === null && signalCode === null) await once(this.#child, 'exit');
  }
}

/** The other side: answers each command on standard input. */
export async function answerLines(answer: (command: never) => object | Promise<object>): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    process.stdout.write(`${JSON.stringify(await answer(JSON.parse(line) as never))}\n`);
  }
}
