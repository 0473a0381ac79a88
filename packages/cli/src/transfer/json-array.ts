import type { Item } from './source.js';
import { damaged } from './transfer-failure.js';

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST] = [0x22, 0x5c, 0x2c, 0x5b, 0x5d] as const;
const [OPEN, CLOSE] = [0x7b, 0x7d] as const;
const BLANKS: readonly number[] = [0x20, 0x09, 0x0d, 0x0a];

/** Tells whether bytes begin a list of objects, or one that is empty. */
export function startsArray(start: Buffer): boolean {
  return /^(?:\xef\xbb\xbf)?[ \t\r\n]*\[[ \t\r\n]*[{\]]/.test(start.toString('latin1'));
}

/** Bytes behind the end of a list. */
class AfterEnd extends Error {}

/** The elements of a list, each as its bytes: a scanner that is fed chunk by chunk, and keeps no more than one element. */
class Elements {
  readonly #lengthMax: number;
  #parts: Buffer[] = [];
  #length = 0;
  /** The number of lists and objects around the place; undefined before the list begins. */
  #depth: number | undefined;
  #isInText = false;
  #isEscaped = false;
  #isBlank = true;
  #isEnded = false;

  constructor(lengthMax: number) {
    this.#lengthMax = lengthMax;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** @throws AfterEnd for what stands behind the end of the list */
  *take(chunk: Buffer): Generator<{ bytes: Buffer; length: number }> {
    let start = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] as number;
      if (this.#isInText) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) this.#isInText = false;
      } else if (this.#isEnded) {
        if (!BLANKS.includes(byte)) throw new AfterEnd('bytes follow the end of its list');
      } else if (this.#depth === undefined) {
        if (byte === OPEN_LIST) [this.#depth, start] = [0, at + 1];
      } else {
        const isEnd = this.#depth === 0 && byte === CLOSE_LIST;
        if (isEnd || (this.#depth === 0 && byte === COMMA)) {
          this.#keep(chunk.subarray(start, at));
          start = at + 1;
          // A list may be empty, or have a comma behind its last element.
          if (!(isEnd && this.#isBlank)) yield this.#whole();
          this.#isEnded = isEnd;
          this.#isBlank = !isEnd;
        } else {
          if (byte === QUOTE) this.#isInText = true;
          else if (byte === OPEN || byte === OPEN_LIST) this.#depth += 1;
          else if (byte === CLOSE || byte === CLOSE_LIST) this.#depth -= 1;
          this.#isBlank &&= BLANKS.includes(byte);
        }
      }
    }
    if (this.#depth !== undefined && !this.#isEnded) this.#keep(chunk.subarray(start));
  }

  #keep(bytes: Buffer): void {
    this.#length += bytes.length;
    // One that is too long keeps only its beginning.
    if (this.#length <= this.#lengthMax || this.#parts.length === 0) this.#parts.push(bytes);
  }

  #whole(): { bytes: Buffer; length: number } {
    const whole = { bytes: Buffer.concat(this.#parts), length: this.#length };
    [this.#parts, this.#length] = [[], 0];
    return whole;
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Elements of a JSON list that is the whole of a file. The place of an item is its number in the list.
 * @throws TransferFailure for a list without its end, behind all elements before that
 */
export async function* elementsOf(
  file: string,
  chunks: AsyncIterable<Buffer>,
  lengthMax: number,
): AsyncGenerator<readonly Item[]> {
  const elements = new Elements(lengthMax);
  let place = 0;
  for await (const chunk of chunks) {
    const items: Item[] = [];
    let problem: unknown;
    try {
      for (const element of elements.take(chunk)) {
        place += 1;
        items.push(itemOf(place, element, lengthMax));
      }
    } catch (error) {
      problem = error instanceof AfterEnd ? damaged(file, error.message) : error;
    }
    if (items.length > 0) yield items;
    if (problem !== undefined) throw problem;
  }
  if (!elements.isEnded) throw damaged(file, `its list ends amid element ${place + 1}`);
}

function itemOf(place: number, { bytes, length }: { bytes: Buffer; length: number }, lengthMax: number): Item {
  if (length > lengthMax) {
    const text = bytes.toString('utf8', 0, 1000);
    return { place, text, problem: `The element has ${length} bytes, which is more than ${lengthMax}` };
  }
  try {
    return { place, text: decoder.decode(bytes).trim() };
  } catch {
    return { place, text: bytes.toString('utf8'), problem: 'The element is not UTF-8' };
  }
}
