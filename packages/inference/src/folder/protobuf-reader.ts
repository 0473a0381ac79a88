import { fstatSync, readSync } from 'node:fs';

const WINDOW_BYTES = 32 * 1024;
const VARINT_BYTES_MAX = 10;

/** A field of a protobuf message: its number, and its value or where its bytes lie. */
export type ProtobufField =
  | { readonly number: number; readonly kind: 'varint'; readonly value: bigint }
  | { readonly number: number; readonly kind: 'bytes'; readonly start: number; readonly end: number }
  | { readonly number: number; readonly kind: 'fixed' };

/**
 * Walks the fields of protobuf messages in a file without loading it: bytes that nobody asks for are
 * skipped, so that a graph of gigabytes costs a few reads.
 */
export class ProtobufReader {
  readonly #file: number;
  readonly #window = Buffer.allocUnsafe(WINDOW_BYTES);
  #windowStart = 0;
  #windowEnd = 0;
  readonly size: number;

  /** `file` is an open descriptor; the caller closes it. */
  constructor(file: number) {
    this.#file = file;
    this.size = fstatSync(file).size;
  }

  /** The fields of the message that lies between `start` and `end`, both in bytes. */
  *fields(start: number, end: number): Generator<ProtobufField> {
    let at = start;
    while (at < end) {
      const tag = this.#varint(at, end);
      at = tag.next;
      const number = Number(tag.value >> 3n);
      const wireType = Number(tag.value & 7n);
      if (wireType === 0) {
        const { value, next } = this.#varint(at, end);
        at = next;
        yield { number, kind: 'varint', value };
      } else if (wireType === 2) {
        const length = this.#varint(at, end);
        const stop = length.next + Number(length.value);
        if (stop > end) throw new Error(`a field at byte ${at} runs past the end of its message`);
        at = stop;
        yield { number, kind: 'bytes', start: length.next, end: stop };
      } else if (wireType === 1 || wireType === 5) {
        at += wireType === 1 ? 8 : 4;
        yield { number, kind: 'fixed' };
      } else {
        throw new Error(`unknown wire type ${wireType} at byte ${at}`);
      }
    }
  }

  /** Bytes from `start` to `end` as text; they must fit the reading window. */
  text(start: number, end: number): string {
    if (end - start > WINDOW_BYTES) throw new Error(`a string of ${end - start} bytes is too long`);
    this.#fill(start, end - start);
    return this.#window.toString('utf8', start - this.#windowStart, end - this.#windowStart);
  }

  #varint(start: number, end: number): { value: bigint; next: number } {
    this.#fill(start, Math.min(VARINT_BYTES_MAX, end - start));
    let value = 0n;
    for (let i = 0; i < VARINT_BYTES_MAX && start + i < end; i++) {
      const byte = this.#window[start + i - this.#windowStart] ?? 0;
      value |= BigInt(byte & 0x7f) << BigInt(7 * i);
      if (byte < 0x80) return { value, next: start + i + 1 };
    }
    throw new Error(`a number at byte ${start} does not end`);
  }

  /** Makes sure that `length` bytes from `start` are in the window. */
  #fill(start: number, length: number): void {
    if (start >= this.#windowStart && start + length <= this.#windowEnd) return;
    let filled = 0;
    while (filled < WINDOW_BYTES) {
      const count = readSync(this.#file, this.#window, filled, WINDOW_BYTES - filled, start + filled);
      if (count === 0) break;
      filled += count;
    }
    this.#windowStart = start;
    this.#windowEnd = start + filled;
    if (filled < length) throw new Error(`the file ends at byte ${start + filled}`);
  }
}
