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

/** A page in which an import stopped, and the document behind which it goes on; undefined for the start of the page. */
interface Mark extends Begun {
  readonly after?: string;
}

const LATE_VECTOR =
  'It has a vector, and the first documents have none: --from-vector with its name imports all into another index';

/** The field that a field `_id` beside the id becomes. */
const OWN_ID = 'own_id';

/** Documents of a collection of another service. The place of an item is its number in the order of the service. */
export class RemoteDocuments implements Source {
  readonly header: undefined;
  readonly names: undefined;
  readonly done: undefined;
  readonly vectors: RemoteVectors | undefined;
  readonly #remote: Remote;
  readonly #resumed: Mark | undefined;
  #begun: (Begun & { readonly ids: readonly string[] })[] = [];
  readonly #takesVectors: boolean;
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
    this.#takesVectors = takesVectors;
    if (takesVectors) this.vectors = remote.vectors;
    if (resumed !== undefined) this.#resumed = JSON.parse(resumed) as Mark;
  }

  get note(): string | undefined {
    const own = this.#hasOwnIds ? `the field _id of documents, which is not their id, becomes ${OWN_ID}` : undefined;
    return [this.#remote.note, own].filter((note) => note !== undefined).join('; ') || undefined;
  }

  /** A mark from which a later import goes on behind a number of documents. */
  markOf(items: number): string | undefined {
    while ((this.#begun[1]?.before ?? Number.POSITIVE_INFINITY) <= items) this.#begun.shift();
    const [page] = this.#begun;
    if (page === undefined) return undefined;
    const { ids, ...begun } = page;
    const after = ids[items - begun.before - 1];
    return JSON.stringify({ ...begun, ...(after !== undefined && { after }) } satisfies Mark);
  }

  /**
   * Goes on behind the document of the mark, and not behind a number: documents may have been deleted meanwhile. Where it
   * is gone itself its whole page is given again, as what is added twice changes nothing.
   */
  async *items(skipped: number): AsyncGenerator<readonly Item[]> {
    const mark: Mark | undefined = skipped === 0 ? undefined : this.#resumed;
    let [{ before, place }, after]: [Begun, string | undefined] = [
      mark ?? { before: 0, place: undefined },
      mark?.after,
    ];
    this.#begun = [];
    try {
      for (;;) {
        const page = await this.#remote.page(place === undefined ? undefined : parseExactly(place));
        this.#begun.push({ before, place, ids: page.documents.map(({ id }) => id) });
        const start = after === undefined ? 0 : page.documents.findIndex(({ id }) => id === after) + 1;
        const rest = page.documents.slice(start);
        if (rest.length > 0) yield rest.map((document, at) => this.#itemOf(before + start + at + 1, document));
        if (page.next === undefined) return;
        [before, place, after] = [before + page.documents.length, JSON.stringify(page.next), undefined];
      }
    } finally {
      this.#remote.close?.();
    }
  }

  async again(): Promise<RemoteDocuments> {
    return this;
  }

  async isSealed(): Promise<boolean> {
    return false;
  }

  async damage(): Promise<undefined> {}

  #itemOf(place: number, { id, fields, vector, problem }: RemoteDocument): Item {
    const { _id, ...own } = fields;
    const hasOwnId = _id !== undefined && _id !== null && _id !== id && sourceOf(_id) !== id;
    if (hasOwnId) this.#hasOwnIds = true;
    const field = this.vectors?.field;
    const added = {
      ...(hasOwnId && { [OWN_ID]: _id }),
      ...(field !== undefined && vector !== undefined && { [field]: { vector } }),
    };
    const text = JSON.stringify({ _id: id, ...own, ...added });
    if (problem !== undefined) return { place, text, problem };
    if (this.#takesVectors && field === undefined && vector !== undefined) return { place, text, problem: LATE_VECTOR };
    if (field !== undefined && field in added && (field in own || (hasOwnId && field === OWN_ID))) {
      return { place, text, problem: `The field '${field}' is called as the vector is` };
    }
    if (!hasOwnId || !(OWN_ID in own)) return { place, text };
    return { place, text, problem: `The field '_id' becomes '${OWN_ID}', which is there` };
  }
}
