import { read } from 'node:fs';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';

/** The first bytes of a file, at most `length`, by its path or its open descriptor. */
export async function startOf(file: string | number, length: number): Promise<Buffer> {
  if (typeof file === 'number') return firstOf(file, length);
  const opened = await open(file, 'r');
  try {
    return await firstOf(opened.fd, length);
  } finally {
    await opened.close();
  }
}

async function firstOf(descriptor: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await promisify(read)(descriptor, Buffer.alloc(length), 0, length, 0);
  return buffer.subarray(0, bytesRead);
}
