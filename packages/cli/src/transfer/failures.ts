import { type BigIntStats, createReadStream } from 'node:fs';
import { appendFile, rm, stat } from 'node:fs/promises';
import { ExitCode } from '../start-failure.js';
import { startOf } from './file-start.js';
import type { Item } from './source.js';
import { TransferFailure } from './transfer-failure.js';

/** A document that was not stored. */
export interface Failure {
  /** Its line or row, from 1. */
  readonly place: number;
  readonly id?: string | undefined;
  /** The status of the item, or of its request; absent for text that is no document and was not sent. */
  readonly status?: number;
  readonly code?: string;
  readonly message: string;
  /** Its JSON as it stands in the file. */
  readonly document?: string;
  /** The text that stands in the file instead of a document. */
  readonly text?: string;
  /** The part of the message that others have too; undefined where that is to be found out. */
  readonly kind?: string | undefined;
}

/** An item that is no document. Its text is made only where it is written: most of very many are only counted. */
export class Refused implements Failure {
  readonly place: number;
  readonly message: string;
  readonly kind: string | undefined;
  readonly #item: Item;

  constructor(item: Item, message: string, kind?: string) {
    this.place = item.place;
    this.message = message;
    this.kind = kind;
    this.#item = item;
  }

  get text(): string {
    return this.#item.text;
  }
}

/** Most characters of a text that is no document. */
const TEXT_LENGTH_MAX = 10_000;
/** Bytes of the file of a report, from which on documents are only counted. */
const FILE_BYTES_MAX = 8 * 1024 * 1024;
/** Kinds of reasons that are counted by themselves. */
const KINDS_MAX = 20;
/** Characters that are shown of a reason. */
const SHOWN_LENGTH_MAX = 300;
const LINE_FEED = 0x0a;
/** The start of a file of reports, and bytes that hold it. */
const REPORT = /^\{"place":\d+,/;
const START_BYTES = 64;

/** The failures of one reason, whatever values it tells of. */
interface Kind {
  readonly first: string;
  count: number;
}

/** Documents that were not stored, as JSON lines: a file of bounded size that only comes into being when there is one. */
export class FailureReport {
  readonly file: string;
  readonly #kinds = new Map<string, Kind>();
  #earlier = 0;
  #count = 0;
  #written = 0;
  #bytes = 0;

  constructor(file: string) {
    this.file = file;
  }

  /** Those of earlier parts of the same import too. */
  get count(): number {
    return this.#earlier + this.#count;
  }

  /** Those of this part of an import. */
  get countOfPart(): number {
    return this.#count;
  }

  /** Tells that the file does not hold all that were counted. */
  get isCut(): boolean {
    return this.#written < this.#count;
  }

  /**
   * Looks whether the file may be written, and replaced where it is there.
   * @param input the file that is imported
   * @throws TransferFailure where it is that one, or holds anything but reports
   */
  async check(input: string): Promise<void> {
    const found = await statOf(this.file);
    if (found === undefined) return;
    const own = await statOf(input);
    if (found.dev === own?.dev && found.ino === own.ino) throw unusable(`${this.file} is the file to import`);
    if (found.isDirectory()) throw unusable(`${this.file} is a folder`);
    // A device keeps nothing that could be lost.
    if (!found.isFile() || found.size === 0n) return;
    if (!REPORT.test((await startOf(this.file, START_BYTES)).toString())) {
      throw unusable(`${this.file} is there, and is no report of an import`);
    }
  }

  /** Forgets the reports of an earlier import. */
  async begin(): Promise<void> {
    if ((await statOf(this.file))?.isFile()) await rm(this.file, { force: true });
  }

  /** Counts the reports of an earlier part of the same import: it is not done without them. */
  async goOn(): Promise<void> {
    const found = await statOf(this.file);
    if (!found?.isFile()) return;
    for await (const chunk of createReadStream(this.file) as AsyncIterable<Buffer>) {
      for (const byte of chunk) if (byte === LINE_FEED) this.#earlier += 1;
    }
    this.#bytes = Number(found.size);
  }

  async add(failures: readonly Failure[]): Promise<void> {
    if (failures.length === 0) return;
    this.#count += failures.length;
    let lines = '';
    for (const failure of failures) {
      this.#countKind(failure);
      if (this.#bytes >= FILE_BYTES_MAX) continue;
      const line = lineOf(failure);
      this.#bytes += Buffer.byteLength(line);
      this.#written += 1;
      lines += line;
    }
    if (lines !== '') await appendFile(this.file, lines);
  }

  /** One line for each kind of reason, the most frequent first. */
  kinds(): string[] {
    const kinds = [...this.#kinds.values()].toSorted((a, b) => b.count - a.count);
    const others = this.#count - kinds.reduce((sum, { count }) => sum + count, 0);
    const lines = kinds.map(({ count, first }) => `${count} not stored, such as ${first}`);
    return others === 0 ? lines : [...lines, `${others} not stored for other reasons`];
  }

  #countKind({ place, message, kind: known }: Failure): void {
    const key = known ?? message.replace(/"(?:[^"\\]|\\.)*"/g, '""').replace(/\d+/g, '0');
    const kind = this.#kinds.get(key);
    if (kind !== undefined) kind.count += 1;
    else if (this.#kinds.size < KINDS_MAX) {
      const told = message.replace(/\s+/g, ' ').slice(0, SHOWN_LENGTH_MAX);
      this.#kinds.set(key, { first: `item ${place}: ${told}`, count: 1 });
    }
  }
}

/** The state of what a path leads to; undefined where nothing is there. */
async function statOf(path: string): Promise<BigIntStats | undefined> {
  try {
    return await stat(path, { bigint: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function unusable(problem: string): TransferFailure {
  return new TransferFailure(`--failed cannot be written: ${problem}`, ExitCode.BAD_CONFIGURATION);
}

/** The line of a failure in the file, which REPORT tells. */
function lineOf({ place, id, status, code, message, document, text }: Failure): string {
  const said = {
    place,
    id,
    status,
    code,
    message,
    ...(text !== undefined && { text: text.slice(0, TEXT_LENGTH_MAX) }),
  };
  const head = JSON.stringify(said);
  // The document is copied as it is spelt: its numbers may be more than JavaScript can hold.
  return document === undefined ? `${head}\n` : `${head.slice(0, -1)},"document":${document}}\n`;
}
