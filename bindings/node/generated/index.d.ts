// Generated from src/ by `npm run generate -w @pelorus/node`. Never edited by hand.

// Bytes are JSON in UTF-8. Inputs are copied before a call returns, so buffers may be reused at once. Every error is an
// `Error` with a stable `code`; that of a wrong type of argument is "InvalidArg".

/** The documents of one add request. Made by `Engine.prepareAdd`. */
export class AddBatch {
  private constructor();
  /** The request's body with `documents` emptied. */
  get envelope(): Buffer;
  /** The number of documents that came. */
  get count(): number;
  /** Checks the documents; gives the inputs to embed, each once. `options` is `AddOptions`. Once per batch. */
  prepare(options: Uint8Array): Promise<InputBatch>;
  /**
   * Commits the batch; resolves when it is durable and visible. `vectors` is `[rows, dim]`, row-major, and `report` an
   * `EmbeddingReport`: each input that `prepare` gave has one row, zeros where it failed, or as many as it has parts.
   * Once per batch.
   */
  apply(vectors: Float32Array, report: Uint8Array): Promise<ItemsResponse>;
}

/**
 * Token ids of several inputs in their rows: one for each input, but for those among `parts`. Row `i` has
 * `ids.subarray(offsets[i], offsets[i + 1])`.
 */
export interface Encoded {
  ids: Int32Array<ArrayBuffer>;
  /** One more than there are rows. */
  offsets: Uint32Array<ArrayBuffer>;
  /** Rows that cannot be encoded, ascending. They have no ids. */
  failures: Array<InputFailure>;
  /** Chunks that have a row for each of their parts, ascending. */
  parts: Array<ChunkParts>;
}

/** A chunk that was cut into parts. */
export interface ChunkParts {
  /** Its place among the inputs. */
  row: number;
  /** The parts, without their prefix. */
  chunks: Array<string>;
}

/** An input that cannot be encoded. */
export interface InputFailure {
  /** Its place among the inputs. */
  row: number;
  /** The reason, for people. */
  message: string;
}

/** A response body about several items, and the figures of its `x-count-*` headers. */
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

/** Tells whether a call is to go on. It may be handed to several calls, which then end together. */
export class Cancellation {
  private constructor();
  /**
   * Makes the cancellation of calls that end `timeoutMs` milliseconds from now: at once where that is negative or
   * NaN, never where it is beyond the range of the clock, as `Infinity` is.
   */
  static after(timeoutMs: number): Cancellation;
  /**
   * Ends the calls within 20 ms, wherever they are. They reject with `client_closed_request`, unless
   * they are done.
   */
  cancel(): void;
}

/**
 * Begins a call of this thread, which ends as with `Cancellation.after`, and gives the number by which it is made, and
 * cancelled: an object costs the garbage collector more than a short call does. Whoever begins one makes it.
 */
export function beginCall(timeoutMs: number): number;

/** Ends a call of this thread as `Cancellation.cancel` does. Does nothing where it is done. */
export function cancelCall(number: number): void;

/** The documents of an add request. Every step is taken once: `prepare`, `fill`, `write`, which may be called again, and `end`. */
export class ClusterAddBatch {
  private constructor();
  /**
   * Splits a request into envelope and documents. Rejects with `json_decode_error`, whose `details` is a
   * `JsonSyntaxError`.
   */
  static split(body: RequestBytes): Promise<ClusterAddBatch>;
  /** The request's body with `documents` emptied. */
  get envelope(): Buffer;
  /** The number of documents that came. */
  get count(): number;
  /**
   * Checks the documents for an index; `options` is `AddOptions`. Resolves with the inputs to embed,
   * each once; or with documents to read, when this is to be called again with these.
   */
  prepare(index: ClusterIndex, options: Uint8Array, stored?: ClusterRead | undefined | null): Promise<InputBatch | ClusterRead>;
  /**
   * Gives the documents their vectors: `vectors` is `[rows, dim]`, row-major, and `report` an `EmbeddingReport`. Resolves
   * with the updates that they are where stored documents keep other fields, which ends the batch; else with null.
   */
  fill(vectors: Float32Array, report: Uint8Array): Promise<ClusterUpdates | null>;
  /** Lets go of the documents, which what `write` gave has as well. */
  end(): void;
  /**
   * Writes the documents as they go into the index, which may have been read anew, within the bounds of `limits`,
   * which is `EngineOptions`. Rejects with `index_not_found` where it is another index by now.
   */
  write(index: ClusterIndex, limits: Uint8Array): Promise<ClusterWrite>;
}

/** Checks the definition of a new index on a cluster. Throws `invalid_argument` where no index can be made with it. */
export function checkClusterDefinition(name: string, definition: Uint8Array): void;

/**
 * Checks that an index on a cluster may have the definition `other` in place of `definition`. Throws
 * `invalid_argument` where documents would be stored or searched otherwise.
 */
export function checkClusterRedefinition(name: string, definition: Uint8Array, other: Uint8Array): void;

/** The definition of an index and the fields that its documents have had. */
export class ClusterIndex {
  private constructor();
  /** Reads a mapping, which is JSON; `options` is `EngineOptions`. Throws `backend_data_parsing_error` where it is none of ours. */
  static read(mapping: Uint8Array, options: Uint8Array): ClusterIndex;
  /** Begins a `SearchPlan`. `vectors` is `[weights, dim]`, row-major: one row for each weight of the plan. */
  search(plan: Uint8Array, vectors: Float32Array, cancellation: Cancellation): ClusterSearch;
  /** As `search`, for the one vector of a query as its list stands in JSON. */
  searchWritten(plan: Uint8Array, vector: Uint8Array, cancellation: Cancellation): ClusterSearch;
  /** As `search`, for the ranking of all pages. */
  rank(plan: Uint8Array, vectors: Float32Array, cancellation: Cancellation): ClusterSearch;
}

/** Documents to read. `nextBody` gives a request's body until there is none, and `take` what is answered to each. */
export class ClusterRead {
  private constructor();
  /** Begins to read one document; `request` is `GetDocumentRequest`. */
  static ofOne(request: Uint8Array): ClusterRead;
  /** Begins to read documents; `request` is `GetDocumentsRequest`. */
  static ofSeveral(request: Uint8Array): ClusterRead;
  /** The body of the next request for several documents by their ids; null where all have been asked for. */
  nextBody(): Buffer | null;
  /** Takes in the answer to the last body. Resolves with the reason why none of them can be read, if there is one. */
  take(answer: Uint8Array): Promise<ClusterRefusal | null>;
  /** The document of `ofOne` in its index, as a JSON object; null where there is none. */
  document(index: ClusterIndex): Promise<Buffer | null>;
  /** The answer to the request of `ofSeveral`, in its index. */
  documents(index: ClusterIndex): Promise<ItemsResponse>;
}

