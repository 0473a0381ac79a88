import { type CallOptions, within } from './connection.js';
import { PelorusError, UnexpectedAnswerError } from './errors.js';
import { listOf } from './refusal.js';

/** The outcome of one document. */
export interface Outcome {
  /** Its place among the documents that were given, from 0. */
  readonly position: number;
  /** Its id, which the server makes where the document has none; empty where it was refused before it got one. */
  readonly id: string;
  /** 200 where it is stored and searchable, or else the status of its refusal. */
  readonly status: number;
  /** The reason for programs, where it was refused. */
  readonly code?: string | undefined;
  readonly message?: string | undefined;
}

/** The outcomes of documents. */
export interface WriteReport {
  /** The number of documents that are stored. */
  readonly stored: number;
  /** The number of documents that were refused. */
  readonly failed: number;
  /** One for each document, in their order; empty where `onOutcomes` takes them. */
  readonly outcomes: readonly Outcome[];
}

export interface WriteOptions extends CallOptions {
  /** Most documents of one request. Default 64; a server takes 128 unless its operator says otherwise. */
  readonly batchSize?: number | undefined;
  /** Requests under way at once. Default 2. */
  readonly concurrency?: number | undefined;
  /** Function that is told the counts after each request. */
  readonly onProgress?: ((progress: { readonly stored: number; readonly failed: number }) => void) | undefined;
  /** Function that takes the outcomes of each request, so that the report of millions of documents holds none. */
  readonly onOutcomes?: ((outcomes: readonly Outcome[]) => void) | undefined;
}

/** Characters of a request from which on no document joins it: at most 24 MiB of the 32 MiB that a server reads. */
const BATCH_LENGTH = 8 * 1024 * 1024;
const BATCH_SIZE = 64;
const CONCURRENCY = 2;

/** An item of an answer about documents. */
interface Item {
  readonly _id: string;
  readonly status: number;
  readonly code?: string;
  readonly message?: string;
}

/** A document as it is sent. */
interface Entry {
  readonly position: number;
  readonly id: string | undefined;
  readonly json: string;
}

/** Sends documents; gives the JSON of the answer. */
export type SendDocuments = (json: string, isRepeatable: boolean) => Promise<unknown>;

/**
 * Sends documents in batches, several under way at once. The later of two with one id wins, as if they were sent one by
 * one.
 *
 * @throws PelorusError with the `report` of what was done before; the reason of the signal; what the documents throw
 */
export async function writeDocuments(
  documents: Iterable<object> | AsyncIterable<object>,
  send: SendDocuments,
  options: WriteOptions,
): Promise<WriteReport> {
  const writing = new Writing(send, options);
  try {
    return await writing.run(documents);
  } catch (error) {
    if (error instanceof PelorusError) error.report ??= writing.report;
    throw error;
  }
}

class Writing {
  readonly #send: SendDocuments;
  readonly #options: WriteOptions;
  readonly #batchSize: number;
  readonly #concurrency: number;
  readonly #outcomes: Outcome[] = [];
  readonly #running = new Set<Promise<void>>();
  /** Ids of the documents under way. */
  readonly #ids = new Set<string>();
  /** The end of all sending, by the signal or by the first failure. */
  readonly #halt = new AbortController();
  #stored = 0;
  #failed = 0;

  constructor(send: SendDocuments, options: WriteOptions) {
    this.#send = send;
    this.#options = options;
    this.#batchSize = within('batchSize', options.batchSize ?? BATCH_SIZE, 1, 100_000);
    this.#concurrency = within('concurrency', options.concurrency ?? CONCURRENCY, 1, 64);
  }

