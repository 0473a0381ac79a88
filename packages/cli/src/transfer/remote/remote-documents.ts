import { parseExactly } from '../exact-json.js';
import type { Item, Source } from '../source.js';
import type { Remote, RemoteDocument, RemoteVectors } from './remote.js';

/** A page that was begun: the number of documents before it, and its place as JSON. */
interface Begun {
  readonly before: number;
  readonly place: string | undefined;
}

/** Documents of a collection of another service. The place of an item is its number in the order of the service. */
export class RemoteDocuments implements Source {
  readonly header: undefined;
  readonly names: undefined;
  readonly done: undefined;
  readonly note: string | undefined;
  readonly vectors: RemoteVectors | undefined;
  readonly #remote: Remote;
  readonly #resumed: Begun | undefined;
  #begun: Begun[] = [];

  /**
   * @param takesVectors false to embed documents anew
   * @param resumed the mark of the place where an earlier import stopped
   */
  constructor(remote: Remote, takesVectors: boolean, resumed: string | undefined) {
    this.#remote = remote;
    this.note = remote.note;
    if (takesVectors) this.vectors = remote.vectors;
    if (resumed !== undefined) this.#resumed = JSON.parse(resumed) as Begun;
  }

  /** A mark from which a later import goes on behind a number of documents. */
  markOf(items: number): string | undefined {
    while ((this.#begun[1]?.before ?? Number.POSITIVE_INFINITY) <= items) this.#begun.shift();
    const [page] = this.#begun;
    return page === undefined ? undefined : JSON.stringify(page);
  }

  async *items(skipped: number): AsyncGenerator<Item> {
    const isUsable = this.#resumed !== undefined && this.#resumed.before <= skipped;
    let { before, place = undefined }: Begun = isUsable ? this.#resumed : { before: 0, place: undefined };
    this.#begun = [];
    for (;;) {
      this.#begun.push({ before, place });
      const page = await this.#remote.page(place === undefined ? undefined : parseExactly(place));
      for (const [at, document] of page.documents.entries()) {
        const number = before + at + 1;
        if (number > skipped) yield this.#itemOf(number, document);
      }
      if (page.next === undefined) return;
      [before, place] = [before + page.documents.length, JSON.stringify(page.next)];
    }
  }

  async again(): Promise<RemoteDocuments> {
    return this;
  }

  async isSealed(): Promise<boolean> {
    return false;
  }

  async damage(): Promise<undefined> {}

  #itemOf(place: number, { id, fields, vector }: RemoteDocument): Item {
    const { _id, ...own } = fields;
    const field = this.vectors?.field;
    if (field === undefined || vector === undefined) return { place, text: JSON.stringify({ _id: id, ...own }) };
    const text = JSON.stringify({ _id: id, ...own, [field]: { vector } });
    if (!(field in own)) return { place, text };
    return { place, text, problem: `The field '${field}' is called as the vector is` };
  }
}