/** The reason that a cluster gives for a refusal. */
export interface ClusterRefusal {
  /** As of HTTP. */
  status: number;
  /** Theirs, such as `index_not_found_exception`. */
  kind: string;
  reason: string;
}

/** Returns the status that stands for a refusal of a cluster, by the status that it came with and its kind. */
export function clusterRefusalStatus(status: number, kind: string): number;

/** A walk over documents, whose searches the caller sends. */
export class ClusterScan {
  private constructor();
  /**
   * Begins a scan of an index. `options` is `EngineOptions` and `request` is `ScanRequest`. Throws `invalid_argument`, and the
   * errors of a filter.
   */
  static begin(index: ClusterIndex, options: Uint8Array, request: Uint8Array): ClusterScan;
  /** The query of all documents that are read, as JSON. */
  get query(): string;
  /** Begins a page of `limit` documents, or fewer where they are large. `start` is the `after` of the page before. */
  page(start: string | undefined | null, limit: number): ClusterScanPage;
}

/** A page of a scan that is being read. Made by `ClusterScan.page`. */
export class ClusterScanPage {
  private constructor();
  /**
   * The body of the search for the next documents; null where the page has as many as it may. `pointInTime` is the
   * member `pit`, as JSON.
   */
  request(pointInTime: string): string | null;
  /** Takes the answer to such a search. Resolves with whether there may be more documents. */
  take(answer: Uint8Array): Promise<boolean>;
  /** Gives the page with what was taken, and empties it. */
  finish(): FinishedPage;
}

/** A page of a scan as it is answered. */
export interface FinishedPage {
  /** `{"documents": [...]}` */
  body: Buffer;
  /** The number of these. */
  count: number;
  /** The start of the page after this one. */
  after?: string;
}

/** A search of an index on a cluster, step by step. Made by a `ClusterIndex` or a `ClusterRanking`. */
export class ClusterSearch {
  private constructor();
  /** Goes on with the answer to the request of the last step; the first one takes none. Rejects as `Engine.search` does. */
  step(answer: Uint8Array, sending: ClusterSending): Promise<ClusterStep>;
}

/** The circumstances of the requests of a step. */
export interface ClusterSending {
  /** Nobody waits any more after so many milliseconds. */
  timeoutMs?: number;
  /** The id of the point in time that is searched, and how long it is kept from then on, such as `5m`. */
  pointInTime?: string;
  keepAlive?: string;
  /** The times that the search was given up before, as a copy did not answer. Default 0. */
  attempt?: number;
}

/** One of these: the next request, or how the search ended. */
export interface ClusterStep {
  /** Bytes for `_msearch`, whose answer the next step takes. */
  request?: Buffer;
  body?: Buffer;
  ranking?: ClusterRanking;
  refusal?: ClusterRefusal;
}

/** The hits of a search of an index on a cluster, page by page. */
export class ClusterRanking {
  private constructor();
  /** The number of hits. */
  get count(): number;
  /** Bytes of memory that they take. */
  get memoryBytes(): number;
  /** Begins a page: `limit` hits from place `start` on, or the rest of them. Throws `invalid_argument` once it is closed. */
  page(start: number, limit: number, cancellation: Cancellation): ClusterSearch;
  /** Lets go of the ranking. */
  close(): void;
}

/** The source of the similarity that an index on a cluster gives its text fields. */
export function similarityScript(): string;

/**
 * The documents of one update request, or of an add whose documents keep other fields. After `begin`, what is `wanted` is
 * read and given to `take`, merged, and written, with the answer for `settle`, until nothing is wanted any more.
 */
export class ClusterUpdates {
  private constructor();
  /** Takes an update request apart. Rejects with `json_decode_error`, whose details say where. */
  static split(body: RequestBytes): Promise<ClusterUpdates>;
  /** The request's body with `documents` emptied. */
  get envelope(): Buffer;
  /** The number of documents that came. */
  get count(): number;
  /** Places, from 0, of what is no object among the documents; of many the first hundred. */
  get strays(): Array<number>;
  /** Checks the documents for an index, as far as that needs no stored ones. `options` is `UpdateOptions`. Once per batch. */
  begin(index: ClusterIndex, options: Uint8Array): Promise<void>;
  /** The body of a multi-get of the documents that updates wait for; null where none waits. */
  wanted(): Promise<Buffer | null>;
  /** Takes the answer to what was wanted. */
  take(answer: Uint8Array): Promise<void>;
  /**
   * Merges all that wait into what was taken, for the index as it is by now, within the bounds of `limits`, which is
   * `EngineOptions`. Can be called again, for a later mapping.
   */
  merge(index: ClusterIndex, limits: Uint8Array): Promise<MergedUpdates>;
  /** Takes over what was merged. Gives the bulk body that writes it; null where nothing is to be written. */
  accept(merged: MergedUpdates): Promise<Buffer | null>;
  /** Takes the answer to the last body. Resolves with the reason why the whole request fails, if there is one. */
  settle(answer: Uint8Array): Promise<ClusterRefusal | null>;
  /** Gives the answer to the request, when nothing is wanted any more. */
  response(): ItemsResponse;
}

/** Updates that were merged into their documents. Made by `ClusterUpdates.merge`. */
export class MergedUpdates {
  private constructor();
  /** The fields that the mapping is to have before anything is sent, as of a `ClusterWrite`; null where it has them all. */
  get lacking(): Buffer | null;
  /** Tells whether a later mapping may know fields by which less is refused. */
  get isUnsure(): boolean;
}

/** Actions to send. `nextBody` gives a bulk body until there is none, and `take` what is answered to each. */
export class ClusterWrite {
  private constructor();
  /** Begins to delete documents; `request` is `DeleteDocumentsRequest`. */
  static deletion(request: Uint8Array): ClusterWrite;
  /**
   * The fields that the mapping is to have before anything is sent, as JSON; null where it has them all:
   * `{"tensors": [name], "words": [name within words], "facts": {name: field}}`.
   */
  get lacking(): Buffer | null;
  /** The body of the next request; null where every action is settled. */
  nextBody(): Promise<Buffer | null>;
  /** Takes in the answer to the last body. */
  take(answer: Uint8Array): Promise<ClusterSettled>;
  /** The answer to the request, once every action is settled. */
  response(): Promise<ItemsResponse>;
}

