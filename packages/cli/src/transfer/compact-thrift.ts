/** A struct by the numbers of its fields. */
export type Struct = ReadonlyMap<number, Value>;
/** Integers of 64 bits are as exact as a number is. */
export type Value = number | boolean | Uint8Array | readonly Value[] | Struct;

/** Types of the compact protocol. */
const STOP = 0;
const TRUE = 1;
const FALSE = 2;
const BYTE = 3;
const I16 = 4;
const I32 = 5;
const I64 = 6;
const DOUBLE = 7;
const BINARY = 8;
const LIST = 9;
const STRUCT = 12;

/** Structs within structs; the metadata of Parquet has about six. */
const DEPTH_MAX = 32;
/** Bytes of an integer of 64 bits. */
const VARINT_BYTES_MAX = 10;

/**
 * Reads Thrift's compact protocol, in which Parquet has its metadata, in a time that grows with the bytes alone: lists are no
 * longer than what is left of them, and integers no longer than 64 bits.
 */
export class CompactReader {
  readonly #bytes: Uint8Array;
  offset: number;

  constructor(bytes: Uint8Array, offset = 0) {
    this.#bytes = bytes;
    this.offset = offset;
  }

  /** @throws Error for bytes that are no struct */
  struct(depth = 0): Struct {
    if (depth > DEPTH_MAX) throw new Error(`structs lie ${DEPTH_MAX} deep in each other`);
    const fields = new Map<number, Value>();
    for (let id = 0; ; ) {
      const byte = this.byte();
      const type = byte & 0x0f;
      if (type === STOP) return fields;
      const step = byte >> 4;
      id = step > 0 ? id + step : this.#integer();
      fields.set(id, this.#value(type, depth));
    }
  }

  byte(): number {
    const byte = this.#bytes[this.offset];
    if (byte === undefined) throw new Error(`it ends within a value, at byte ${this.offset}`);
    this.offset += 1;
    return byte;
  }

  /** An unsigned integer, seven bits in a byte. */
  varint(): number {
    let value = 0;
    for (let at = 0; at < VARINT_BYTES_MAX; at += 1) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** (7 * at);
      if (byte < 0x80) return value;
    }
    throw new Error(`an integer has more than ${VARINT_BYTES_MAX} bytes`);
  }

  /** A signed integer, whose lowest bit is its sign. */
  #integer(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  #value(type: number, depth: number): Value {
    switch (type) {
      case TRUE:
      case FALSE:
        return type === TRUE;
      case BYTE:
        return this.byte();
      case I16:
      case I32:
      case I64:
        return this.#integer();
      case DOUBLE:
        return this.#taken(8);
      case BINARY:
        return this.#taken(this.varint());
      case LIST:
        return this.#list(depth);
      case STRUCT:
        return this.struct(depth + 1);
      default:
        throw new Error(`the type ${type} is unknown`);
    }
  }

  #list(depth: number): Value[] {
    const byte = this.byte();
    const length = byte >> 4 === 15 ? this.varint() : byte >> 4;
    const left = this.#bytes.length - this.offset;
    if (length > left) throw new Error(`a list of ${length} is in ${left} bytes`);
    // A truth value of a list has a byte of its own.
    const type = (byte & 0x0f) === TRUE || (byte & 0x0f) === FALSE ? BYTE : byte & 0x0f;
    return Array.from({ length }, () => this.#value(type, depth));
  }

  #taken(length: number): Uint8Array {
    const left = this.#bytes.length - this.offset;
    if (length > left) throw new Error(`a value of ${length} bytes is in ${left}`);
    this.offset += length;
    return this.#bytes.subarray(this.offset - length, this.offset);
  }
}
