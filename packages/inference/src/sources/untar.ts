import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline as pipe, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type ArchiveBounds, damaged, ENTRIES_MAX, heldTwice, RATIO_MAX, tooLarge, tooMany } from './archive-bounds.js';
import { SourceFailure } from './source-failure.js';
import { BLOCK_BYTES, readHeader, readMembers, type TarHeader, type TarMembers, text } from './tar-headers.js';

/** Most bytes of what headers say of the next entry; names are some hundred. */
const MEMBERS_BYTES_MAX = 1 << 20;

/**
 * Unpacks some files of a tar, compressed by gzip or not, into `folder`, as `unzip` does those of a zip. It has no directory:
 * each entry is checked before it is written, and what was written before it is left to the caller.
 *
 * @returns the names of the files written.
 * @throws SourceFailure for a damaged archive, or one with two entries for one file, a link for one, or beyond the bounds.
 */
export async function untar(
  archive: string,
  folder: string,
  target: (entry: string) => string | null,
  bounds: ArchiveBounds,
): Promise<string[]> {
  const file = createReadStream(archive);
  const isCompressed = /gz$/i.test(archive);
  // What goes wrong with either shows where the bytes are read.
  const bytes = isCompressed ? pipe(file, createGunzip(), () => undefined) : file;
  const portions = new Portions(bytes, (await stat(archive)).size * (isCompressed ? RATIO_MAX : 1));
  const written: string[] = [];
  let left = bounds.bytesMax;
  try {
    for await (const entry of entriesOf(portions)) {
      const name = nameOf(entry, target);
      if (name === null) continue;
      if (written.includes(name)) throw heldTwice(name);
      if (entry.bytes > left) throw tooLarge(bounds.bytesMax);
      left -= entry.bytes;
      await bounds.makeRoom?.(entry.bytes);
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await pipeline(Readable.from(portions.next(entry.bytes)), createWriteStream(join(folder, name)));
      written.push(name);
    }
    return written;
  } catch (error) {
    throw error instanceof SourceFailure ? error : damaged(error as Error);
  } finally {
    file.destroy();
    bytes.destroy();
  }
}

type TarEntry = TarHeader & Pick<TarMembers, 'isSparse'>;

/** The entries in order. What the caller does not read of one is passed over. */
async function* entriesOf(portions: Portions): AsyncGenerator<TarEntry> {
  let members: TarMembers = {};
  for (let count = 1; ; count++) {
    const header = readHeader(await portions.whole(BLOCK_BYTES));
    // The sum that gzip keeps is compared at the end of all.
    if (header === null) return portions.finish();
    if (count > ENTRIES_MAX) throw tooMany(count);
    const isAbout = 'xLKg'.includes(header.kind);
    const entry = isAbout ? header : { ...header, ...members };
    const end = portions.position + Math.ceil(entry.bytes / BLOCK_BYTES) * BLOCK_BYTES;
    if (isAbout) {
      if (header.bytes > MEMBERS_BYTES_MAX) throw new Error('what a header says of an entry is too long');
      members = { ...members, ...membersOf(header, await portions.whole(header.bytes)) };
    } else {
      members = {};
      yield entry;
    }
    await portions.skip(end - portions.position);
  }
}

function membersOf({ kind }: TarHeader, said: Buffer): TarMembers {
  if (kind === 'x') return readMembers(said);
  return kind === 'L' ? { name: text(said) } : {};
}

/** What a file becomes, null for what is not wanted. */
function nameOf({ name, kind, isSparse = false }: TarEntry, target: (entry: string) => string | null): string | null {
  if (name.startsWith('/') || name.split('/').includes('..')) throw new Error(`invalid path: ${name}`);
  const wanted = kind === '5' ? null : target(name);
  if (wanted === null || (kind === '0' && !isSparse)) return wanted;
  throw new SourceFailure(`${wanted} in the archive is no plain file`);
}

/** The bytes of a stream in the portions that are asked for, `bytesMax` at most. */
class Portions {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #bytesMax: number;
  #rest: Buffer = Buffer.alloc(0);
  #position = 0;

  constructor(stream: Readable, bytesMax: number) {
    this.#chunks = stream[Symbol.asyncIterator]();
    this.#bytesMax = bytesMax;
  }

  /** Bytes that were taken. */
  get position(): number {
    return this.#position;
  }

  async *next(bytes: number): AsyncGenerator<Buffer> {
    for (let left = bytes; left > 0; ) {
      if (this.#rest.length === 0 && !(await this.#read())) throw new Error('it ends too early');
      const part = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(part.length);
      this.#position += part.length;
      left -= part.length;
      yield part;
    }
  }

  async whole(bytes: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of this.next(bytes)) parts.push(part);
    return Buffer.concat(parts);
  }

  async skip(bytes: number): Promise<void> {
    for await (const _ of this.next(bytes));
  }

  async finish(): Promise<void> {
    while (await this.#read()) this.#position += this.#rest.length;
  }

  /** Whether there was anything left. */
  async #read(): Promise<boolean> {
    const { done, value } = await this.#chunks.next();
    if (done === true) return false;
    if (this.#position + value.length > this.#bytesMax) {
      throw new SourceFailure(`the archive would unpack to more than ${RATIO_MAX} times its size`);
    }
    this.#rest = value;
    return true;
  }
}