/** The actions that an answer has left. */
export interface ClusterSettled {
  /** Actions that the cluster had no room for: they are in the next body. */
  waiting: number;
  /** Ends the whole write. */
  failure?: ClusterRefusal;
}

/** The devices that the driver shows to this process. */
export interface CudaDevices {
  /** None where no model runs on any. */
  devices: Array<CudaDevice>;
  /** The reason for which there is none. */
  absence?: string;
}

/** A device, as it is from start to end. */
export interface CudaDevice {
  /** Its number, in the order of the driver. */
  index: number;
  name: string;
  /** The reason for which no model runs on it. */
  unusable?: string;
}

/** The state of a device at a moment. A figure that nobody tells is absent. */
export interface CudaDeviceState {
  totalBytes: number;
  /** Taken by whichever process. */
  usedBytes?: number;
  /** Percent of the last moment in which something ran on it. */
  utilizationPercent?: number;
}

/** Finds the devices of this machine, once in the process. The first call starts the driver, which may take a second. */
export function cudaDevices(): CudaDevices;

/** The state of a device at this moment; null where there is no such device, or it is gone. */
export function cudaDeviceState(index: number): Promise<CudaDeviceState | null>;

/**
 * A data directory that is held and checked, and not changed. Made by `openDataVerifier`. All its calls read files on the
 * thread that calls.
 */
export class DataVerifier {
  private constructor();
  /** The number of indexes. */
  get indexCount(): number;
  /**
   * Checks the files of the index with a number and returns an `IndexVerification` as JSON; none past the last.
   * `progress` is told how many documents of how many were read.
   */
  verify(number: number, progress: (arg0: number, arg1: number) => void): string | null;
}

/** Holds the data directory at `path`. Throws `data_directory_in_use`, `data_directory_unreadable` and `newer_format`. */
export function openDataVerifier(path: string): DataVerifier;

/** A patch method that asks a detector. */
export type PatchDetector = 'frcnn' | 'marqo-yolo' | 'dino-v1' | 'dino-v2';

/** The input of a detector's graph for one picture. */
export interface DetectorTensor {
  /** Row-major. */
  values: Float32Array<ArrayBuffer>;
  /** Channels, height and width. */
  shape: Array<number>;
}

/** An output of a detector's graph. */
export interface DetectorOutput {
  /** Row-major. */
  values: Float32Array;
  dims: readonly number[];
}

/** Channels, height and width of the input of a detector's graph. */
export function detectorShape(detector: PatchDetector): Array<number>;

/** Decodes a picture and prepares it for a detector. Computes and throws as `preparePicture` does. */
export function detectorTensor(bytes: Uint8Array, detector: PatchDetector, limits: PictureLimits): DetectorTensor;

/**
 * The parts that a detector found in one picture, best first, at most 100: `[parts, 5]`, left, top, right and bottom in
 * pixels of the picture resized to 240 x 240, and the score. Outputs are told by their shapes. Throws `invalid_argument`
 * when they are not those of the detector.
 */
export function detections(detector: PatchDetector, outputs: readonly DetectorOutput[]): Float32Array<ArrayBuffer>;

/**
 * Decodes a picture and prepares the patches of `detections`, as `detections` gives them: the whole picture, then each of
 * them, of which `count` from `first` on are made. Fewer are made where there are no more. Computes and throws as
 * `preparePicture` does.
 */
export function preparePatches(bytes: Uint8Array, preparation: PicturePreparation, found: Float32Array, first: number, count: number, limits: PictureLimits): PreparedPicture;

/** A walk over all documents. Made by `Engine.scanDocuments`. */
export class DocumentScan {
  private constructor();
  /**
   * The documents from `start` on, which is 0 or the `next` of another page: `limit` of them, or fewer
   * where they are large.
   */
  page(start: number, limit: number): Promise<ScanPage>;
  /** Lets go of the state of the index, which takes room as long as it is held. */
  close(): void;
}

/** Some documents of a scan. */
export interface ScanPage {
  /** `{"documents": [...]}` */
  body: Buffer;
  /** The number of these. */
  count: number;
  /** The start of the page after this one; absent where this is the last. */
  next?: number;
}

/**
 * A JSON array with one vector for each of `entries`, made of the next of `rows`, `[rows, dim]`. An
 * entry of null is the next row as it is; weights are the mean of as many rows, each times its
 * weight, at unit length with `normalize`. Rejects with `invalid_argument` when there are more rows
 * or fewer.
 */
export function embeddingsJson(rows: Float32Array, dim: number, entries: (number[] | null)[], normalize: boolean): Promise<Buffer>;

/** An encoder of token ids in f32 that looks at the values its products are given, for one thread. */
export class EncoderCalibrator {
  private constructor();
  /** Loads the encoder in an ONNX file. Rejects with `invalid_argument` where it is none that is known here. */
  static open(path: string): Promise<EncoderCalibrator>;
  /**
   * Looks at some texts, one after the other, in the calling thread. Throws `invalid_argument` when one of them cannot be
   * taken.
   */
  add(ids: Int32Array, lengths: Uint32Array): void;
  /**
   * The file of the calibration by the texts so far, as text. Throws `bad_request` when there were none, or a value was no
   * number.
   */
  calibration(): string;
}

/** The rule by which texts that wait become passes. */
export interface PassPolicy {
  /** Tokens of a pass, unless one text alone has more. */
  tokensMax: number;
  /** Texts of a pass; any number when absent. */
  textsMax?: number;
  /** Texts are not divided among idle threads below this many tokens. */
  splitTokensMin: number;
  /** Passes of queries in a row after which waiting documents get one. */
  queryRunMax: number;
}

/** The work of threads. */
export interface EncoderWork {
  /** Passes that were computed since the start. */
  passes: number;
  /** Texts in them. */
  texts: number;
  /** Tokens of these. */
  tokens: number;
  /** Texts that wait. */
  waiting: number;
}

