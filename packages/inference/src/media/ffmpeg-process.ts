import { type ChildProcess, spawn } from 'node:child_process';
import { MediaFailure } from './media-failure.js';

/** A program that reads the bytes of strangers, and its bounds. */
export interface ConfinedProgram {
  /** The file of the program, behind those of the programs that start it confined, each with its arguments. */
  readonly command: readonly string[];
  /** The folder in which it runs: it finds its input there, by a name that tells nothing. */
  readonly folder: string;
  /** Time until it has written all, in milliseconds; time in which its reader does not read is not counted. */
  readonly timeMs: number;
  readonly outputBytesMax: number;
  /** Returns a better message for a complaint of the program, or null. */
  readonly explain?: (complaint: string) => string | null;
}

/** Most characters that are kept of a program's complaints. */
const COMPLAINT_CHARS = 4_000;
const SHOWN_CHARS = 200;

/**
 * The output of a program as it comes. The program gets no input, no environment and no descriptor of ours; it has a group
 * of its own, all of which is killed when its reader stops, its time is over or the signal is aborted.
 * @throws MediaFailure when it fails, takes longer or writes more; the reason of the signal
 */
export async function* outputOf(program: ConfinedProgram, signal?: AbortSignal): AsyncGenerator<Buffer> {
  signal?.throwIfAborted();
  const running = new Running(program);
  const kill = () => running.kill();
  signal?.addEventListener('abort', kill, { once: true });
  try {
    yield* running.output();
    await running.succeeded();
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', kill);
    await running.end();
  }
}

class Running {
  readonly #program: ConfinedProgram;
  readonly #child: ChildProcess;
  /** Fulfilled when the program is gone and all of its output was read or given up. */
  readonly #closed: Promise<void>;
  #complaint = '';
  #failure: MediaFailure | null = null;

  constructor(program: ConfinedProgram) {
    const [file = '', ...args] = program.command;
    this.#program = program;
    this.#child = spawn(file, args, {
      cwd: program.folder,
      env: {},
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#complaint = (this.#complaint + text).slice(-COMPLAINT_CHARS);
    });
    this.#child.on('error', (error) => {
      this.#failure ??= new MediaFailure('ffmpeg cannot be started on this server', { cause: error });
    });
    this.#closed = new Promise((resolve) => this.#child.once('close', () => resolve()));
  }

  async *output(): AsyncGenerator<Buffer> {
    const { timeMs, outputBytesMax } = this.#program;
    let leftMs = timeMs;
    let bytes = 0;
    const chunks = this.#child.stdout?.[Symbol.asyncIterator]();
    for (;;) {
      const started = performance.now();
      const chunk = await this.#within(leftMs, chunks?.next());
      leftMs -= performance.now() - started;
      if (chunk === undefined || chunk.done === true) return;
      bytes += chunk.value.byteLength;
      if (bytes > outputBytesMax) throw new MediaFailure('it is too large when it is decoded');
      yield chunk.value;
    }
  }

  async succeeded(): Promise<void> {
    await this.#closed;
    if (this.#failure !== null) throw this.#failure;
    if (this.#child.exitCode === 0) return;
    const explained = this.#program.explain?.(this.#complaint) ?? null;
    throw new MediaFailure(explained ?? `ffmpeg cannot read it${shown(this.#complaint)}`);
  }

  /** Ends the program, whatever it still has to say. */
  async end(): Promise<void> {
    this.kill();
    this.#child.stdout?.destroy();
    await this.#closed;
  }

  kill(): void {
    const { pid } = this.#child;
    if (pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    try {
      if (process.platform === 'win32') this.#child.kill('SIGKILL');
      else process.kill(-pid, 'SIGKILL');
    } catch (error) {
      // It ended in between; macOS says so by EPERM until the parent has been told.
      const code = error instanceof Error && 'code' in error ? error.code : null;
      if (code !== 'ESRCH' && code !== 'EPERM') throw error;
    }
  }

  /** Kills the program when a step of it takes longer, so that the step ends. */
  async #within<T>(ms: number, step: Promise<T> | undefined): Promise<T | undefined> {
    const timer = setTimeout(() => {
      this.#failure ??= new MediaFailure(`it cannot be decoded within ${this.#program.timeMs / 1000} seconds`);
      this.kill();
    }, ms);
    try {
      return await step;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** The last complaint of a program, of which it may say more than fits. */
function shown(complaint: string): string {
  const last = complaint.trim().split('\n').at(-1)?.trim() ?? '';
  if (last === '') return '';
  return `: ${last.length > SHOWN_CHARS ? `${last.slice(0, SHOWN_CHARS)}...` : last}`;
}
