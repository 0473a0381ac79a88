import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type End, HEADER } from './file-format.js';

/** Bytes that the last line of an export stays below. */
export const END_BYTES_MAX = 512;

/** The end in what was read of a file; undefined where there is none. */
export function endIn(value: unknown): End | undefined {
  if (typeof value !== 'object' || value === null || '_id' in value) return undefined;
  const end = ((value as Record<string, unknown>)[HEADER] as { end?: Partial<End> } | undefined)?.end;
  return typeof end?.documents === 'number' && typeof end.sha256 === 'string' ? (end as End) : undefined;
}

/** Works out the end of an export that is written. */
export class Sealing {
  readonly #hash = createHash('sha256');
  #documents = 0;

  update(bytes: Buffer | string, documents: number): void {
    this.#hash.update(bytes);
    this.#documents += documents;
  }

  end(): End {
    return { documents: this.#documents, sha256: this.#hash.digest('hex') };
  }
}

/** Compares JSON lines that are read with the last of them. */
export class LinesSeal {
  readonly #hash = createHash('sha256');
  /** The last bytes, which may be the line of the end. */
  #tail = Buffer.alloc(0);

  update(bytes: Buffer): void {
    const both = bytes.length < END_BYTES_MAX ? Buffer.concat([this.#tail, bytes]) : bytes;
    if (both === bytes) this.#hash.update(this.#tail);
    const cut = Math.max(both.length - END_BYTES_MAX, 0);
    this.#hash.update(both.subarray(0, cut));
    this.#tail = Buffer.from(both.subarray(cut));
  }

  /** The end that the lines have, and the SHA-256 that it should hold. To be called once, after the last bytes. */
  finish(): { readonly end: End | undefined; readonly sha256: string } {
    const line = this.#tail.toString('latin1').trimEnd();
    const start = line.lastIndexOf('\n') + 1;
    const end = endIn(parsed(line.slice(start)));
    this.#hash.update(end === undefined ? this.#tail : this.#tail.subarray(0, start));
    return { end, sha256: this.#hash.digest('hex') };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The SHA-256 of a file, with zeros for the digits at `place` where one is given. */
export async function sha256Of(file: string, place?: number): Promise<string> {
  const hash = createHash('sha256');
  const add = async (range: { start?: number; end?: number }): Promise<void> => {
    for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024, ...range })) hash.update(chunk);
  };
  if (place === undefined) {
    await add({});
  } else {
    await add({ end: place - 1 });
    hash.update(NO_DIGEST);
    await add({ start: place + NO_DIGEST.length });
  }
  return hash.digest('hex');
}

/** Stands where a SHA-256 will. */
export const NO_DIGEST = '0'.repeat(64);

/** The SHA-256 of a text. */
export function sha256OfText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