/** A fixed number of threads, which start with the first call, for encoders of any number. */
export class EncoderThreads {
  private constructor();
  /** Makes so many threads, at least one. */
  static of(count: number, policy: PassPolicy): EncoderThreads;
  /** The work done so far, and what waits. */
  work(): EncoderWork;
  /** Fails what waits and what comes; resolves once what was under way is done and the threads have ended. */
  close(): Promise<void>;
}

/**
 * Every index of one data directory. Types of requests and answers that cross as JSON are those of
 * `openapi/engine.yaml`. A call that names an index rejects with `index_not_found` when there is none.
 */
export class Engine {
  private constructor();
  /**
   * Opens a data directory, making it where it is missing. `options` is `EngineOptions`. Rejects with
   * `data_directory_in_use`, `data_directory_unreadable`, `newer_format`. On Linux the calling thread
   * has turns of 0.3 ms from then on, and need not wait until longer ones of other threads are over.
   */
  static open(directory: string, options: Uint8Array): Promise<Engine>;
  /**
   * Offers this engine to one other thread, which takes it with `attach` and the token that this gives. All that have an
   * engine have the same one: `close` by any closes it for all.
   */
  share(): number;
  /**
   * The engine that another thread offers by a token, which is good once. Throws `invalid_argument` where there is none.
   * The calling thread has turns as that of `open` has.
   */
  static attach(token: number): Engine;
  /** Creates an index, durably. Rejects with `index_already_exists`. */
  createIndex(name: string, definition: Uint8Array): Promise<void>;
  /** Deletes an index with all it holds. */
  dropIndex(name: string): Promise<void>;
  /** Names of all indexes, sorted. From memory. */
  listIndexes(): Array<string>;
  /** `EngineHealth`. From memory, and waits for nothing. */
  health(): Buffer;
  /** Replaces the definition; resolves when that is durable and `definition` answers with it. */
  redefineIndex(name: string, definition: Uint8Array): Promise<ItemsResponse>;
  /** The bytes given to `createIndex`, or to `redefineIndex` since. */
  definition(name: string): Promise<Buffer>;
  /** `EngineStats`. */
  stats(name: string): Promise<Buffer>;
  /**
   * Splits an add request into envelope and documents. Rejects with `json_decode_error`, whose
   * `details` is a `JsonSyntaxError`.
   */
  prepareAdd(name: string, body: RequestBytes): Promise<AddBatch>;
  /** Splits an update request into envelope and documents. Rejects as `prepareAdd` does. */
  prepareUpdate(name: string, body: RequestBytes): Promise<UpdateBatch>;
  /** One document as a JSON object; null where there is none. `request` is `GetDocumentRequest`. */
  getDocument(name: string, request: Uint8Array): Promise<Buffer | null>;
  /** `request` is `GetDocumentsRequest`. */
  getDocuments(name: string, request: Uint8Array): Promise<ItemsResponse>;
  /** Resolves when the deletion is durable and visible. `request` is `DeleteDocumentsRequest`. */
  deleteDocuments(name: string, request: Uint8Array): Promise<ItemsResponse>;
  /** Deletes every document there is; resolves when that is durable and visible. */
  deleteAllDocuments(name: string): Promise<ItemsResponse>;
  /** Begins to read all documents. `request` is `ScanRequest`. */
  scanDocuments(name: string, request: Uint8Array): Promise<DocumentScan>;
  /**
   * Runs a `SearchPlan`. `vectors` is `[weights, dim]`, row-major: one row for each weight of the plan.
   * `call` is its number by `beginCall`. Rejects with `vector_store_timeout` past the deadline, with
   * `client_closed_request` once it is cancelled, and is then at work no more.
   */
  search(name: string, plan: Uint8Array, vectors: Float32Array, call: number): Promise<Buffer>;
  /**
   * As `search`, for the one vector of a query as its list stands in JSON, which is read where the search runs. Rejects
   * with `invalid_argument` where it is no list of finite numbers.
   */
  searchWritten(name: string, plan: Uint8Array, vector: Uint8Array, call: number): Promise<Buffer>;
  /** Runs a `SearchPlan` and keeps its ranking for pages that follow. As `search` otherwise. */
  rank(name: string, plan: Uint8Array, vectors: Float32Array, cancellation: Cancellation): Promise<RankedSearch>;
  /**
   * Stores queries that the index suggests; resolves when that is durable and visible. `request`
   * is `PutQueriesRequest`.
   */
  putQueries(name: string, request: Uint8Array): Promise<ItemsResponse>;
  /** Removes queries from the suggestions; resolves when that is durable and visible. `request` is `QueriesRequest`. */
  deleteQueries(name: string, request: Uint8Array): Promise<ItemsResponse>;
  /** Removes all suggestions; resolves when that is durable and visible. */
  deleteAllQueries(name: string): Promise<ItemsResponse>;
  /** Queries that the index suggests. `request` is `QueriesRequest`. */
  getQueries(name: string, request: Uint8Array): Promise<Buffer>;
  /** A page of the queries that the index suggests. `request` is `ScanQueriesRequest`. */
  scanQueries(name: string, request: Uint8Array): Promise<Buffer>;
  /** Suggests queries. `plan` is `SuggestPlan`. */
  suggest(name: string, plan: Uint8Array): Promise<Buffer>;
  /** Begins to copy an index as it is now, while it is written to. */
  backUp(name: string): Promise<IndexBackup>;
  /** Begins to make an index of the pieces of a copy, under a name that is free. Rejects with `index_already_exists`. */
  restore(name: string): Promise<IndexRestore>;
  /** Finishes queued writes and releases the directory. Later calls find no index. */
  close(): Promise<void>;
}

/**
 * Bytes that every engine keeps free of documents on a disk of `total` bytes: where no more are left no document
 * is added.
 */
export function storageReserve(total: number): number;

/** The `details` of a `json_decode_error`: where a body stops being JSON. */
export interface JsonSyntaxError {
  /** From 1. */
  line: number;
  /** In bytes, from 1. */
  column: number;
  /** Tells whether it is right as far as it goes; the missing part follows the last byte. */
  endsEarly: boolean;
}

/** A lock on a file, which ends with the process that holds it at the latest. Made by `tryFileLock`. */
export class FileLock {
  private constructor();
  /** Lets others have the lock. Doing so twice is harmless. */
  release(): void;
}

/** Locks the file at `path`, which is made where there is none; null where another holds it, be it in this process. */
export function tryFileLock(path: string): FileLock | null;

