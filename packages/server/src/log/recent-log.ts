import type { schemas } from '@pelorus/contract';
import type { DestinationStream } from 'pino';
import { withoutUrlSecretsIn } from '../http/url-secrets.js';
import { isObject } from '../validation/reader.js';

type LogLine = schemas.LogLines['lines'][number];
export type LogLevel = LogLine['level'];

/** Levels by the numbers that lines have in their place. */
const LEVELS: ReadonlyMap<unknown, LogLevel> = new Map([
  [10, 'trace'],
  [20, 'debug'],
  [30, 'info'],
  [40, 'warn'],
  [50, 'error'],
  [60, 'fatal'],
]);
const SEVERITY: ReadonlyMap<LogLevel, number> = new Map([...LEVELS.values()].map((level, at) => [level, at]));

/** Most lines that are kept, and most characters of all of them together. */
export const LINES_MAX = 1_000;
export const CHARACTERS_MAX = 1_048_576;
/** From here on a line is kept without its fields. */
export const LINE_LENGTH_MAX = 8_192;
const MESSAGE_LENGTH_MAX = 2_000;
/** Members of a line that are told by another name, or say nothing to whoever reads them. */
const OWN = new Set(['level', 'time', 'pid', 'hostname', 'msg', 'reqId']);

interface Kept {
  readonly number: number;
  readonly line: string;
}

/** Passes the lines of a log on, and keeps the latest ones, within bounds. */
export class RecentLog implements DestinationStream {
  readonly #destination: DestinationStream & { flushSync?(): void };
  /** A ring: the line of number n stands at n modulo its length. */
  readonly #ring: (Kept | undefined)[] = new Array(LINES_MAX).fill(undefined);
  #oldest = 1;
  #next = 1;
  #characters = 0;

  constructor(destination: DestinationStream) {
    this.#destination = destination;
  }

  write(line: string): void {
    this.#destination.write(line);
    this.#keep(line.length > LINE_LENGTH_MAX ? shortened(line) : line);
  }

  /** Called for a line after which the process may end. */
  flushSync(): void {
    this.#destination.flushSync?.();
  }

  /**
   * Kept lines, the newest first.
   * @param level the least severe one
   * @param after the number of lines that are known already
   * @param limit most lines
   */
  list({ level, after, limit }: { level: LogLevel; after: number; limit: number }): LogLine[] {
    const least = SEVERITY.get(level) ?? 0;
    const found: LogLine[] = [];
    for (let number = this.#next - 1; number >= this.#oldest && number > after && found.length < limit; number -= 1) {
      const kept = this.#ring[number % LINES_MAX];
      const told = kept && toldLine(kept);
      if (told !== undefined && (SEVERITY.get(told.level) ?? 0) >= least) found.push(told);
    }
    return found;
  }

  #keep(line: string): void {
    while (this.#next - this.#oldest >= LINES_MAX || this.#characters + line.length > CHARACTERS_MAX) this.#drop();
    this.#ring[this.#next % LINES_MAX] = { number: this.#next, line };
    this.#characters += line.length;
    this.#next += 1;
  }

  #drop(): void {
    const place = this.#oldest % LINES_MAX;
    this.#characters -= this.#ring[place]?.line.length ?? 0;
    this.#ring[place] = undefined;
    this.#oldest += 1;
  }
}

/** A long line without its fields. */
function shortened(line: string): string {
  const { level, time, msg, reqId } = membersOf(line);
  return JSON.stringify({ level, time, reqId, msg: String(msg ?? '').slice(0, MESSAGE_LENGTH_MAX) });
}

function membersOf(line: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(line);
    return isObject(parsed) ? parsed : {};
  } catch {
    return { msg: line };
  }
}

function toldLine({ number, line }: Kept): LogLine {
  const members = withoutUrlSecretsIn(membersOf(line));
  const { level, time, msg, reqId } = members;
  return {
    number,
    at: new Date(typeof time === 'number' ? time : 0).toISOString(),
    level: LEVELS.get(level) ?? 'info',
    message: String(msg ?? '').slice(0, MESSAGE_LENGTH_MAX),
    requestId: typeof reqId === 'string' ? reqId : null,
    fields: Object.fromEntries(Object.entries(members).filter(([name]) => !OWN.has(name))),
  };
}
