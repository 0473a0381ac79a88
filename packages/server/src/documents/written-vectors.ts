import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FieldVectors } from '@pelorus/inference';

/** Vectors of a text that its model could make. */
export type MadeVectors = Exclude<FieldVectors, { kind: 'failure' }>;

/** Numbers that are written in one turn of the event loop: a millisecond's work or so. */
const NUMBERS_PER_TURN = 16_384;

/** Bytes of the longest number and the sign before the next one. */
const NUMBER_BYTES_MAX = 25;

const ZERO = 0x30;
const POINT = 0x2e;
const MINUS = 0x2d;
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;

const POWERS_OF_TEN = Array.from({ length: 14 }, (_, exponent) => 10 ** exponent);
const powerOfTen = (exponent: number) => POWERS_OF_TEN[exponent] as number;

/** Writes vectors as documents have them, and gives way to other work between them. */
export class VectorWriter {
  #inTurn = 0;

  async write(made: MadeVectors, dimensions: number): Promise<Buffer> {
    if (made.kind === 'many') return this.#rows(made.vectors, dimensions);
    await this.#giveWay(made.weights.length);
    const weights = new NumberBytes(made.weights.length);
    weights.addList(made.weights);
    return Buffer.concat([Buffer.from(`{"indices":[${made.indices.join()}],"values":`), weights.taken(), BRACE]);
  }

  async #rows(vectors: Float32Array, dimensions: number): Promise<Buffer> {
    const bytes = new NumberBytes(vectors.length);
    bytes.addByte(OPENING_BRACKET);
    for (let from = 0; from < vectors.length; from += dimensions) {
      await this.#giveWay(dimensions);
      if (from > 0) bytes.addByte(COMMA);
      bytes.addList(vectors.subarray(from, from + dimensions));
    }
    bytes.addByte(CLOSING_BRACKET);
    return bytes.taken();
  }

  /** Waits for the next turn where this one has no room for so many numbers. */
  #giveWay(count: number): Promise<void> | undefined {
    this.#inTurn += count;
    if (this.#inTurn <= NUMBERS_PER_TURN) return undefined;
    this.#inTurn = count;
    return nextTurn();
  }
}

const BRACE = Buffer.from('}');

/** Lists of numbers as bytes of JSON. Nine digits tell numbers of 32 bits apart. */
class NumberBytes {
  readonly #bytes: Buffer;
  #length = 0;

  /** @param count of all numbers, each of which may be a list of its own */
  constructor(count: number) {
    this.#bytes = Buffer.allocUnsafe(count * (NUMBER_BYTES_MAX + 2) + 4);
  }

  addByte(byte: number): void {
    this.#bytes[this.#length++] = byte;
  }

  addList(numbers: ArrayLike<number>): void {
    this.addByte(OPENING_BRACKET);
    for (let at = 0; at < numbers.length; at++) {
      if (at > 0) this.addByte(COMMA);
      this.#add(numbers[at] as number);
    }
    this.addByte(CLOSING_BRACKET);
  }

  /** The bytes so far, in memory of just their size. */
  taken(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#length));
  }

  #add(number: number): void {
    const size = Math.abs(number);
    // Others than these are rare, and some of them have an exponent.
    if (!(size >= 1e-5 && size < 1e8)) {
      this.#length += this.#bytes.write(String(Number(number.toPrecision(9))), this.#length, 'latin1');
      return;
    }
    let places = size < 1 ? 9 : 8;
    while (size * powerOfTen(places) >= 1e9) places -= 1;
    while (size * powerOfTen(places) < 1e8 && places < POWERS_OF_TEN.length - 1) places += 1;
    // In integers of 32 bits, which are far quicker to take apart.
    let digits = Math.round(size * powerOfTen(places)) | 0;
    while (places > 0) {
      const tenth = (digits / 10) | 0;
      if (tenth * 10 !== digits) break;
      digits = tenth;
      places -= 1;
    }
    if (number < 0) this.addByte(MINUS);
    const whole = digits < powerOfTen(places) ? 0 : (digits / powerOfTen(places)) | 0;
    this.#addDigits(whole, whole < 10 ? 1 : Math.floor(Math.log10(whole) + 1e-9) + 1);
    if (places === 0) return;
    this.addByte(POINT);
    this.#addDigits(whole === 0 ? digits : (digits - whole * powerOfTen(places)) | 0, places);
  }

  #addDigits(digits: number, count: number): void {
    const bytes = this.#bytes;
    const start = this.#length;
    let left = digits;
    for (let at = start + count - 1; at >= start; at--) {
      const tenth = (left / 10) | 0;
      bytes[at] = ZERO + left - tenth * 10;
      left = tenth;
    }
    this.#length += count;
  }
}
