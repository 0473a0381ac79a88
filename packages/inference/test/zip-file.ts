import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';

/** Writes a zip of entries in order; names may come twice. An uncompressed entry lies in it as it is. */
export async function writeZip(
  path: string,
  entries: readonly (readonly [name: string, bytes: Uint8Array | string])[],
  { compress = true }: { compress?: boolean } = {},
) {
  const zip = new ZipFile();
  for (const [name, bytes] of entries) zip.addBuffer(Buffer.from(bytes), name, { compress });
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(path));
}
