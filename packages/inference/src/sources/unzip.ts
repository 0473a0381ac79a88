import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { type ArchiveBounds, damaged, ENTRIES_MAX, heldTwice, RATIO_MAX, tooLarge, tooMany } from './archive-bounds.js';
import { SourceFailure } from './source-failure.js';

interface Wanted {
  readonly entry: Entry;
  /** Path of the file it becomes. */
  readonly name: string;
}

/**
 * Unpacks some files of a zip into `folder`. `target` maps an entry's name to the path within `folder` that it gets, or
 * to null when it is not wanted: names from the archive never become paths as they are. The archive's own directory is
 * checked before the first file is written, and held against the bytes that come out of it.
 *
 * @returns the names of the files written.
 * @throws SourceFailure for a damaged archive, or one with two entries for one file or beyond the bounds.
 */
export async function unzip(
  archive: string,
  folder: string,
  target: (entry: string) => string | null,
  bounds: ArchiveBounds,
): Promise<string[]> {
  const zip = await openPromise(archive, { autoClose: false, validateEntrySizes: true }).catch((error: Error) => {
    throw damaged(error);
  });
  try {
    const wanted = await listed(zip, target, bounds.bytesMax);
    const bytes = wanted.reduce((sum, { entry }) => sum + entry.uncompressedSize, 0);
    await bounds.makeRoom?.(bytes);
    const count = counter(bytes);
    for (const { entry, name } of wanted) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      const to = createWriteStream(join(folder, name));
      await pipeline(await zip.openReadStreamPromise(entry), count(), summed(entry.crc32, name), to);
    }
    return wanted.map(({ name }) => name);
  } catch (error) {
    throw error instanceof SourceFailure ? error : damaged(error as Error);
  } finally {
    zip.close();
  }
}

/** Reads the whole directory of the archive. Problems of any name in it show here. */
async function listed(
  zip: ZipFile,
  target: (entry: string) => string | null,
  bytesMax: number,
): Promise<readonly Wanted[]> {
  if (zip.entryCount > ENTRIES_MAX) throw tooMany(zip.entryCount);
  const wanted: Wanted[] = [];
  let bytes = 0;
  for await (const entry of zip.eachEntry()) {
    const name = target(entry.fileName);
    if (name === null) continue;
    if (wanted.some((other) => other.name === name)) throw heldTwice(name);
    if (!entry.canDecodeFileData()) {
      throw new SourceFailure(`the archive holds ${name} encrypted or compressed in an unusual way`);
    }
    wanted.push({ entry, name });
    bytes += entry.uncompressedSize;
  }
  if (bytes > bytesMax) throw tooLarge(bytesMax);
  if (bytes > zip.fileSize * RATIO_MAX) {
    throw new SourceFailure(
      `the archive of ${zip.fileSize} bytes would unpack to ${bytes}, more than ${RATIO_MAX} times its size`,
    );
  }
  return wanted;
}

/** Makes streams that pass on at most `bytesMax` together. */
function counter(bytesMax: number): () => Transform {
  let bytes = 0;
  return () =>
    new Transform({
      transform(chunk: Buffer, _, done) {
        bytes += chunk.length;
        if (bytes > bytesMax) done(tooLarge(bytesMax));
        else done(null, chunk);
      },
    });
}

/** Makes a stream that fails at its end when the CRC-32 of its bytes is not `expected`: yauzl checks none. */
function summed(expected: number, name: string): Transform {
  let sum = 0;
  return new Transform({
    transform(chunk: Buffer, _, done) {
      sum = crc32(chunk, sum);
      done(null, chunk);
    },
    flush(done) {
      if (sum === expected) return done();
      const [received, wanted] = [sum, expected].map((one) => one.toString(16).padStart(8, '0'));
      done(new SourceFailure(`${name} in the archive has CRC-32 ${received}, expected ${wanted}`));
    },
  });
}
