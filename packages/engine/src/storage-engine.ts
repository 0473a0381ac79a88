import type { engine, schemas } from '@pelorus/contract';
import type { InputBatch } from '@pelorus/node';
import type { IndexAliases } from './aliases.js';

/** The problems of a store at this moment. */
export interface StorageHealth extends engine.EngineHealth {
  /** Problems of the whole of it, with their remedies. */
  readonly reasons?: readonly string[];
}

/**
 * The store of indexes. One implementation keeps them in this process; the interface is what another one, on other
 * machines, has to offer. The suite in `conformance` tests its promises.
 *
 * Requests and answers are values of the types in `openapi/engine.yaml`, vectors are rows of f32.
 * Documents pass through as bytes and never become JavaScript objects: what holds any is a JSON
 * object in UTF-8 without blanks around it, finished but for the members that HTTP adds at its end.
 * Inputs may be reused as soon as a call has returned its promise.
 *
 * Calls fail with an {@link EngineError}. Those that name an index fail with `index_not_found`
 * when there is none.
 */
export interface StorageEngine {
  /** Creates an index, durably. Fails with `index_already_exists`, for the name of an alias as well. */
  createIndex(name: string, definition: StoredDefinition): Promise<void>;
  /**
   * Gives an index another definition, durably; {@link definition} answers with it from then on. It may differ in what
   * only callers act on; one by which documents would be stored or searched otherwise is refused with
   * `invalid_argument`. After another error the old one may be replaced later, as soon as the index takes writes again.
   */
  redefineIndex(name: string, definition: StoredDefinition): Promise<void>;
  /** Deletes an index with all it holds. Fails with `index_has_alias` where an alias stands for it. */
  dropIndex(name: string): Promise<void>;
  /** Names of all indexes, sorted. */
  listIndexes(): Promise<readonly string[]>;
  /**
   * Returns the definition that the index was created with, or has been redefined as since. Every request that names an
   * index asks for it, so an engine has it in memory; one on other machines learns there when an index ends or is
   * redefined. Until then the answer is the same object, and callers may keep what they derive from it by that object.
   */
  definition(name: string): Promise<StoredDefinition>;
  /** Counts of the index: its documents, vectors and bytes. */
  stats(name: string): Promise<engine.EngineStats>;
  /** The problems of this moment, from memory or of a cluster. */
  health(): Promise<StorageHealth>;

  /** Takes an add request apart. Fails with `json_decode_error`, whose details say where. */
  prepareAdd(name: string, body: Uint8Array): Promise<AddBatch>;
  /** Takes an update request apart. Fails with `json_decode_error`, whose details say where. */
  prepareUpdate(name: string, body: Uint8Array): Promise<UpdateBatch>;
  /** One document, a JSON object of its fields with all their digits; null where there is none. */
  getDocument(name: string, request: engine.GetDocumentRequest): Promise<Buffer | null>;
  /** Documents in the order of the request: `{"errors": boolean, "results": [...]}`. */
  getDocuments(name: string, request: engine.GetDocumentsRequest): Promise<ItemsResponse>;
  /**
   * Resolves when the deletion is durable and seen by every read. The body is
   * `{"items": [...], "details": {"receivedDocumentIds", "deletedDocuments"}}`.
   */
  deleteDocuments(name: string, request: engine.DeleteDocumentsRequest): Promise<ItemsResponse>;

  /** Deletes every document that there is when it is called; resolves with their number, as `deleteDocuments` does. */
  deleteAllDocuments(name: string): Promise<number>;
  /** Begins to read all documents as they are now. Later writes do not show. */
  scanDocuments(name: string, request: engine.ScanRequest): Promise<DocumentScan>;

  /**
   * Runs a search. `vectors` is `[weights, dimensions]`, one row for each weight of the plan's tensor
   * leg; a single row may come as it is written, and the search then fails with `invalid_argument` where that is no
   * vector. The answer is `{"hits": [...]}`. Where nobody waits for it any more the search ends, and fails with
   * `vector_store_timeout` or `client_closed_request`.
   */
  search(name: string, plan: engine.SearchPlan, vectors: Float32Array | WrittenVector, wait?: Wait): Promise<Buffer>;
  /**
   * Runs a search, whose plan has the offset 0, and keeps its ranking for pages that follow, each as `search` would give
   * it by its offset if nothing was written meanwhile: the first 100,000 hits, where there are more. Facets and totals
   * count as many documents of the tensor leg as are ranked for all pages. Fails as `search` does.
   */
  rank(name: string, plan: engine.SearchPlan, vectors: Float32Array, wait?: Wait): Promise<RankedSearch>;