/** A lock on a folder itself, which ends with the process that holds it at the latest. Made by `tryFolderLock`. */
export class FolderLock {
  private constructor();
}

/** Locks the folder at `path`, whatever becomes of the files in it; null where another holds it, be it in this process. */
export function tryFolderLock(path: string): FolderLock | null;

/**
 * The fields that the terms of a filter name, each once. Takes time linear in its length. Throws
 * `invalid_argument` for a text that is no filter.
 */
export function filterFields(text: string): Array<string>;

/**
 * The Unix time in seconds, as near as a number is, of the first moment of a text that filters take as a date; null of
 * another text.
 */
export function dateSeconds(text: string): number | null;

/**
 * Checks a filter that single documents are held against, as that of a key. Throws `invalid_argument` for a text that is
 * no filter, and for one that asks for words of texts.
 */
export function checkDocumentFilter(text: string): void;

/** One state of an index, piece by piece. Made by `Engine.backUp`. */
export class IndexBackup {
  private constructor();
  /** The number of documents. */
  get documents(): number;
  /** The next piece, a few megabytes; null after the last. To be called again when it has answered. */
  nextPiece(): Promise<Buffer | null>;
  /** Lets go of the state of the index, which takes room as long as it is held. */
  close(): void;
}

/** An index that is made of pieces, which nobody sees before it is whole. Made by `Engine.restore`. */
export class IndexRestore {
  private constructor();
  /** Takes the next piece, in the order in which they were read. Rejects with `backup_damaged` and `newer_format`. */
  add(piece: Uint8Array): Promise<void>;
  /**
   * Makes the index one that is served; resolves when that is durable. Rejects with `backup_damaged` where pieces are
   * missing: there is no index then.
   */
  finish(): Promise<void>;
  /** Leaves nothing of the index, unless it is finished; resolves when its files are gone. */
  close(): Promise<void>;
}

/** The kind of a picture, film or sound. */
export type Medium = 'image' | 'video' | 'audio';

/** An input of which a vector can be computed. */
export type EncoderInput =
  | { kind: 'text'; text: string }
  | { kind: 'chunk'; text: string; prefixBytes: number }
  | { kind: 'media'; pointer: string; medium?: Medium; text?: string; patches: boolean };

/** A picture, film or sound among inputs. */
export interface MediaInput {
  /** Its place among the inputs. */
  row: number;
  /** A URL, or a data URI. */
  pointer: string;
  /** The medium that it points to; absent where only the bytes can tell. */
  medium?: Medium;
  /**
   * The text that is embedded where the bytes turn out to be none of the media, with the prefix of texts; absent
   * where that is a failure.
   */
  text?: string;
  /** Tells whether a picture may be taken apart into patches with vectors of their own. */
  patches: boolean;
}

/**
 * Inputs to embed. Those of documents are made by `AddBatch.prepare`, and no text of theirs becomes a JavaScript
 * string. An encoder takes the contents of the batch, once, so that they are freed when they are used up and not when
 * the garbage collector comes by.
 */
export class InputBatch {
  private constructor();
  /** The inputs of a query, or of whatever else is at hand. */
  static of(inputs: readonly EncoderInput[]): InputBatch;
  /** Takes the contents, for one other thread, which has them with `attach` and the token that this gives. */
  handOver(): number;
  /**
   * The batch that another thread handed over by a token, which is good once. Throws `invalid_argument` where there is
   * none.
   */
  static attach(token: number): InputBatch;
  /** The number of inputs it was made of. */
  get count(): number;
  /** Pictures, films and sounds are in it still, which `takeMedia` would take out. */
  get hasMedia(): boolean;
  /** Takes the pictures, films and sounds out. The texts stay, in their order. */
  takeMedia(): Array<MediaInput>;
  /**
   * Takes the texts, each with its prefix, for an encoder that is not in this process. Throws `invalid_argument` where
   * the inputs hold media.
   */
  takeTexts(): Array<string>;
}

/** A report of the engine. */
export interface LogRecord {
  level: 'error' | 'warn' | 'info';
  /** The module that reports. */
  target: string;
  message: string;
}

/** The records that waited. */
export interface LogRecords {
  /** Oldest first. */
  records: Array<LogRecord>;
  /** The number of later records for which there was no room. */
  dropped: number;
}

/**
 * Calls `listener`, on the thread that this is called on, whenever records begin to wait; in place
 * of the listener before. It does not keep the process alive.
 */
export function onLogRecords(listener: () => void): void;

/** Takes the records that wait. */
export function takeLogRecords(): LogRecords;

/** A loop that has been silent. */
export interface SilentLoop {
  name: string;
  /** For how long. */
  seconds: number;
}

/** The loops that have been silent for so many seconds or longer. */
export function silentLoops(seconds: number): Array<SilentLoop>;

/** The sign of life of an event loop, which is watched until the end of this. */
export class LoopBeat {
  private constructor();
  /**
   * Watches the loop of the calling thread, which is to call `beat` once a second. `toldSeconds` without that are
   * told in the log; after `secondsMax` the process ends with code 1.
   */
  static begin(name: string, toldSeconds: number, secondsMax: number): LoopBeat;
  /** Tells that the loop turns. */
  beat(): void;
  /** Watches it no more. */
  end(): void;
}

/**
 * The way to make the pixels of a resized picture: Pillow's `bicubic` or `bilinear` filter over bytes, or bicubic
 * interpolation of floats without antialiasing, as PyTorch's `interpolate` does it, `tensor`.
 */
export type Interpolation = 'bicubic' | 'bilinear' | 'tensor';

/** The size before the centre is cut out: the `shortest` edge becomes the model's, or both do, `squash`. */
export type Resize = 'shortest' | 'squash';

/**
 * The steps from a picture to the tensor of a vision tower: `(x / 255 - mean) / std` of each
 * channel.
 */
export interface PicturePreparation {
  /** Pixels of each edge, from 1 to 4096. */
  size: number;
  mean: readonly [red: number, green: number, blue: number];
  std: readonly [red: number, green: number, blue: number];
  interpolation: Interpolation;
  resize: Resize;
}

/** The bounds of a picture. */
export interface PictureLimits {
  /** Bytes of the file. */
  bytesMax: number;
  /** Width times height. */
  pixelsMax: number;
}

