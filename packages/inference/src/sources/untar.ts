import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Parser, type ReadEntry } from 'tar';
import { type ArchiveBounds, damaged, ENTRIES_MAX, heldTwice, RATIO_MAX, tooLarge, tooMany } from './archive-bounds.js';
import { SourceFailure } from './source-failure.js';

type Target = (entry: string) => string | null;

/** The start of a wanted file, or bytes of the one that started last. */
type Part = { readonly name: string; readonly bytes: number } | Buffer;

/**
 * Unpacks some files of a tar, compressed by gzip or not, into `folder`, as `unzip` does those of a zip. It has no
 * directory: each entry is checked before it is written, and files written before it are left to the caller.
 *
 * @returns the names of the files written.
 * @throws SourceFailure for a damaged archive, or one with two entries for one file, a link for one, or beyond the bounds.
 */
export async function untar(archive: string, folder: string, target: Target, bounds: ArchiveBounds): Promise<string[]> {
  const isCompressed = /gz$/i.test(archive);
  let left = (await stat(archive)).size * (isCompressed ? RATIO_MAX : 1);
  const file = createReadStream(archive);
  // Errors of either stream show where the bytes are read, and either is closed when they are read no more.
  const chunks: AsyncIterable<Buffer> = isCompressed ? pipeline(file, createGunzip(), () => undefined) : file;
  const reader = new TarReader(target);
  const files = new Files(folder, bounds);
  try {
    // After the last entry too: the sum that gzip keeps is compared at the end of all.
    for await (const chunk of chunks) {
      left -= chunk.length;
      if (left < 0) throw new SourceFailure(`the archive would unpack to more than ${RATIO_MAX} times its size`);
      for (const part of reader.read(chunk)) await files.take(part);
    }
    reader.finish();
    await files.close();
    return files.names;
  } catch (error) {
    throw error instanceof SourceFailure ? error : damaged(error as Error);
  } finally {
    await files.close();
  }
}

/** Reads a tar chunk by chunk, and holds no more of it than a chunk and what headers say of the next entry. */
class TarReader {
  readonly #parser = new Parser();
  readonly #target: Target;
  #parts: Part[] = [];
  #entries = 0;
  #isSparse = false;
  #isEnded = false;

  constructor(target: Target) {
    this.#target = target;
    // It looks at its first bytes for a compression to undo, beyond our bounds: here these are zeros, which say nothing.
    this.#parser.write(Buffer.alloc(512));
    // All of these are called, and may throw, within `write`.
    this.#parser.on('warn', (_, message: string) => this.#warn(message));
    this.#parser.on('meta', (said: string) => this.#about(said));
    this.#parser.on('entry', (entry: ReadEntry) => this.#enter(entry));
    this.#parser.on('ignoredEntry', (entry: ReadEntry) => this.#enter(entry));
    this.#parser.on('nullBlock', () => this.#end());
    this.#parser.on('eof', () => this.#end());
  }

  read(chunk: Buffer): readonly Part[] {
    this.#parts = [];
    // The parser would keep the bytes after the end.
    if (!this.#isEnded) this.#parser.write(chunk);
    return this.#parts;
  }

  finish(): void {
    if (!this.#isEnded) throw new Error('it ends too early');
  }

  #warn(message: string): void {
    if (!this.#isEnded) throw new Error(message);
  }

  #about(said: string): void {
    this.#count();
    if (/^\d+ GNU\.sparse\./m.test(said)) this.#isSparse = true;
  }

  #enter(entry: ReadEntry): void {
    const file = this.#isEnded ? null : this.#wanted(entry);
    if (file === null) {
      entry.resume();
      return;
    }
    this.#parts.push(file);
    entry.on('data', (bytes) => this.#parts.push(bytes));
  }

  #wanted(entry: ReadEntry): Part | null {
    if (entry.meta) throw new Error('a header of an entry is too long');
    this.#count();
    const name = this.#nameOf(entry);
    this.#isSparse = false;
    if (name === null) return null;
    // So many are read; `entry.size` may be that of a global header instead.
    const bytes = entry.header.size;
    if (bytes === undefined || !Number.isSafeInteger(bytes)) throw new Error('a number of a header cannot be read');
    return { name, bytes };
  }

  #end(): void {
    this.#isEnded = true;
  }

  #count(): void {
    this.#entries++;
    if (this.#entries > ENTRIES_MAX) throw tooMany(this.#entries);
  }

  /** The name that an entry gets as a file, null for one that is not wanted. */
  #nameOf({ path, type }: ReadEntry): string | null {
    if (path.startsWith('/') || path.split('/').includes('..')) throw new Error(`invalid path: ${path}`);
    const name = type === 'Directory' ? null : this.#target(path);
    const isPlain = ['File', 'OldFile', 'ContiguousFile'].includes(type) && !this.#isSparse;
    if (name === null || isPlain) return name;
    throw new SourceFailure(`${name} in the archive is no plain file`);
  }
}

/** The files that are written, one after another. */
class Files {
  readonly names: string[] = [];
  readonly #folder: string;
  readonly #bounds: ArchiveBounds;
  #left: number;
  #file: FileHandle | null = null;

  constructor(folder: string, bounds: ArchiveBounds) {
    this.#folder = folder;
    this.#bounds = bounds;
    this.#left = bounds.bytesMax;
  }

  async take(part: Part): Promise<void> {
    if (Buffer.isBuffer(part)) return this.#file?.appendFile(part);
    const { name, bytes } = part;
    if (this.names.includes(name)) throw heldTwice(name);
    if (bytes > this.#left) throw tooLarge(this.#bounds.bytesMax);
    this.#left -= bytes;
    await this.#bounds.makeRoom?.(bytes);
    await this.close();
    const path = join(this.#folder, name);
    await mkdir(dirname(path), { recursive: true });
    this.#file = await open(path, 'w');
    this.names.push(name);
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    await file?.close();
  }
}
