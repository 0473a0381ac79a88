import { parseExactly, sourceOf } from '../../exact-json.js';
import { ExitCode } from '../../start-failure.js';
import type { Item, Source } from '../source.js';
import { TransferFailure } from '../transfer-failure.js';
import type { Remote, RemoteDocument, RemoteVectors } from './remote.js';

/** A page that was begun: the number of documents before it, and its place as JSON. */
interface Begun {
  readonly before: number;
  readonly place: string | undefined;
}

/** The field that a field `_id` beside the id becomes. */
const OWN_ID = 'own_id';

/** Documents of a collection of another service. The place of an item is its number in the order of the service. */
export class RemoteDocuments implements Source {
  readonly header: undefined;
  readonly names: undefined;
  readonly done: undefined;
  readonly vectors: RemoteVectors | undefined;
  readonly #remote: Remote;
  readonly #resumed: Begun | undefined;
  #begun: Begun[] = [];
  #hasOwnIds = false;

  /**
   * @param takesVectors false to embed documents anew
   * @param resumed the mark of the place where an earlier import stopped
   * @throws TransferFailure where vectors are to be taken and cannot be
   */
  constructor(remote: Remote, takesVectors: boolean, resumed: string | undefined) {
    if (takesVectors && remote.problem !== undefined) {
      throw new TransferFailure(`${remote.problem}. --model embeds texts anew`, ExitCode.BAD_CONFIGURATION);
    }
    this.#remote = remote;
    if (takesVectors) this.vectors = remote.vectors;
    if (resumed !== undefined) this.#resumed = JSON.parse(resumed) as Begun;
  }

  get note(): string | undefined {
    const own = this.#hasOwnIds ? `the field _id of documents, which is not their id, becomes ${OWN_ID}` : undefined;
    return [this.#remote.note, own].filter((note) => note !== undefined).join('; ') || undefined;
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
    const hasOwnId = _id !== undefined && _id !== null && _id !== id && sourceOf(_id) !== id;
    if (hasOwnId) this.#hasOwnIds = true;
    const field = this.vectors?.field;
    const added = {
      ...(hasOwnId && { [OWN_ID]: _id }),
      ...(field !== undefined && vector !== undefined && { [field]: { vector } }),
    };
    const text = JSON.stringify({ _id: id, ...own, ...added });
    if (field !== undefined && field in added && (field in own || (hasOwnId && field === OWN_ID))) {
      return { place, text, problem: `The field '${field}' is called as the vector is` };
    }
    if (!hasOwnId || !(OWN_ID in own)) return { place, text };
    return { place, text, problem: `The field '_id' becomes '${OWN_ID}', which is there` };
  }
}
