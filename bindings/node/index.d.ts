// Types of the native add-on, written by hand: the twin of the `#[napi]` items in `src`.
//
// Every error thrown or rejected with is an `Error` with a stable `code`; a wrong type of argument
// has `code` "InvalidArg". Inputs are copied before a call returns, so buffers may be reused at
// once. Bytes are JSON in UTF-8.

/** A response body about several items, and the figures of its `x-count-*` headers. */
export interface ItemsResponse {
  /** A JSON object; more members may be put in front of its final brace. */
  body: Buffer;
  /** Items with a 2xx status. */
  success: number;
  /** Items with a 4xx status. */
  failure: number;
  /** Items with a 5xx status. */
  error: number;
}

/** Every index of one data directory. Not constructed: see {@link Engine.open}. */
export class Engine {
  private constructor();

  /**
   * Opens a data directory, making it where it is missing. Rejects with `data_directory_in_use`,
   * `data_directory_unreadable`, `newer_format`.
   */
  static open(directory: string, options: Uint8Array): Promise<Engine>;

  /** Creates an index, durably. Rejects with `index_already_exists`. */
  createIndex(name: string, definition: Uint8Array): Promise<void>;
  /** Deletes an index with all it holds. Rejects with `index_not_found`, as do all below. */
  dropIndex(name: string): Promise<void>;
  /** Names of all indexes, sorted. */
  listIndexes(): string[];
  /**
   * `{status, indexes: [{name, status, code, reason}]}` with the indexes that are not `green`. Waits
   * for nothing.
   */
  health(): Buffer;
  /** The bytes given to `createIndex`. Throws `index_not_found`. */
  definition(name: string): Buffer;
  /** `{numberOfDocuments, numberOfVectors, memoryBytes, memory}`. */
  stats(name: string): Promise<Buffer>;

  /** Splits an add request into envelope and documents. Rejects with `json_decode_error`. */
  prepareAdd(name: string, body: Uint8Array): Promise<AddBatch>;
  /**
   * Commits a prepared batch; resolves when it is durable and visible. `vectors` is `[texts, dim]`,
   * row-major, one row for each text that {@link AddBatch.prepare} named. A batch applies once.
   */
  apply(batch: AddBatch, vectors: Float32Array): Promise<ItemsResponse>;
  /** `request` is `{"documentIds": [...], "exposeFacets": boolean}`. */
  getDocuments(name: string, request: Uint8Array): Promise<ItemsResponse>;
  /** `request` is `{"documentIds": [...]}`; resolves when the deletion is durable and visible. */
  deleteDocuments(name: string, request: Uint8Array): Promise<ItemsResponse>;

  /** Runs a plan. `vectors` is `[weights, dim]`, row-major: one row for each weight of the plan. */
  search(name: string, plan: Uint8Array, vectors: Float32Array): Promise<Buffer>;

  /** Finishes queued writes and releases the directory. Later calls find no index. */
  close(): Promise<void>;
}

/** The documents of one add request. Made by {@link Engine.prepareAdd}. */
export class AddBatch {
  private constructor();

  /** The request's body with `documents` emptied. */
  readonly envelope: Buffer;
  /** How many documents came. */
  readonly count: number;
  /** Checks the documents; gives `{"texts": [...]}`, the distinct texts to embed. Once per batch. */
  prepare(options: Uint8Array): Promise<Buffer>;
}

/** Token ids of several texts; text `i` has `ids.subarray(offsets[i], offsets[i + 1])`. */
export interface Encoded {
  ids: Int32Array<ArrayBuffer>;
  /** One more than there are texts. */
  offsets: Uint32Array<ArrayBuffer>;
}

/** A model's tokenizer. */
export class Tokenizer {
  private constructor();

  /** Reads a `tokenizer.json`. `maxTokens` counts special tokens. Fails with `invalid_argument`. */
  static load(json: Uint8Array, maxTokens: number): Promise<Tokenizer>;
  /** Encodes texts with special tokens, each cut to `maxTokens`. */
  encode(texts: string[]): Promise<Encoded>;
}

/**
 * The mean over the attended tokens of each text, `[batch, dim]`. `hidden` is `[batch, len, dim]`,
 * `mask` `[batch, len]` with 0 for padding. Throws `invalid_argument` when sizes do not fit.
 */
export function meanPool(
  hidden: Float32Array,
  mask: BigInt64Array,
  batch: number,
  len: number,
  dim: number,
): Float32Array<ArrayBuffer>;

/** The first token's vector of each text, `[batch, dim]`. As {@link meanPool} otherwise. */
export function clsPool(hidden: Float32Array, batch: number, len: number, dim: number): Float32Array<ArrayBuffer>;

/** Rows of `[rows, dim]` at unit length; a row of zeros stays. */
export function normalize(vectors: Float32Array, dim: number): Float32Array<ArrayBuffer>;

/** Unit vectors that depend on the text alone, `[texts, dim]`: a model without meaning. */
export function randomVectors(texts: string[], dim: number): Float32Array<ArrayBuffer>;

/** Splits a text into windows; `splitMethod` is `character`, `word`, `sentence` or `passage`. */
export function chunk(text: string, splitMethod: string, splitLength: number, splitOverlap: number): string[];

/** Gives memory that was freed back to the operating system, where its allocator would keep it. Takes milliseconds. */
export function releaseMemory(): Promise<void>;

/** A report of the engine. */
export interface LogRecord {
  level: 'error' | 'warn' | 'info';
  /** The module that reports. */
  target: string;
  message: string;
}

/**
 * Calls `listener` whenever records begin to wait, in place of the listener before; of this process, whichever engine
 * they are of. At most 1,024 wait; later ones are counted.
 */
export function onLogRecords(listener: () => void): void;

/** Takes the records that wait, oldest first, and the number of those for which there was no room. */
export function takeLogRecords(): { records: LogRecord[]; dropped: number };
