/** Bytes of a header; what an entry holds is padded to a multiple of it. */
export const BLOCK_BYTES = 512;

/** What a header says of an entry. */
export interface TarHeader {
  readonly name: string;
  /** Bytes that follow it, without their padding. */
  readonly bytes: number;
  /**
   * `0` a file, `5` a folder, `x` members of the next entry, `L` its name, `K` where it links to, `g` members of all; others
   * are links, devices and the like.
   */
  readonly kind: string;
}

/** Members that a header of the kind `x` gives to the next entry, as far as they are needed. */
export interface TarMembers {
  readonly name?: string;
  readonly bytes?: number;
  /** Only parts of the file follow. */
  readonly isSparse?: boolean;
}

/** Where the fields of a header are, as POSIX.1-1988 has it. */
const NAME = [0, 100] as const;
const SIZE = [124, 136] as const;
const SUM = [148, 156] as const;
const KIND = 156;
const MAGIC = [257, 263] as const;
const PREFIX = [345, 500] as const;

/** Reads a header; null for the block of zeros that ends an archive. @throws Error for what is none */
export function readHeader(block: Buffer): TarHeader | null {
  if (block.every((byte) => byte === 0)) return null;
  // The sum is taken as if its own field held blanks.
  const sum = block.reduce((total, byte, i) => total + (i >= SUM[0] && i < SUM[1] ? 0x20 : byte), 0);
  if (sum !== number(block.subarray(...SUM))) throw new Error('a header does not agree with its sum');
  const isPosix = block.toString('latin1', ...MAGIC) === 'ustar\0';
  const prefix = isPosix ? text(block.subarray(...PREFIX)) : '';
  const name = text(block.subarray(...NAME));
  const kind = String.fromCharCode(block[KIND] ?? 0);
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    bytes: number(block.subarray(...SIZE)),
    // Older archives have no kind for a file, and 7 for one that lies in one piece.
    kind: kind === '\0' || kind === '7' ? '0' : kind,
  };
}

/** Reads `LENGTH KEY=VALUE` lines, of which the length counts the whole line. @throws Error for what is none */
export function readMembers(lines: Buffer): TarMembers {
  const found: { name?: string; bytes?: number; isSparse?: boolean } = {};
  for (let at = 0; at < lines.length; ) {
    const blank = lines.indexOf(' ', at);
    const length = Number(lines.toString('latin1', at, blank));
    const isLine = blank > at && Number.isInteger(length) && length > blank - at && at + length <= lines.length;
    if (!isLine) throw new Error('the members of an entry cannot be read');
    const [, key = '', value = ''] = /^([^=]*)=(.*)\n$/s.exec(lines.toString('utf8', blank + 1, at + length)) ?? [];
    if (key === 'path') found.name = value;
    if (key === 'size') found.bytes = size(Number(value));
    if (key.startsWith('GNU.sparse.')) found.isSparse = true;
    at += length;
  }
  return found;
}

/** A text that ends with its field or at a zero. */
export function text(field: Buffer): string {
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end === -1 ? field.length : end);
}

/** Digits of base 8, or after a byte of 128 a number of base 256, for files of 8 GiB and more. */
function number(field: Buffer): number {
  if (field[0] === 0x80) return size(field.subarray(1).reduce((total, byte) => total * 256 + byte, 0));
  const digits = text(field).trim();
  if (!/^[0-7]*$/.test(digits)) throw new Error('a number of a header cannot be read');
  return size(Number.parseInt(digits || '0', 8));
}

function size(value: number): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new Error('a size of a header cannot be read');
}
