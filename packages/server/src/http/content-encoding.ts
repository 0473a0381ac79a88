import type { IncomingHttpHeaders } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { echoed, PelorusError } from '@pelorus/contract';

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;

/** Largest piece that a decoder hands over at once. */
const PIECE_BYTES = 16 * KIBIBYTE;

type Decoder = Transform & { readonly bytesWritten: number };

/** A coding that bodies may come in. Its work is done by threads, a piece at a time. */
export interface ContentCoding {
  readonly name: string;
  /** Most memory that a decoder takes: the window that it looks back on, its tables, and its output. */
  readonly decoderBytes: number;
  /** The same of a body that begins with this byte. */
  readonly decoderBytesOf: (first: number) => number;
  readonly decoder: () => Decoder;
}

// zstd is not among them: Node's decoder loses bytes of bodies of several frames, which its own encoder makes.
const CODINGS: readonly ContentCoding[] = [
  coding(
    'gzip',
    () => 64 * KIBIBYTE,
    () => createGunzip({ chunkSize: PIECE_BYTES }),
  ),
  coding(
    'deflate',
    () => 64 * KIBIBYTE,
    () => createInflate({ chunkSize: PIECE_BYTES }),
  ),
  coding(
    'br',
    (first) => 2 ** brotliWindowBits(first) + MEBIBYTE,
    () => createBrotliDecompress({ chunkSize: PIECE_BYTES }),
  ),
];

function coding(name: string, decoderBytesOf: (first: number) => number, decoder: () => Decoder): ContentCoding {
  const firsts = Array.from({ length: 256 }, (_, first) => first);
  return { name, decoderBytes: Math.max(...firsts.map(decoderBytesOf)), decoderBytesOf, decoder };
}

/** The size of the window that a body in brotli asks for, as its first byte tells (RFC 7932, section 9.1). */
function brotliWindowBits(first: number): number {
  if ((first & 1) === 0) return 16;
  const large = (first >> 1) & 7;
  if (large > 0) return 17 + large;
  const small = (first >> 4) & 7;
  return small === 0 ? 17 : 8 + small;
}

const ACCEPTED = CODINGS.map(({ name }) => name).join(', ');

/**
 * The coding that a body comes in; null for one that comes as it is.
 * @throws PelorusError `unsupported_media_type` for any other coding, or several at once
 */
export function codingOf({ 'content-encoding': given = '' }: IncomingHttpHeaders): ContentCoding | null {
  const names = given.split(',').map((name) => name.trim().toLowerCase());
  const [name, ...others] = names.filter((name) => name !== '' && name !== 'identity');
  if (name === undefined) return null;
  const coding = CODINGS.find((one) => one.name === (name === 'x-gzip' ? 'gzip' : name));
  if (coding !== undefined && others.length === 0) return coding;
  throw new PelorusError(
    'unsupported_media_type',
    `Content-Encoding must be one of ${ACCEPTED}, or identity, received ${echoed(given)}`,
    { headers: { 'accept-encoding': ACCEPTED } },
  );
}

/** A body as it is decoded. Decoded bytes go to `take`, which may refuse them. */
export class Decoding {
  readonly #coding: ContentCoding;
  readonly #decoder: Decoder;
  #given = 0;
  #isWhole = false;
  #failure: unknown;
  /** Ends the wait of whoever waits. */
  #settle: (() => void) | undefined;

  constructor(coding: ContentCoding, take: (piece: Buffer) => void) {
    this.#coding = coding;
    this.#decoder = coding.decoder();
    this.#decoder.on('data', (piece: Buffer) => {
      try {
        if (this.#failure === undefined) take(piece);
      } catch (error) {
        this.#fail(error);
      }
    });
    this.#decoder.on('error', ({ message }) => this.#fail(this.#malformed(message)));
    this.#decoder.on('end', () => {
      // A decoder that has come to its end takes no more, and says nothing of the bytes left over.
      if (this.#isWhole && this.#decoder.bytesWritten === this.#given) this.#settle?.();
      else this.#fail(this.#malformed('bytes follow its end'));
    });
  }

  /**
   * Decodes a piece. The next may come once this one is done with.
   * @throws PelorusError `bad_request` for what is not in the coding; whatever `take` throws
   */
  write(chunk: Buffer): Promise<void> {
    this.#given += chunk.length;
    return this.#done(() => this.#decoder.write(chunk, () => this.#settle?.()));
  }

  /** @throws as {@link write} does, also for what is cut off */
  end(): Promise<void> {
    this.#isWhole = true;
    return this.#done(() => this.#decoder.end());
  }

  /** Gives the memory of the decoder back. */
  destroy(): void {
    this.#decoder.destroy();
  }

  async #done(work: () => void): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#settle = resolve;
      if (this.#failure === undefined) work();
      else resolve();
    });
    if (this.#failure !== undefined) throw this.#failure;
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    this.#decoder.destroy();
    this.#settle?.();
  }

  #malformed(reason: string): PelorusError {
    const { name } = this.#coding;
    return new PelorusError('bad_request', `The body is not valid ${name}, which Content-Encoding names: ${reason}`);
  }
}
