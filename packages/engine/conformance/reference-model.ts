/** The contents of an index in the plainest form: the oracle of random operations. */

export type Kind = 'unstructured' | 'structured';

/** A document as it is sent, which need not be one. */
export type Sent = Readonly<Record<string, unknown>>;

/** A document as it is kept. */
interface Kept {
  readonly fields: Readonly<Record<string, unknown>>;
  /** The texts behind its vectors, by field. */
  readonly chunks: Readonly<Record<string, Chunk>>;
}

/** A text with its vector; the one that it came with, or else that of the model. */
export interface Chunk {
  readonly text: string;
  readonly own?: readonly number[];
}

export interface Outcome {
  readonly _id: string;
  readonly status: number;
}

/** Declared fields of the structured index. Those of the unstructured one have the same types. */
export const fields = [
  { name: 'title', type: 'text', features: ['lexical_search', 'filter'] },
  { name: 'note', type: 'text', features: ['lexical_search', 'filter'] },
  { name: 'count', type: 'int', features: ['filter'] },
  { name: 'price', type: 'float', features: ['filter'] },
  { name: 'sold', type: 'bool', features: ['filter'] },
  { name: 'tags', type: 'array<text>', features: ['filter'] },
  { name: 'sizes', type: 'map<text, int>', features: [] },
  { name: 'place', type: 'geo_point', features: ['filter'] },
  { name: 'weights', type: 'sparse_vector', features: [] },
  { name: 'tokens', type: 'multi_vector', features: [], dimensions: 2 },
  { name: 'own', type: 'custom_vector', features: [] },
] as const;

export const tensorFields = ['title', 'own'];

/** An index, as it is after all operations so far. */
export class ReferenceModel {
  readonly #kind: Kind;
  readonly #documents: Map<string, Kept>;

  constructor(kind: Kind, documents: ReadonlyMap<string, Kept> = new Map()) {
    this.#kind = kind;
    this.#documents = new Map(documents);
  }

  /** The same index, which stays as it is now. */
  snapshot(): ReferenceModel {
    return new ReferenceModel(this.#kind, this.#documents);
  }

  get ids(): readonly string[] {
    return [...this.#documents.keys()];
  }

  /** A document as it is read; undefined where there is none. */
  read(id: string): Sent | undefined {
    const kept = this.#documents.get(id);
    return kept && { _id: id, ...kept.fields };
  }

  /** Returns the texts behind its vectors, by field. */
  chunks(id: string): Readonly<Record<string, Chunk>> {
    return this.#documents.get(id)?.chunks ?? {};
  }

  /** Adds documents or puts them in the place of others; what becomes of those that count. */
  add(documents: readonly Sent[]): Outcome[] {
    return lastOfEachId(documents).map((document) => {
      const { _id, ...sent } = document;
      if (typeof _id !== 'string') return { _id: '', status: 400 };
      if (Object.values(sent).some((value) => value === MALFORMED)) return { _id, status: 400 };
      const status = this.#documents.has(_id) ? 200 : 201;
      const { own, ...rest } = sent as { title?: string; own?: { content: string; vector: readonly number[] } };
      const chunks = {
        ...(rest.title !== undefined && { title: { text: rest.title } }),
        ...(own !== undefined && { own: { text: own.content, own: own.vector } }),
      };
      const shown = { ...rest, ...(own !== undefined && { own: own.content }) };
      this.#documents.set(_id, { fields: this.#shown(shown), chunks });
      return { _id, status };
    });
  }

  /** Changes fields of documents, each as a whole or not at all. */
  update(updates: readonly Sent[]): Outcome[] {
    return lastOfEachId(updates).map(({ _id, ...changes }) => {
      if (typeof _id !== 'string') return { _id: String(_id ?? ''), status: 400 };
      const kept = this.#documents.get(_id);
      const isRefused = Object.entries(changes).some(([field, value]) => this.#refuses(field, value, kept));
      if (isRefused && (kept !== undefined || this.#kind === 'structured')) return { _id, status: 400 };
      if (kept === undefined) return { _id, status: this.#kind === 'structured' ? 404 : 400 };
      const unchanged = Object.entries(kept.fields).filter(([name]) => !((name.split('.')[0] as string) in changes));
      const set = Object.entries(changes).filter(([, value]) => value !== null);
      const after = { ...Object.fromEntries(unchanged), ...this.#shown(Object.fromEntries(set)) };
      this.#documents.set(_id, { ...kept, fields: after });
      return { _id, status: 200 };
    });
  }

  delete(ids: readonly string[]): Outcome[] {
    return ids.map((_id) => ({ _id, status: this.#documents.delete(_id) ? 200 : 404 }));
  }

  /**
   * Tells whether a document with this field is refused: a text behind a vector cannot be changed, and no field changes
   * its type.
   */
  #refuses(field: string, value: unknown, kept: Kept | undefined): boolean {
    if (value === MALFORMED) return true;
    if (this.#kind === 'structured') return tensorFields.includes(field);
    return kept !== undefined && field in kept.chunks;
  }

  /** Fields as they are read back: an unstructured index has a field for each entry of a map. */
  #shown(sent: Sent): Sent {
    if (this.#kind === 'structured') return sent;
    const entries = Object.entries(sent).flatMap(([name, value]) =>
      name === 'sizes' ? Object.entries(value as object).map(([key, size]) => [`sizes.${key}`, size]) : [[name, value]],
    );
    return Object.fromEntries(entries);
  }
}

/** A value that no field can have, whatever its type. */
export const MALFORMED: unknown = Object.freeze({ not: Object.freeze(['flat']) });

/** Keeps the last of several documents with one id. */
function lastOfEachId(documents: readonly Sent[]): readonly Sent[] {
  return documents.filter(
    ({ _id }, i) => typeof _id !== 'string' || !documents.slice(i + 1).some((later) => later._id === _id),
  );
}
