import { parseExactly } from '../../exact-json.js';
import { NoAnswer } from '../../server-call.js';
import { TransferFailure } from '../transfer-failure.js';
import {
  leftOut,
  numberOf,
  type Remote,
  type RemoteApi,
  type RemoteDocument,
  type RemotePage,
  type RemoteVectors,
  vectorProblem,
} from './remote.js';

const PAGE_DOCUMENTS = 256;
/** The times that an answer which was cut is asked for again from where it was. */
const TRIES_MAX = 5;
const SPACES: Readonly<Record<string, string>> = { cosine: 'angular', ip: 'dotproduct', l2: 'euclidean' };

interface Field {
  readonly name: string;
  readonly type?: string;
  readonly num_dim?: unknown;
  readonly vec_dist?: string;
}

/**
 * A collection of Typesense. It takes the vector that is named, or else the first. The only list in an order that stays
 * is the export, one answer with all documents.
 */
export async function typesenseCollection(
  api: RemoteApi,
  collection: string,
  named: string | undefined,
): Promise<Remote> {
  const path = `/collections/${encodeURIComponent(collection)}`;
  const { fields } = await api.call<{ fields?: readonly Field[] }>('GET', path);
  if (!Array.isArray(fields)) throw api.unexpected(`GET ${path}`);
  const vectors = (fields as readonly Field[]).filter((field) => (numberOf(field.num_dim) ?? 0) > 0);
  const names = vectors.map(({ name }) => name);
  const field = vectors.find(({ name }) => name === (named ?? names[0]));
  const taken = field && vectorsOf(field);
  const documents = new ExportedDocuments(api, `${path}/documents/export`, field?.name, names);
  return {
    vectors: taken,
    problem: vectorProblem(named, names, taken === undefined ? field && metricOf(field) : undefined),
    note: leftOut(names, field?.name),
    page: (place) => documents.page(typeof place === 'string' ? place : undefined),
    close: () => documents.close(),
  };
}

/** The documents of an export, which is read as far as pages of it are asked for. */
class ExportedDocuments {
  readonly #api: RemoteApi;
  readonly #path: string;
  readonly #vector: string | undefined;
  readonly #vectors: ReadonlySet<string>;
  #lines: AsyncGenerator<string> | undefined;
  /** The id of the document that was read last. */
  #last: string | undefined;

  constructor(api: RemoteApi, path: string, vector: string | undefined, vectors: readonly string[]) {
    this.#api = api;
    this.#path = path;
    this.#vector = vector;
    this.#vectors = new Set(vectors);
  }

  /** @param after the id of the document before the page */
  async page(after: string | undefined): Promise<RemotePage> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#read(after);
      } catch (error) {
        this.close();
        if (!(error instanceof NoAnswer)) throw error;
        if (tries < TRIES_MAX) continue;
        throw new TransferFailure(`The export of typesense broke off ${TRIES_MAX} times in a row: ${error.message}`);
      }
    }
  }

  close(): void {
    void this.#lines?.return(undefined);
    this.#lines = undefined;
  }

  async #read(after: string | undefined): Promise<RemotePage> {
    if (this.#lines === undefined || this.#last !== after) await this.#goBehind(after);
    const documents: RemoteDocument[] = [];
    while (documents.length < PAGE_DOCUMENTS) {
      const document = await this.#next();
      if (document === undefined) {
        this.close();
        return { documents, next: undefined };
      }
      documents.push(document);
    }
    return { documents, next: this.#last };
  }

  /** Reads up to a document. Where it is gone, all are read again: what is added twice changes nothing. */
  async #goBehind(after: string | undefined): Promise<void> {
    await this.#begin();
    while (after !== undefined && this.#last !== after) {
      if ((await this.#next()) === undefined) return this.#begin();
    }
  }

  async #begin(): Promise<void> {
    this.close();
    this.#last = undefined;
    this.#lines = await this.#api.lines(this.#path);
  }

  async #next(): Promise<RemoteDocument | undefined> {
    const line = await this.#lines?.next();
    if (line === undefined || line.done === true) return undefined;
    const document = this.#documentOf(line.value);
    this.#last = document.id;
    return document;
  }

  #documentOf(line: string): RemoteDocument {
    const read = readObject(line);
    if (typeof read?.id !== 'string') throw this.#api.unexpected(`GET ${this.#path}`);
    const { id, ...own } = read as { readonly id: string } & Readonly<Record<string, unknown>>;
    const fields = Object.fromEntries(Object.entries(own).filter(([name]) => !this.#vectors.has(name)));
    const vector = this.#vector === undefined ? undefined : own[this.#vector];
    return { id, fields, vector: Array.isArray(vector) ? vector : undefined };
  }
}

function readObject(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseExactly(line);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

function vectorsOf(field: Field): RemoteVectors | undefined {
  const [dimensions, spaceType] = [numberOf(field.num_dim), SPACES[metricOf(field)]];
  if (dimensions === undefined || spaceType === undefined) return undefined;
  return { field: field.name, dimensions, spaceType };
}

function metricOf({ vec_dist: metric = 'cosine' }: Field): string {
  return metric;
}
