import type { Duplex } from 'node:stream';
import { constants, createGunzip, createGzip, createZstdCompress, createZstdDecompress } from 'node:zlib';
import type { Compression } from './file-format.js';

/** A stream that tells how many bytes of its input it took. */
export type Decompress = Duplex & { readonly bytesWritten: number };

/** Returns the stream that compresses; undefined for no compression. */
export function compressor(compression: Compression): NodeJS.ReadWriteStream | undefined {
  if (compression === 'none') return undefined;
  if (compression === 'gzip') return createGzip({ level: 1 });
  return createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } });
}

/** Returns the stream that decompresses; undefined for no compression. */
export function decompressor(compression: Compression): Decompress | undefined {
  if (compression === 'none') return undefined;
  return compression === 'gzip' ? createGunzip() : createZstdDecompress();
}

/** Tells the codes of errors of compressed bytes. */
export function isOfCompression(code: string | undefined): boolean {
  return /^Z(STD)?_/.test(code ?? '');
}