  /**
   * Stores queries that the index suggests; resolves when they are durable and seen by every call. A query that cannot
   * be taken is an error of its own: `{"indexed": number, "errors": [{"query", "message", "code"}]}`. Texts that differ
   * in case, accents and blanks alone are one query, and of several in one request the first counts.
   */
  putQueries(name: string, request: engine.PutQueriesRequest): Promise<ItemsResponse>;
  /** Queries in the order of the request, without those that are not there: `{"queries": [...]}`. */
  getQueries(name: string, request: engine.QueriesRequest): Promise<Buffer>;
  /**
   * A page of all queries that the index suggests: `{"queries": [{"query", "popularity", "metadata"}], "cursor"}`, whose
   * cursor is null at the end. The order stays, and each page shows what there is when it is asked for.
   */
  scanQueries(name: string, request: engine.ScanQueriesRequest): Promise<Buffer>;
  /** Removes queries from the suggestions; resolves as `putQueries` does. One that is not there is no error. */
  deleteQueries(name: string, request: engine.QueriesRequest): Promise<void>;
  /** Removes all suggestions; resolves as `putQueries` does. */
  deleteAllQueries(name: string): Promise<void>;
  /** Suggests queries for a typed text, best first: `{"suggestions": [{"suggestion", "_score", "metadata"}]}`. */
  suggest(name: string, plan: engine.SuggestPlan): Promise<Buffer>;

  /** Other names of its indexes; absent where it has none. */
  readonly aliases?: IndexAliases | undefined;

  /** Scans and rankings with which other servers of the same indexes go on; absent where there are no others. */
  readonly sharedReadings?: SharedReadings;

  /** Copies of indexes, and indexes made of them; absent where indexes are kept elsewhere. */
  readonly copies?: IndexCopies | undefined;

  /** Finishes queued writes and lets go of the data. Later calls find no index. */
  close(): Promise<void>;
}

/** Copies of indexes in pieces of a few megabytes: rows that did not change are the same pieces in every copy. */
export interface IndexCopies {
  /** Begins to copy an index as it is now, while it is written to. */
  begin(name: string): Promise<IndexCopy>;
  /**
   * Begins to make an index of the pieces of a copy, under a name that is taken from now on. Fails with
   * `index_already_exists`.
   */
  restore(name: string): Promise<RestoredIndex>;
}

/** One state of an index. It takes room until it is closed, as a scan does, and is ended as a scan is. */
export interface IndexCopy {
  readonly documents: number;
  /** The next piece; null after the last. */
  nextPiece(): Promise<Buffer | null>;
  /** Lets go of the state. */
  close(): void;
}

/** An index that nobody sees before it is whole. */
export interface RestoredIndex {
  /** Takes the pieces in their order. Fails with `backup_damaged` and `newer_format`. */
  add(piece: Uint8Array): Promise<void>;
  /** Makes it one that is served, durably; there is none after an error. */
  finish(): Promise<void>;
  /** Leaves nothing of it, unless it is finished; resolves when its files are gone. */
  close(): Promise<void>;
}

/** For how long a caller waits for an answer. */
export interface Wait {
  /** The time at which it gives up, on the clock of `performance.now()`. */
  readonly deadlineMs: number;
  /** Calls `end` when it gives up before the deadline, at once where it has; at the deadline it may do so too. */
  onEnd(end: () => void): void;
}

/** The settings of an index, given when it is created or redefined. */
export interface StoredDefinition {
  readonly settings: schemas.IndexSettingsResponse;
  readonly resolved: engine.ResolvedSettings;
  /** The rules and synonyms of its searches, which callers act on; absent where it has none. */
  readonly curation?: schemas.Curation;
  /** The same as they were before, newest first, which callers keep as well; absent where they never changed. */
  readonly earlierCurations?: readonly schemas.Curation[];
}

/** The documents of one add request, on their way in. {@link prepare} is called once, then {@link apply}, once. */
export interface AddBatch {
  /** The request's body with `documents` emptied, as JSON; for checking against the contract. */
  readonly envelope: Buffer;
  /** The number of documents that came. */
  readonly count: number;
  /**
   * Checks the documents and answers the inputs to embed, prefixes included, each once. A document that is refused is
   * an item of the answer of {@link apply}. The last of several with one id counts.
   */
  prepare(options: engine.AddOptions): Promise<InputBatch>;
  /**
   * Commits the documents; resolves when they are durable and seen by every read. `vectors` is `[rows, dimensions]`, by
   * the inputs that {@link prepare} gave: one row each, zeros for those that `report` says have failed, and as many as it
   * names parts for those that have such. A document that needs an input that failed is refused, with the reason. The
   * body is `{"errors": boolean, "items": [...]}`.
   */
  apply(vectors: Float32Array, report: engine.EmbeddingReport): Promise<ItemsResponse>;
}

