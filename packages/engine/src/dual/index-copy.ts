import type { AddOptions } from '../index.js';
import type { StorageEngine, StoredDefinition } from '../storage-engine.js';
import type { CopyWork } from './copy-work.js';
import { addBody, foundDocuments } from './found-documents.js';

/** Documents that are read and added at once: each may have many vectors. */
const DOCUMENTS = 50;
/** Ids that are read at once where all documents are copied. */
const PAGE_DOCUMENTS = 1000;
const QUERIES = 500;

/** The tensors of documents come along. */
const GIVEN: AddOptions = {
  tensorFields: [],
  nonTensorFields: null,
  mappings: null,
  useExistingTensors: false,
  useGivenTensors: true,
  textChunkPrefix: '',
  media: [],
  maxDocBytes: null,
  reportsCreation: false,
  keepsOtherFields: false,
  within: null,
};

/** Told what becomes of single documents. */
export interface DocumentOutcomes {
  copied(ids: readonly string[]): void;
  /** The second engine does not take a document, and will not later. */
  refused(id: string, message: string): void;
}

/**
 * Brings parts of one index to the state that they have in the first engine now. Later changes are copied again, so that
 * neither the order of copies nor their number matters.
 */
export class IndexCopy {
  readonly #name: string;
  readonly #first: StorageEngine;
  readonly #second: StorageEngine;
  readonly #outcomes: DocumentOutcomes;
  /** Tells whether the second engine is known to have the index. */
  #isDefined = false;

  constructor(name: string, first: StorageEngine, second: StorageEngine, outcomes: DocumentOutcomes) {
    this.#name = name;
    this.#first = first;
    this.#second = second;
    this.#outcomes = outcomes;
  }

  async run(work: CopyWork): Promise<void> {
    try {
      await this.#run(work);
    } catch (error) {
      this.#isDefined = false;
      throw error;
    }
  }

  async #run(work: CopyWork): Promise<void> {
    const [name, second] = [this.#name, this.#second];
    if (work.isDropped) await this.#dropThere();
    const definition = await orNull(this.#first.definition(name));
    if (definition === null) return this.#dropThere();
    let isWhole = work.isWhole;
    if (!this.#isDefined || work.isDefined || isWhole) isWhole = (await this.#define(definition)) || isWhole;
    if (work.isCleared) await second.deleteAllDocuments(name);
    if (isWhole || work.isCleared) await this.#copyAllDocuments();
    else await this.#copyDocuments([...work.documents]);
    if (isWhole || work.areAllQueries) await this.#copyAllQueries();
    else await this.#copyQueries([...work.queries]);
  }

  async #dropThere(): Promise<void> {
    this.#isDefined = false;
    await orNull(this.#second.dropIndex(this.#name));
  }

  /** Gives the index its definition; tells whether it is a new one, which has nothing yet. */
  async #define(definition: StoredDefinition): Promise<boolean> {
    const [name, second] = [this.#name, this.#second];
    const there = await orNull(second.definition(name));
    let isNew = there === null;
    if (there !== null && JSON.stringify(there) !== JSON.stringify(definition)) {
      try {
        await second.redefineIndex(name, definition);
      } catch (error) {
        if (codeOf(error) !== 'invalid_argument') throw error;
        await this.#dropThere();
        isNew = true;
      }
    }
    if (isNew) await second.createIndex(name, definition);
    this.#isDefined = true;
    return isNew;
  }

  async #copyDocuments(ids: readonly string[]): Promise<void> {
    for (let start = 0; start < ids.length; start += DOCUMENTS) {
      const some = ids.slice(start, start + DOCUMENTS);
      const request = { documentIds: some, exposeFacets: false, exposeTensors: true, within: null };
      const { body } = await this.#first.getDocuments(this.#name, request);
      const { documents, missing, unreadable } = foundDocuments(body, some);
      this.#outcomes.copied(some);
      if (documents.length > 0) await this.#add(documents);
      if (missing.length > 0) await this.#second.deleteDocuments(this.#name, { documentIds: missing, within: null });
      for (const { id, message } of unreadable) this.#outcomes.refused(id, message);
    }
  }

  /** @throws Error for a document that the second engine may take later */
  async #add(documents: readonly Buffer[]): Promise<void> {
    const batch = await this.#second.prepareAdd(this.#name, addBody(documents));
    await batch.prepare(GIVEN);
    const answer = await batch.apply(new Float32Array(0), { failures: [], parts: [] });
    if (answer.failure + answer.error === 0) return;
    const { items } = JSON.parse(answer.body.toString()) as { items: Item[] };
    for (const { _id: id, status, message = `status ${status}` } of items) {
      if (status < 300) continue;
      if (status === 429 || status >= 500) throw new Error(`document '${id}': ${message}`);
      this.#outcomes.refused(id, message);
    }
  }