/** A picture, or its patches, as a vision tower takes them. */
export interface PreparedPicture {
  /** `[tensors, ...shape]`, row-major. */
  values: Float32Array<ArrayBuffer>;
  /** Shape of one tensor, `[3, size, size]`. */
  shape: Array<number>;
  /** The box of each patch, `[left, top, right, bottom]` in pixels of the picture, as text; none for a whole picture. */
  boxes: Array<string>;
}

/** The kind of a file, by its first few hundred bytes: null for one that is neither picture, film nor sound. */
export function mediumOf(bytes: Uint8Array): Medium | null;

/** The target of a text by its looks. */
export type Pointed = 'text' | 'image' | 'video' | 'audio' | 'unknown';

/**
 * Returns the target of a text: a data URI, or a URL by the extension of its path. Nothing is
 * fetched.
 */
export function pointedTo(text: string): Pointed;

/** Returns a pointer without the blanks, quotes, brackets and markup around it. */
export function barePointer(text: string): string;

/** Returns the reason for which a bare pointer is not fetched as it stands; null for a plain address. */
export function pointerFault(pointer: string): string | null;

/**
 * Decodes a picture and prepares it, whole or as the patches of the method `simple`. It computes for milliseconds to
 * seconds on the thread that calls. Throws `too_many_pixels` before it takes memory for them, and `invalid_argument` with
 * whatever else is wrong with the picture.
 */
export function preparePicture(bytes: Uint8Array, preparation: PicturePreparation, patchMethod: 'simple' | null, limits: PictureLimits): PreparedPicture;

/**
 * Gives memory that was freed back to the operating system, where its allocator would keep it. Takes
 * milliseconds.
 */
export function releaseMemory(): Promise<void>;

/**
 * The mean over the attended tokens of each text, `[batch, dim]`. `hidden` is `[batch, len, dim]`,
 * `mask` `[batch, len]` with 0 for padding. Throws `invalid_argument` when sizes do not fit.
 */
export function meanPool(hidden: Float32Array, mask: BigInt64Array, batch: number, len: number, dim: number): Float32Array<ArrayBuffer>;

/** The first token's vector of each text, `[batch, dim]`. As `meanPool` otherwise. */
export function clsPool(hidden: Float32Array, batch: number, len: number, dim: number): Float32Array<ArrayBuffer>;

/** Rows of `[rows, dim]` at unit length; a row of zeros stays. */
export function normalize(vectors: Float32Array, dim: number): Float32Array<ArrayBuffer>;

/** Ends the process with `code` in so many milliseconds, where it has not ended by itself before. */
export function endProcessAfter(code: number, milliseconds: number): void;

/** The kernels that encoders have on this processor. */
export interface EncoderProcessor {
  /** Name of their table: `avx2`, `avx512` or another. */
  kernels: string;
  /** Texts in f32 take no more time with them than on ONNX Runtime. */
  isFast: boolean;
  /** Pictures in f32 take less time with them than on ONNX Runtime. */
  isFastAtPictures: boolean;
}

/** Tells which kernels encoders have here. */
export function encoderProcessor(): EncoderProcessor;

/** The order in which vectors leave a full cache: least recently used first, or least frequently used first. */
export type QueryEviction = 'lru' | 'lfu';

/** The bounds of a cache. */
export interface QueryVectorsBounds {
  /** 0 keeps nothing. */
  bytesMax: number;
  /** Most vectors; 0 keeps none, and their bytes alone bound them where it is absent. */
  countMax?: number;
  policy: QueryEviction;
}

/** The use of a cache since it was made, and what it holds now. */
export interface QueryVectorsUse {
  /** Texts whose vectors were known. */
  hits: number;
  /** Texts whose vectors were not. */
  misses: number;
  /** Vectors now. */
  entries: number;
  /** Bytes of them. */
  bytes: number;
}

/** Vectors of recent queries. */
export class QueryVectors {
  private constructor();
  /** Makes a cache that holds nothing yet. */
  static of(bounds: QueryVectorsBounds): QueryVectors;
  /** Offers this cache to one other thread, which takes it with `attach` and the token that this gives. */
  share(): number;
  /** The cache that another thread offers by a token, which is good once. Throws `invalid_argument` where there is none. */
  static attach(token: number): QueryVectors;
  /** The number of times that vectors were forgotten. */
  get edition(): number;
  /** Writes the vector of a text into `vectors`, from component `at` on; false where it is not known. */
  fill(space: string, text: string, vectors: Float32Array, at: number): boolean;
  /** Keeps the vector of a text, as far as there is room for it; not where vectors were forgotten since `edition`. */
  keep(space: string, text: string, vector: Float32Array, edition: number): void;
  /** Its use by all threads. */
  usage(): QueryVectorsUse;
  /** Forgets all vectors of a space, those that are still being computed too. */
  forget(space: string): void;
}

/** A search whose ranking is kept. Made by `Engine.rank`. */
export class RankedSearch {
  private constructor();
  /** The number of hits. */
  get count(): number;
  /** Bytes of memory that they take. */
  get memoryBytes(): number;
  /**
   * `limit` hits from place `start` on, or the rest of them. Rejects with `vector_store_timeout` past the deadline,
   * with `client_closed_request` once it is cancelled.
   */
  page(start: number, limit: number, cancellation: Cancellation): Promise<Buffer>;
  /** Lets go of the ranking and of the state of the index, which take room as long as they are held. */
  close(): void;
}

/** A part of a film or sound, in seconds from its start. */
export interface RecordingPiece {
  start: number;
  end: number;
  /** Start and end as they are stored and shown, `[0.0, 20.0]`. */
  label: string;
}

/** A tensor of one piece of a film or sound. */
export interface RecordingTensor {
  /** Row-major. */
  values: Float32Array<ArrayBuffer>;
  shape: Array<number>;
}

/**
 * The pieces of a film or sound of `duration` seconds, each `splitLength` seconds long and sharing `splitOverlap` with the
 * one before it. Throws `invalid_argument` when there is no piece or more than `countMax`.
 */
export function recordingPieces(duration: number, splitLength: number, splitOverlap: number, countMax: number): Array<RecordingPiece>;

/**
 * One frame of a film, `[3, 224, 224]`, of RGB bytes `[height, width, 3]`. It computes for milliseconds on the thread that
 * calls. Throws `invalid_argument` when the bytes do not fill the frame, or one side is too long for the other.
 */
export function filmFrame(rgb: Uint8Array, width: number, height: number): RecordingTensor;

