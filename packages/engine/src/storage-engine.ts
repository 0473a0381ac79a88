import type { engine } from '@pelorus/contract';

export type SearchPlan = engine.SearchPlan;
export type TensorLeg = engine.TensorLeg;
export type LexicalLeg = engine.LexicalLeg;

/**
 * Where indexes live. One implementation keeps them in this process; the interface is what another
 * one, on other machines, has to offer.
 *
 * Control is JSON in UTF-8, vectors are rows of f32, and what comes back is a finished response
 * body: documents pass through as bytes and never become JavaScript objects. Inputs may be reused
 * as soon as a call has returned its promise.
 *
 * Calls fail with an {@link EngineError}. Those that name an index fail with `index_not_found`
 * when there is none.
 */
export interface StorageEngine {
  /** Creates an index, durably. Fails with `index_already_exists`. */
  createIndex(name: string, definition: Uint8Array): Promise<void>;
  /** Deletes an index with all it holds. */
  dropIndex(name: string): Promise<void>;
  /** Names of all indexes, sorted. */
  listIndexes(): string[];
  /** The bytes given to `createIndex`, from memory. */
  definition(name: string): Buffer;
  /** See {@link EngineStats}. */
  stats(name: string): Promise<Buffer>;
  /** What is wrong at this moment, from memory. */
  health(): EngineHealth;

  /** Takes an add request apart. Fails with `json_decode_error`. */
  prepareAdd(name: string, body: Uint8Array): Promise<AddBatch>;
  /**
   * Commits a prepared batch; resolves when its documents are durable and seen by every read.
   * `vectors` is `[texts, dimensions]`, one row for each text that {@link AddBatch.prepare} named.
   * The body is `{"errors": boolean, "items": [...]}`. A batch is applied once.
   */
  apply(batch: AddBatch, vectors: Float32Array): Promise<ItemsResponse>;
  /** `request` is `{"documentIds": [...], "exposeFacets": boolean}`. */
  getDocuments(name: string, request: Uint8Array): Promise<ItemsResponse>;
  /** `request` is `{"documentIds": [...]}`. Resolves when the deletion is durable and seen by every read. */
  deleteDocuments(name: string, request: Uint8Array): Promise<ItemsResponse>;

  /**
   * Runs a search. `vectors` is `[weights, dimensions]`, one row for each weight of the plan's tensor
   * leg. The answer is `{"hits": [...]}`; members may be put in front of its final brace.
   */
  search(name: string, plan: SearchPlan, vectors: Float32Array): Promise<Buffer>;

  /** Finishes queued writes and lets go of the data. Later calls find no index. */
  close(): Promise<void>;
}

/** What an engine says of itself. */
export interface EngineHealth {
  /** The worst of `indexes`, green without any. */
  status: 'green' | 'yellow' | 'red';
  /** Every index that is not green. */
  indexes: IndexHealth[];
}

export interface IndexHealth {
  name: string;
  status: 'yellow' | 'red';
  /** Of the error that calls to this index fail with. */
  code: string;
  /** What happened, and what to do about it. */
  reason: string;
}

/** The documents of one add request, on their way in. */
export interface AddBatch {
  /** The request's body with `documents` emptied; for checking against the contract. */
  readonly envelope: Buffer;
  /** How many documents came. */
  readonly count: number;
  /**
   * Checks the documents by the given options and answers `{"texts": [...]}`: the distinct texts to
   * embed, prefixes included. Called once.
   */
  prepare(options: Uint8Array): Promise<Buffer>;
}

/** A finished body about several items, and the figures of its `x-count-*` headers. */
export interface ItemsResponse {
  /** A JSON object; members may be put in front of its final brace. */
  body: Buffer;
  /** Items with a 2xx status. */
  success: number;
  /** Items with a 4xx status. */
  failure: number;
  /** Items with a 5xx status. */
  error: number;
}

/** What {@link StorageEngine.stats} holds, as JSON. */
export interface EngineStats {
  numberOfDocuments: number;
  numberOfVectors: number;
  memoryBytes: number;
  /** {@link memoryBytes} by what it is for. */
  memory: { vectors: number; columns: number; lexical: number; filters: number; documents: number };
}