  get report(): WriteReport {
    // Without the places of batches that failed.
    const outcomes = this.#outcomes.filter(() => true);
    return { stored: this.#stored, failed: this.#failed, outcomes };
  }

  async run(documents: Iterable<object> | AsyncIterable<object>): Promise<WriteReport> {
    const { signal } = this.#options;
    const halt = this.#halt;
    const abort = () => halt.abort(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort);
    try {
      for await (const batch of this.#batches(untilHalted(documents, halt.signal))) {
        while (
          this.#running.size >= this.#concurrency ||
          batch.some(({ id }) => id !== undefined && this.#ids.has(id))
        ) {
          await Promise.race(this.#running);
        }
        halt.signal.throwIfAborted();
        this.#begin(batch);
      }
    } finally {
      // Those under way may be stored: their outcomes are told, whatever ended the others.
      await Promise.all(this.#running);
      signal?.removeEventListener('abort', abort);
    }
    halt.signal.throwIfAborted();
    return this.report;
  }

  #begin(batch: readonly Entry[]): void {
    for (const { id } of batch) if (id !== undefined) this.#ids.add(id);
    const sending = this.#write(batch)
      .catch((error: unknown) => this.#halt.abort(error))
      .finally(() => {
        this.#running.delete(sending);
        for (const { id } of batch) if (id !== undefined) this.#ids.delete(id);
      });
    this.#running.add(sending);
  }

  /** Writes a batch; one that is too large for a request goes in two. */
  async #write(batch: readonly Entry[]): Promise<void> {
    let answer: unknown;
    try {
      const json = `[${batch.map((entry) => entry.json).join(',')}]`;
      answer = await this.#send(
        json,
        batch.every(({ id }) => id !== undefined),
      );
    } catch (error) {
      if (!(error instanceof PelorusError && error.status === 413)) throw error;
      const { message, code } = error;
      const [only] = batch;
      if (batch.length === 1 && only !== undefined)
        return this.#tell([only], [{ _id: only.id ?? '', status: 413, message, code }]);
      const middle = Math.ceil(batch.length / 2);
      await this.#write(batch.slice(0, middle));
      this.#halt.signal.throwIfAborted();
      return this.#write(batch.slice(middle));
    }
    const items = listOf<Item>(answer, 'items');
    if (items.length !== batch.length) {
      throw new UnexpectedAnswerError(`An answer about ${batch.length} documents tells of ${items.length}`, {
        code: 'unexpected_answer',
      });
    }
    this.#tell(batch, items);
  }

  #tell(batch: readonly Entry[], items: readonly Item[]): void {
    const outcomes = batch.map(({ position }, place) => {
      const { _id: id, status, code, message } = items[place] as Item;
      return { position, id, status, ...(status >= 300 && { code, message }) };
    });
    const failed = outcomes.filter(({ status }) => status >= 300).length;
    this.#failed += failed;
    this.#stored += outcomes.length - failed;
    const { onOutcomes, onProgress } = this.#options;
    if (onOutcomes !== undefined) onOutcomes(outcomes);
    // By place, as batches end in any order.
    else for (const outcome of outcomes) this.#outcomes[outcome.position] = outcome;
    onProgress?.({ stored: this.#stored, failed: this.#failed });
  }

  /** Gathers documents into batches. No two of one batch have one id: an answer would tell of the later one alone. */
  async *#batches(documents: AsyncIterable<object>): AsyncGenerator<Entry[], void, void> {
    let [batch, length, position]: [Entry[], number, number] = [[], 0, 0];
    const ids = new Set<string>();
    for await (const document of documents) {
      const json = jsonOf(document);
      const id = idOf(document, json);
      if (json === undefined) {
        const message = 'The document cannot be written as JSON';
        this.#tell([{ position, id, json: '' }], [{ _id: id ?? '', status: 400, code: 'invalid_argument', message }]);
      } else {
        const isFull = batch.length >= this.#batchSize || length + json.length > BATCH_LENGTH;
        if (batch.length > 0 && (isFull || (id !== undefined && ids.has(id)))) {
          yield batch;
          [batch, length] = [[], 0];
          ids.clear();
        }
        if (id !== undefined) ids.add(id);
        batch.push({ position, id, json });
        length += json.length;
      }
      position += 1;
    }
    if (batch.length > 0) yield batch;
  }
}

/** The JSON of a document; undefined where it has none. */
function jsonOf(document: unknown): string | undefined {
  try {
    return JSON.stringify(document);
  } catch {
    // A circle, or a number that JSON does not know.
    return undefined;
  }
}

/**
 * The id that the JSON of a document has; undefined where it has none. It is not always the `_id` of the document: a
 * `toJSON` may write another or none, and JSON has no members of a class.
 */
function idOf(document: unknown, json: string | undefined): string | undefined {
  if (typeof document !== 'object' || document === null) return undefined;
  const { _id, toJSON } = document as { _id?: unknown; toJSON?: unknown };
  const isWrittenAnew = typeof toJSON === 'function' || (typeof _id === 'object' && _id !== null);
  const written = isWrittenAnew && json !== undefined ? (JSON.parse(json) as typeof document) : document;
  if (!Object.prototype.propertyIsEnumerable.call(Object(written), '_id')) return undefined;
  const id = (written as { _id?: unknown })._id;
  return typeof id === 'string' ? id : undefined;
}

/** The same documents, until the signal ends them: also while the next one is waited for. */
async function* untilHalted(
  documents: Iterable<object> | AsyncIterable<object>,
  signal: AbortSignal,
): AsyncGenerator<object, void, void> {
  const iterator = Symbol.asyncIterator in documents ? documents[Symbol.asyncIterator]() : documents[Symbol.iterator]();
  let halt: (reason: unknown) => void = () => undefined;
  const abort = () => halt(signal.reason);
  signal.addEventListener('abort', abort);
  let isDone = false;
  try {
    for (;;) {
      signal.throwIfAborted();
      // A new promise for each document: reactions on one that lasts would pile up.
      const next = await new Promise<IteratorResult<object>>((resolve, reject) => {
        halt = reject;
        Promise.resolve(iterator.next()).then(resolve, reject);
      });
      isDone = next.done === true;
      if (next.done) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', abort);
    // A source that waits for its next document ends when it has it.
    if (!isDone) Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}