/**
 * A sound, `[3, 112, 1036]`, of its samples from -1 to 1, mono, 16,000 in a second. It computes for tens of milliseconds on
 * the thread that calls. Throws `invalid_argument` for less than 400 samples.
 */
export function soundTensor(samples: Float32Array): RecordingTensor;

/**
 * The bytes of a request, for one call, which takes them away. To copy tens of megabytes at once would hold
 * the event loop for tens of milliseconds: whoever appends them says how many a turn copies.
 */
export class RequestBytes {
  private constructor();
  /** None yet, with room for so many. */
  static withRoom(length: number): RequestBytes;
  /** Copies `bytes` behind those that are there. */
  append(bytes: Uint8Array): void;
}

/** The body of a search without its vectors. */
export interface SearchBody {
  /** The body with `[row]` in place of each vector. */
  rest: Buffer;
  /**
   * Start and end of the list of each vector in the body, and the number of its components, one vector behind the
   * other. They are lists of numbers by all that was seen of them: whoever reads one knows.
   */
  vectors: Array<number>;
  /** The place of the value of `q` in the body; 0 and 0 where there is none. */
  qStart: number;
  qEnd: number;
}

/**
 * Takes the vectors out of the body of a search, so that only the rest is left to be parsed and checked, and the
 * numbers are read when they are needed. Null where there are none, or where anything about them is seen to be unusual:
 * such a body is to be parsed as a whole, as is one of which a vector turns out to be no list of finite numbers.
 */
export function splitSearch(body: Uint8Array): SearchBody | null;

/** The components of a vector by its list in JSON. Null where that is no list of finite numbers. */
export function readVector(list: Uint8Array): Float32Array<ArrayBuffer> | null;

/**
 * Queries as the entries of a log on a cluster have them, which the caller reads and writes. Types of requests and
 * answers are those of `openapi/engine.yaml`, as JSON.
 */
export class SuggestionLog {
  private constructor();
  /** A log of which nothing is read yet, and whose first entry has the number `start`. */
  static startingAt(start: number): SuggestionLog;
  /** The number of the first entry, as far as is known. */
  get start(): number;
  /** The number of the entry that is to be read next. */
  get next(): number;
  /** The number of queries. */
  get queryCount(): number;
  /** Bytes of memory, about. */
  get memoryBytes(): number;
  /**
   * Takes the answer to a multi-get of the entries from `first` on, which is `next`, and of the head behind them.
   * Resolves with the first entry of the log, where entries that were not read are deleted; with 0 once all of it is
   * read, and else with `first`.
   */
  take(first: number, answer: Uint8Array): Promise<number>;
  /** Proposes to put queries. `request` is `PutQueriesRequest`, `options` is `EngineOptions`. */
  put(request: Uint8Array, options: Uint8Array): Promise<SuggestionChange>;
  /** Proposes to remove queries. `request` is `QueriesRequest`. */
  remove(request: Uint8Array): Promise<SuggestionChange>;
  /** Proposes to remove all queries. */
  clear(): Promise<SuggestionChange>;
  /** Proposes a cleaning; null where there is little to clean. */
  clean(): Promise<SuggestionCleaning | null>;
  /** Reads queries: `{"queries": [...]}`. `request` is `QueriesRequest`. */
  get(request: Uint8Array): Promise<Buffer>;
  /** Reads a page of all queries: `{"queries": [...], "cursor"}`. `request` is `ScanQueriesRequest`. */
  scan(request: Uint8Array): Promise<Buffer>;
  /** Suggests queries: `{"suggestions": [...]}`. `plan` is `SuggestPlan`. */
  suggest(plan: Uint8Array): Promise<Buffer>;
}

/** A change that is to become the next entry of a log. */
export interface SuggestionChange {
  /** The number that the entry has to be created under. */
  number: number;
  /** The member `changes` of the entry, as JSON; absent where there is nothing to change. */
  changes?: Buffer;
  /** The answer once the entry is there. */
  response: ItemsResponse;
}

/** An entry that holds the queries of older ones anew. */
export interface SuggestionCleaning {
  /** As of a `SuggestionChange`. */
  number: number;
  /** As of a `SuggestionChange`. */
  changes?: Buffer;
  /** The first entry of the log once this one is there. */
  start: number;
}

/**
 * The steps that clean a text before it is cut into tokens. `none`: nothing; `whitespace`: plain characters,
 * references resolved, blanks made one; `lower`: that in lower case; `canonicalize`: that without ASCII punctuation.
 */
export type TextCleaning = 'none' | 'whitespace' | 'lower' | 'canonicalize';

/** The differences of a joint model's tokenizer from its file. */
export interface TokenizerOptions {
  /** Default `none`. */
  cleaning?: TextCleaning;
  /** Id 0 in place of the separator `[SEP]`. Default false. */
  omitsSeparator?: boolean;
}

/** A model's tokenizer. */
export class Tokenizer {
  private constructor();
  /** Reads a `tokenizer.json`. `maxTokens` counts special tokens. Rejects with `invalid_argument`. */
  static load(json: Uint8Array, maxTokens: number, options?: TokenizerOptions | undefined | null): Promise<Tokenizer>;
  /** Id that fills a text up to the length of its batch. */
  get padId(): number;
  /**
   * Id of the token that ends the first text of a pair, where the tokens behind it are of another type; null for
   * tokenizers that tell no types apart. Throws `invalid_argument` where no pair can be encoded.
   */
  pairSeparator(): number | null;
  /** Encodes pairs of one text and each of others, with the special tokens of a pair, each cut to `maxTokens`. */
  encodePairs(first: string, seconds: Array<string>): Promise<Encoded>;
  /** Encodes texts with special tokens, each cut to `maxTokens`, and chunks, in parts where they have more. */
  encode(inputs: InputBatch): Promise<Encoded>;
}

/** Splits a text into windows, as new indexes do; `splitMethod` is `character`, `word`, `sentence` or `passage`. */
export function chunk(text: string, splitMethod: string, splitLength: number, splitOverlap: number): Array<string>;

/** Unit vectors that depend on the input alone, `[inputs, dim]`: a model without meaning. */
export function randomVectors(inputs: InputBatch, dim: number): Promise<Float32Array<ArrayBuffer>>;

/** The way to make one vector of one per token: their mean, or the first. */
export type TokenPooling = 'mean' | 'cls';

/** The rules of a model for its vectors. */
export interface TextModelOptions {
  pooling: TokenPooling;
  /** Its vectors have unit length, whatever a call wants. */
  isUnitLength: boolean;
}

