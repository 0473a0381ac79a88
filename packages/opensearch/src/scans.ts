import type { engine } from '@pelorus/contract';
import type { DocumentScan, ScanPage, ShareableScan } from '@pelorus/engine';
import { type ClusterIndex, ClusterScan } from '@pelorus/node';
import type { Connection } from './connection.js';
import { engineError, statusOf } from './errors.js';
import type { Indexes } from './indexes.js';

/**
 * The time for which the cluster keeps a state that nobody reads: longer than a cursor lives without a page. A node keeps
 * 300 states, those of readings that were given up among them.
 */
export const KEEP_ALIVE = '2m';

/** An index whose documents are read. */
export interface ScannedIndex {
  readonly name: string;
  /** Its name on the cluster. */
  readonly alias: string;
  readonly indexes: Indexes;
  readonly connection: Connection;
  readonly limits: engine.EngineOptions;
}

/** All that another server needs to go on with a scan. */
interface SharedScan {
  /** The id of the index, as in `KnownIndex`. */
  readonly index: string;
  readonly request: engine.ScanRequest;
  readonly pointInTime: string;
  readonly total: number;
}

/** Begins to read all documents as they are now: a point in time of the cluster keeps them so. */
export async function scanDocuments(index: ScannedIndex, request: engine.ScanRequest): Promise<DocumentScan> {
  const { name, alias, indexes, connection } = index;
  const { native, id } = await indexes.known(name);
  const scan = begun(index, native, request);
  const creation = connection.call((client) => client.createPit({ index: [alias], keep_alive: KEEP_ALIVE }));
  const { pit_id } = await indexes.orMissing(name, creation);
  if (pit_id === undefined) throw engineError('backend_data_parsing_error', 'OpenSearch opened no point in time');
  const documents = new ClusterDocumentScan(connection, scan, { index: id, request, pointInTime: pit_id, total: 0 });
  try {
    await documents.countAll();
    return documents;
  } catch (error) {
    documents.close();
    throw error;
  }
}

/** Goes on with a scan of another server; undefined where it was of another index of that name. */
export async function sharedScan(index: ScannedIndex, shared: unknown): Promise<ShareableScan | undefined> {
  const { native, id } = await index.indexes.known(index.name);
  const state = shared as SharedScan;
  if (state.index !== id) return undefined;
  const documents = new ClusterDocumentScan(index.connection, begun(index, native, state.request), state);
  documents.share();
  return documents;
}

function begun({ limits }: ScannedIndex, index: ClusterIndex, request: engine.ScanRequest): ClusterScan {
  return ClusterScan.begin(index, toJson(limits), toJson(request));
}

class ClusterDocumentScan implements ShareableScan {
  readonly #connection: Connection;
  readonly #scan: ClusterScan;
  /** Told to other servers; its total once it is known. */
  #state: SharedScan;
  /** The last document before a page, by the number of those before it. */
  readonly #starts = new Map<number, string>();
  #isShared = false;
  #isClosed = false;

  constructor(connection: Connection, scan: ClusterScan, state: SharedScan) {
    this.#connection = connection;
    this.#scan = scan;
    this.#state = state;
  }

  get #pointInTime(): string {
    return JSON.stringify({ id: this.#state.pointInTime, keep_alive: KEEP_ALIVE });
  }

  /** Counts the documents that there are to read. */
  async countAll(): Promise<void> {
    const body = `{"size":0,"track_total_hits":true,"pit":${this.#pointInTime},"query":${this.#scan.query}}`;
    const answer = JSON.parse((await this.#search(body)).toString()) as { hits: { total: { value: number } } };
    this.#state = { ...this.#state, total: answer.hits.total.value };
  }

  async page(start: number, limit: number): Promise<ScanPage> {
    const after = this.#starts.get(start);
    if (this.#isClosed) throw engineError('invalid_argument', 'the scan was closed before');
    if (start !== 0 && after === undefined)
      throw engineError('invalid_argument', `no page of the scan begins at ${start}`);
    const page = this.#scan.page(after, limit);
    for (let mayHaveMore = true; mayHaveMore; ) {
      const request = page.request(this.#pointInTime);
      if (request === null) break;
      mayHaveMore = await page.take(await this.#search(request));
    }
    const { body, count, after: next } = page.finish();
    const end = start + count;
    if (next === undefined || end >= this.#state.total) return { body, count };
    this.#starts.set(end, next);
    return { body, count, next: end };
  }

  share(): SharedScan {
    this.#isShared = true;
    return this.#state;
  }

  placeOf(start: number): string {
    const after = this.#starts.get(start);
    if (after === undefined) throw engineError('invalid_argument', `no page of the scan begins at ${start}`);
    return after.slice(1, -1);
  }

  goOnAt(start: number, place: string): void {
    // Digits alone: a list of one number, as the cluster gives the place of a document.
    if (start > 0 && /^\d{1,19}$/.test(place)) this.#starts.set(start, `[${place}]`);
  }

  close(): void {
    const isKept = this.#isShared || this.#isClosed;
    this.#isClosed = true;
    if (!isKept) this.#letGo();
  }

  end(): void {
    this.#isClosed = true;
    this.#letGo();
  }

  #letGo(): void {
    const body = { pit_id: [this.#state.pointInTime] };
    // Where it does not arrive, the cluster lets go of it in a while.
    this.#connection.call((client) => client.deletePit({ body })).catch(() => undefined);
  }

  async #search(body: string): Promise<Buffer> {
    // The client's types want an object, which it would write as this text.
    const request = { body: body as unknown as object };
    try {
      return await this.#connection.bytes((client, options) => client.search(request, options));
    } catch (error) {
      if (statusOf(error) !== 404) throw error;
      const message = 'The cluster has let go of what was read here. Begin again without a cursor, and read faster';
      throw engineError('snapshot_too_old', message, error);
    }
  }
}

function toJson(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
