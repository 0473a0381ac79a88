import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { openPromise } from 'yauzl';
import { SourceFailure } from './source-failure.js';

/**
 * Unpacks some files of a zip into `folder`. `target` maps an entry's name to the plain file name it gets,
 * or to null when it is not wanted: names from the archive never become paths.
 *
 * @returns the names of the files written.
 * @throws SourceFailure for a damaged archive, or one with two entries for one file or above `bytesMax`.
 */
export async function unzip(
  archive: string,
  folder: string,
  target: (entry: string) => string | null,
  bytesMax: number,
): Promise<string[]> {
  const written: string[] = [];
  const zip = await openPromise(archive, { autoClose: false }).catch((error: Error) => {
    throw damaged(error);
  });
  try {
    let bytes = 0;
    for await (const entry of zip.eachEntry()) {
      const name = target(entry.fileName);
      if (name === null) continue;
      if (written.includes(name)) throw new SourceFailure(`the archive holds ${name} twice`);
      bytes += entry.uncompressedSize;
      if (bytes > bytesMax) throw new SourceFailure(`the archive holds more than the ${bytesMax} bytes allowed`);
      await pipeline(await zip.openReadStreamPromise(entry), createWriteStream(join(folder, name)));
      written.push(name);
    }
  } catch (error) {
    throw error instanceof SourceFailure ? error : damaged(error as Error);
  } finally {
    zip.close();
  }
  return written;
}

const damaged = (error: Error) =>
  new SourceFailure(`the archive cannot be unpacked: ${error.message}`, { cause: error });