/** The vectors that a call wants. */
export interface EmbedTextsOptions {
  /** Vectors of unit length. */
  isNormalized: boolean;
  /** They are computed before those of documents. */
  isQuery: boolean;
}

/** The vectors of texts in their rows: one for each input, but for those among `parts`. */
export interface EmbeddedTexts {
  /** `[rows, dimensions]`, zeros in rows that failed. */
  vectors: Float32Array<ArrayBuffer>;
  /** Rows without a vector, ascending. */
  failures: Array<InputFailure>;
  /** Chunks that have a row for each of their parts, ascending. */
  parts: Array<ChunkParts>;
  /** Milliseconds until the texts were tokens. */
  tokenizeMs: number;
  /** Milliseconds of waiting and computing after that. */
  inferMs: number;
  /** The fault of the device for which the processor made vectors in its place; absent where there was none. */
  deviceFault?: DeviceFault;
}

/** A fault of a device. */
export interface DeviceFault {
  /** Its words, for people. */
  message: string;
  /** No later call mends it. */
  isLost: boolean;
}

/** A model of texts. */
export class TextModel {
  private constructor();
  /** Makes a model of its parts, and keeps what it needs of them. */
  static of(threads: EncoderThreads, encoder: TokenEncoder, tokenizer: Tokenizer, options: TextModelOptions): TextModel;
  /** The number by which other threads have it. */
  get number(): number;
  /** The model that another thread made and has not closed; null where there is none of that number. */
  static attach(number: number): TextModel | null;
  /** A call of any thread is being answered. */
  get isBusy(): boolean;
  /** It takes no calls any more. */
  get isClosed(): boolean;
  /**
   * The vectors of texts, whose memory it takes: queries before documents, equal ones once. A text that cannot be taken,
   * or has no finite vector, fails alone. Rejects with `client_closed_request` once cancelled, as far as its texts
   * have yet to be computed, and with `service_unavailable` when the threads end. Null, and `inputs` as they were, where
   * it is closed.
   */
  embed(inputs: InputBatch, options: EmbedTextsOptions, cancellation?: Cancellation | undefined | null): Promise<EmbeddedTexts> | null;
  /** Takes no more calls; resolves once those under way are answered and its memory is given back. */
  close(): Promise<void>;
}

/** The numbers that an encoder multiplies in. */
export type TokenPrecision = 'f32' | 'bf16' | 'int8';

/** The numbers that an encoder on a device multiplies in. */
export type DevicePrecision = 'f16' | 'bf16';

/** An encoder of token ids, which `EncoderThreads` run. */
export class TokenEncoder {
  private constructor();
  /**
   * Tells why the model of an ONNX file, or of a file of safetensors with `config.json` beside it, is none that is known
   * here; null where it is. Loads no weights.
   */
  static refusal(path: string): Promise<string | null>;
  /**
   * Tells why weights in safetensors with this `config.json` would be of a model that is not known here; null where they
   * would not.
   */
  static configRefusal(config: string): string | null;
  /**
   * Loads the encoder in an ONNX file or in a file of safetensors, its weights in a precision, which is not int8: `openInt8`
   * does that. Rejects with `invalid_argument` where it is none that is known here.
   */
  static open(path: string, precision: TokenPrecision): Promise<TokenEncoder>;
  /**
   * Loads the encoder in an ONNX file, its weights in int8, scaled by the calibration in another file. Rejects as `open`
   * does, and with `bad_request` where the calibration is not there, is damaged or was made for other weights.
   */
  static openInt8(path: string, calibration: string): Promise<TokenEncoder>;
  /**
   * Loads the encoder in an ONNX file in f32, brings it to a device of NVIDIA, and compares vectors of both. The device
   * computes texts; the processor does where the device has no room or is lost. Compiled kernels are kept in `kernels`. Rejects
   * with `invalid_argument` where it is none that is known here or that the device computes rightly, and with
   * `service_unavailable` where the device is not there, has no room or is lost.
   */
  static openOn(path: string, device: number, kernels: string): Promise<TokenEncoder>;
  /** The numbers that it multiplies in on its device; null where it is on none. */
  get devicePrecision(): DevicePrecision | null;
  /** The processor has instructions for its precision: without, it is slower than in f32. */
  get isNative(): boolean;
  /** Components of a vector. */
  get dimensions(): number;
  /** Gives the memory of the weights back, when nobody else has them open. */
  close(): void;
}

/** A tower, for one thread at a time. */
export class Tower {
  private constructor();
  /**
   * Tells why the graph of an ONNX file is no tower that is known here; null where it is one. Loads no weights. `shape` is
   * that of an input: the tokens of a text, or the channels, rows and columns of a picture.
   */
  static refusal(path: string, shape: Array<number>): Promise<string | null>;
  /**
   * Loads the tower in an ONNX file, its weights in a precision. Texts are filled up with the id `padding`. Rejects with
   * `invalid_argument` where it is none that is known here.
   */
  static open(path: string, shape: Array<number>, padding: number, precision: TokenPrecision): Promise<Tower>;
  /** The processor has instructions for its precision: without, it is slower than in f32. */
  get isNative(): boolean;
  /** Components of a vector. */
  get dimensions(): number;
  /**
   * The vector of each text, `[texts, dimensions]`, as the graph makes it: computed at once, by the calling thread. `ids`
   * are those of one text after the other. Throws `invalid_argument` when one of them cannot be taken.
   */
  encodeTexts(ids: Int32Array, lengths: Uint32Array): Float32Array<ArrayBuffer>;
  /** The vector of each picture, `[pictures, dimensions]`, as `encodeTexts` has those of texts. */
  encodePictures(values: Float32Array): Float32Array<ArrayBuffer>;
  /** Gives its memory back; that of the weights when nobody else has them open. */
  close(): void;
}

/** The documents of one update request. Made by `Engine.prepareUpdate`. */
export class UpdateBatch {
  private constructor();
  /** The request's body with `documents` emptied. */
  get envelope(): Buffer;
  /** The number of documents that came. */
  get count(): number;
  /** Places, from 0, of what is no object among the documents; of many the first hundred. */
  get strays(): Array<number>;
  /**
   * Checks the documents and commits the changes; resolves when they are durable and visible. `options`
   * is `UpdateOptions`. Once per batch.
   */
  apply(options: Uint8Array): Promise<ItemsResponse>;
}
