import { createReadStream } from 'node:fs';
import { appendFile, rm } from 'node:fs/promises';

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
}

/** Most characters of a text that is no document. */
const TEXT_LENGTH_MAX = 10_000;
const LINE_FEED = 0x0a;

/** Documents that were not stored, as JSON lines: a file that only comes into being when there is one. */
export class FailureReport {
  readonly file: string;
  #count = 0;

  constructor(file: string) {
    this.file = file;
  }

  get count(): number {
    return this.#count;
  }

  /** Forgets the reports of an earlier import. */
  begin(): Promise<void> {
    return rm(this.file, { force: true });
  }

  /** Counts the reports of an earlier part of the same import: it is not done without them. */
  async goOn(): Promise<void> {
    try {
      for await (const chunk of createReadStream(this.file) as AsyncIterable<Buffer>) {
        for (const byte of chunk) if (byte === LINE_FEED) this.#count += 1;
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }

  async add(failures: readonly Failure[]): Promise<void> {
    if (failures.length === 0) return;
    this.#count += failures.length;
    await appendFile(this.file, failures.map(lineOf).join(''));
  }
}

function lineOf({ document, text, ...rest }: Failure): string {
  const said = { ...rest, ...(text !== undefined && { text: text.slice(0, TEXT_LENGTH_MAX) }) };
  const head = JSON.stringify(said);
  // The document is copied as it is spelt: its numbers may be more than JavaScript can hold.
  return document === undefined ? `${head}\n` : `${head.slice(0, -1)},"document":${document}}\n`;
}