/** The documents of one state of an index. It takes room until it is closed. */
export interface DocumentScan {
  /**
   * The documents from `start` on, which is 0 or the `next` of another page: `limit` of them, or fewer where they are
   * large, but one while there are any. Every page can be asked for again, to the same answer.
   */
  page(start: number, limit: number): Promise<ScanPage>;
  /** Ends the scan; later calls fail. */
  close(): void;
}

/** A reading that other servers can go on with. */
export interface ShareableReading {
  /**
   * Hands on all that another server needs to go on, as JSON has it. From then on `close` lets go of it here alone, and
   * the others can go on for as long as the state of the index is kept, which each page prolongs.
   */
  share(): object;
  /** Ends it for all servers. */
  end(): void;
}

/** A scan that other servers can go on with. */
export interface ShareableScan extends DocumentScan, ShareableReading {
  /** The place of the page at `start` in the state of the index, in digits, which is not known to another server. */
  placeOf(start: number): string;
  /** Takes the place of the page at `start` from another server. */
  goOnAt(start: number, place: string): void;
}

/** A ranking that other servers can go on with. */
export interface ShareableRanking extends RankedSearch, ShareableReading {}

/** The scans and rankings of all servers of the same indexes. */
export interface SharedReadings {
  /** Keeps the record of a reading for as long as one may be read; it is there for all servers when this resolves. */
  keep(id: string, record: object, ageMs: number): Promise<void>;
  /** The record that was kept; undefined where there is none. */
  find(id: string): Promise<unknown>;
  forget(id: string): Promise<void>;
  /**
   * Goes on with what `share` has handed on; undefined where it was of another index of that name. Fails with
   * `snapshot_too_old`, at the latest as a page is read, where its state is kept no longer.
   */
  scan(name: string, shared: unknown): Promise<ShareableScan | undefined>;
  ranking(name: string, shared: unknown, wait?: Wait): Promise<ShareableRanking | undefined>;
}

/** Some documents of a scan. */
export interface ScanPage {
  /** `{"documents": [...]}` */
  readonly body: Buffer;
  /** The number of these. */
  readonly count: number;
  /** The start of the page after this one; absent where this is the last. */
  readonly next?: number;
}

/** A vector as it stands in JSON, a list of finite numbers, which is read where the search runs. */
export interface WrittenVector {
  readonly list: Uint8Array;
}

/** The hits of a search in one state of an index. They take room until it is closed. */
export interface RankedSearch {
  /** The number of hits. */
  readonly count: number;
  /** Bytes of memory that they take, besides the state of the index. */
  readonly memoryBytes: number;
  /**
   * `limit` hits from place `start` on, or the rest of them: `{"hits": [...]}`, with facets, total and all else that a
   * search tells of its ranking where `start` is 0. Every page can be asked for again, to the same answer. Where nobody
   * waits for it any more it fails as a search does.
   */
  page(start: number, limit: number, wait?: Wait): Promise<Buffer>;
  /** Lets go of the hits; later calls fail. */
  close(): void;
}

/** The documents of one update request, on their way in: of each an `_id` and the fields to change. */
export interface UpdateBatch {
  /** As of an {@link AddBatch}. */
  readonly envelope: Buffer;
  /** The number of documents that came. */
  readonly count: number;
  /** Places, from 0, of what is no object among the documents; of many the first hundred. */
  readonly nonObjectPlaces: readonly number[];
  /**
   * Checks the documents and commits the changes, once; resolves when they are durable and seen by every read. Each
   * document is changed as a whole or not at all, `null` removes a field, and of several with one id the last counts.
   * The body is `{"errors": boolean, "items": [...]}`.
   */
  apply(options: engine.UpdateOptions): Promise<ItemsResponse>;
}

/** A finished body about several items, and the figures of its `x-count-*` headers. */
export interface ItemsResponse {
  /** A JSON object. */
  readonly body: Buffer;
  /** Items with a 2xx status. */
  readonly success: number;
  /** Items with a 4xx status. */
  readonly failure: number;
  /** Items with a 5xx status. */
  readonly error: number;
}
