import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

/**
 * Size and CRC-32 of a file after an orderly end, by which a start knows it without going through it; null of one that is
 * empty or has a log, and of one that is larger than is read as a whole.
 */
export function sumOfFile(folder: string, name: string, bytesMax: number): string | null {
  const bytesOf = (file: string) => statSync(join(folder, file), { throwIfNoEntry: false })?.size ?? 0;
  const bytes = bytesOf(name);
  if (bytes === 0 || bytes > bytesMax || bytesOf(`${name}-wal`) > 0) return null;
  return `${bytes} ${crc32(readFileSync(join(folder, name)))}`;
}
