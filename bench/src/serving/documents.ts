import { randomNumbers } from './vectors.ts';

/** One request of the writer. The documents of a removal have no rows. */
export interface Write {
  documents: number[];
  /** The vector that each document has from now on. */
  rows: number[];
}

/** Slots that documents are spread over: a filter on a share of them lets that share pass. */
export const SLOTS = 100_000;

/**
 * The documents that there are after each write, and their vectors. A document's number never changes; its slot, which
 * filters ask for, follows from the number.
 */
export class Documents {
  /** The row of each document; -1 for one that is gone. */
  readonly #rows: number[];
  readonly #writes: Write[] = [];
  readonly #random = randomNumbers(3);
  readonly #initial: number;
  #nextRow: number;

  constructor(count: number) {
    this.#initial = count;
    this.#rows = Array.from({ length: count }, (_, document) => document);
    this.#nextRow = count;
  }

  static slot(document: number): number {
    return Math.floor(randomNumbers(document + 17)() * SLOTS);
  }

  /** The next write, counted as done: new documents, new vectors, removals, in turn. */
  next(size: number): Write {
    const documents = Array.from({ length: size }, (_, i) => {
      if (this.#writes.length % 3 === 0) return this.#rows.length + i;
      return this.#anyLiving();
    });
    const distinct = [...new Set(documents)];
    const removes = this.#writes.length % 3 === 2;
    const write = { documents: distinct, rows: removes ? [] : distinct.map((_, i) => this.#nextRow + i) };
    this.#nextRow += write.rows.length;
    this.#writes.push(write);
    apply(this.#rows, write);
    return write;
  }

  #anyLiving(): number {
    for (;;) {
      const document = Math.floor(this.#random() * this.#rows.length);
      if ((this.#rows[document] ?? -1) >= 0) return document;
    }
  }

  /** The row of each document after the first `writes` writes. */
  after(writes: number): number[] {
    const rows = Array.from({ length: this.#initial }, (_, document) => document);
    for (const write of this.#writes.slice(0, writes)) apply(rows, write);
    return rows;
  }

  /** The documents that the writes from `first` to before `end` touched. */
  touched(first: number, end: number): Set<number> {
    return new Set(this.#writes.slice(first, end).flatMap((write) => write.documents));
  }
}

function apply(state: number[], { documents, rows }: Write): void {
  documents.forEach((document, i) => {
    state[document] = rows[i] ?? -1;
  });
}