  /** Copies all documents, and then deletes those that the second engine alone has. */
  async #copyAllDocuments(): Promise<void> {
    await this.#eachPage(this.#first, (ids) => this.#copyDocuments(ids));
    await this.#eachPage(this.#second, async (documentIds) => {
      const request = { documentIds, exposeFacets: false, exposeTensors: false, within: null };
      const { body } = await this.#first.getDocuments(this.#name, request);
      const { missing } = foundDocuments(body, documentIds);
      if (missing.length > 0) await this.#second.deleteDocuments(this.#name, { documentIds: missing, within: null });
    });
  }

  async #eachPage(engine: StorageEngine, take: (ids: readonly string[]) => Promise<void>): Promise<void> {
    const request = { filter: null, within: null, attributesToRetrieve: [], exposeFacets: false, exposeTensors: false };
    const scan = await engine.scanDocuments(this.#name, request);
    try {
      for (let start: number | undefined = 0; start !== undefined; ) {
        const page: { body: Buffer; next?: number } = await scan.page(start, PAGE_DOCUMENTS);
        const { documents } = JSON.parse(page.body.toString()) as { documents: { _id: string }[] };
        if (documents.length > 0) await take(documents.map(({ _id }) => _id));
        start = page.next;
      }
    } finally {
      scan.close();
    }
  }

  /** Queries by their texts: those that are gone are deleted. */
  async #copyQueries(texts: readonly string[]): Promise<void> {
    for (let start = 0; start < texts.length; start += QUERIES) {
      const queries = texts.slice(start, start + QUERIES);
      const answer = await this.#first.getQueries(this.#name, { queries });
      await this.#second.deleteQueries(this.#name, { queries });
      await this.#putQueries(JSON.parse(answer.toString()).queries);
    }
  }

  async #copyAllQueries(): Promise<void> {
    await this.#second.deleteAllQueries(this.#name);
    let cursor: string | null = null;
    do {
      const answer: Buffer = await this.#first.scanQueries(this.#name, { cursor, limit: QUERIES });
      const page = JSON.parse(answer.toString()) as { queries: Query[]; cursor: string | null };
      await this.#putQueries(page.queries);
      cursor = page.cursor;
    } while (cursor !== null);
  }

  async #putQueries(queries: readonly Query[]): Promise<void> {
    if (queries.length === 0) return;
    const put = queries.map(({ query, popularity, metadata }) => ({
      query,
      popularity,
      metadata: JSON.stringify(metadata),
    }));
    await this.#second.putQueries(this.#name, { queries: put });
  }
}

interface Item {
  readonly _id: string;
  readonly status: number;
  readonly message?: string;
}

interface Query {
  readonly query: string;
  readonly popularity: number;
  readonly metadata: object;
}

export function codeOf(error: unknown): unknown {
  return (error as { code?: unknown }).code;
}

/** The result; null where there is no such index. */
async function orNull<Result>(call: Promise<Result>): Promise<Result | null> {
  try {
    return await call;
  } catch (error) {
    if (codeOf(error) === 'index_not_found') return null;
    throw error;
  }
}
