import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { PelorusError } from '@pelorus/contract';
import type { AcceptedEvents, Analytics, EventCounts, EventProblem, EventStore, LoggedSearch } from './event-store.js';
import type { Answer, Order, Questions, ThreadData } from './messages.js';

/** Most events that wait to be stored, in all batches; a moment's worth. */
const WAITING_EVENTS_MAX = 20_000;
/** Most logged searches that wait to be handed over; more are dropped. */
const SEARCHES_MAX = 5_000;
/** Time for which logged searches are gathered before they are handed over together. */
const SEARCHES_DELAY_MS = 200;
/** Time that a thread which ended waits for its next start, which is twice as long each time, */
const RESTART_MIN_MS = 1_000;
const RESTART_MAX_MS = 60_000;
/** and for how long it has to have run for the shortest of it. */
const STEADY_MS = 60_000;

export interface EventStoreOptions {
  /** Everything that it keeps is in this folder, which is made if it is not there. */
  readonly folder: string;
  /** Tells that there was a store in the folder: where nothing of it is left, it is lost. Default false. */
  readonly wasThere?: boolean;
  /** Called once its files are there. */
  readonly onOpen?: () => void;
  /** Told of work in the background that failed, and will be tried again. */
  readonly onFault?: (message: string) => void;
  /** The module that its thread runs. */
  readonly module?: URL;
}

/** Opens the store of events in a folder that no other process has open. */
export function openEventStore(options: EventStoreOptions): EventStore {
  return new ThreadedEventStore(options);
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** The store, all of whose work is done by one thread. */
class ThreadedEventStore implements EventStore {
  readonly analytics: Analytics;
  droppedSearches = 0;
  problems: readonly EventProblem[] = [];
  readonly #start: () => Worker;
  /** Null between the end of one and the start of the next. */
  #worker: Worker | null;
  /** The number of times that it was started since it last ran for long. */
  #starts = 0;
  #restart: NodeJS.Timeout | null = null;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 0;
  #waitingEvents = 0;
  readonly #counts = { accepted: 0, duplicates: 0, rejected: 0, refused: 0 };
  #searches: LoggedSearch[] = [];
  #handOver: NodeJS.Timeout | null = null;
  #ended = 'it was closed';
  #isClosed = false;

  constructor(options: EventStoreOptions) {
    const { folder, onOpen = () => undefined, onFault = () => undefined, module = eventThread } = options;
    let { wasThere = false } = options;
    this.#start = () => {
      const worker = new Worker(module, { name: 'events', workerData: { folder, wasThere } satisfies ThreadData });
      const startedMs = performance.now();
      let cause = 'its thread ended';
      worker.on('message', (answer: Answer) => {
        if ('fault' in answer) onFault(answer.fault);
        else if ('isOpen' in answer) {
          wasThere = true;
          onOpen();
        } else if ('problems' in answer) this.problems = answer.problems;
        else this.#settle(answer);
      });
      worker.on('error', (error) => {
        cause = error instanceof Error ? error.message : String(error);
      });
      worker.on('exit', () => {
        if (performance.now() - startedMs > STEADY_MS) this.#starts = 0;
        this.#end(cause, onFault);
      });
      this.#starts += 1;
      return worker;
    };
    this.#worker = this.#start();
    this.analytics = {
      summary: (...args) => this.#ask('summary', ...args),
      timeSeries: (...args) => this.#ask('timeSeries', ...args),
      terms: (...args) => this.#ask('terms', ...args),
      noResults: (...args) => this.#ask('noResults', ...args),
      noClicks: (...args) => this.#ask('noClicks', ...args),
      products: (...args) => this.#ask('products', ...args),
      labels: (...args) => this.#ask('labels', ...args),
      dataQuality: (...args) => this.#ask('dataQuality', ...args),
      namedProducts: (...args) => this.#ask('namedProducts', ...args),
    };
  }

  get counts(): EventCounts {
    return { ...this.#counts, waiting: this.#waitingEvents };
  }

  async accept(customerId: string, events: readonly unknown[]): Promise<AcceptedEvents> {
    if (this.#waitingEvents + events.length > WAITING_EVENTS_MAX) {
      this.#counts.refused += events.length;
      throw unavailable(`More than ${WAITING_EVENTS_MAX} events wait to be stored. Try again.`);
    }
    this.#waitingEvents += events.length;
    try {
      const batch = { customerId, texts: events.map((event) => JSON.stringify(event)) };
      const outcome = (await this.#send((id) => ({ kind: 'accept', id, batch }))) as AcceptedEvents;
      this.#counts.accepted += outcome.accepted;
      this.#counts.duplicates += outcome.duplicates;
      this.#counts.rejected += outcome.received - outcome.accepted - outcome.duplicates;
      return outcome;
    } catch (error) {
      this.#counts.refused += events.length;
      throw error;
    } finally {
      this.#waitingEvents -= events.length;
    }
  }

  logSearch(search: LoggedSearch): void {
    if (this.#searches.length >= SEARCHES_MAX || this.#worker === null) {
      this.droppedSearches += 1;
      return;
    }
    this.#searches.push(search);
    this.#handOver ??= setTimeout(() => this.#handSearchesOver(), SEARCHES_DELAY_MS);
  }

  productSignals: EventStore['productSignals'] = (customerId, since) => this.#ask('productSignals', customerId, since);
  topQueries: EventStore['topQueries'] = (customerId, { since, limit }) =>
    this.#ask('topQueries', customerId, since, limit);
  queryChoices: EventStore['queryChoices'] = (...args) => this.#ask('queryChoices', ...args);
  recentOf: EventStore['recentOf'] = (customerId, shopper) => this.#ask('recentOf', customerId, shopper);
  setRetention: EventStore['setRetention'] = (customerId, days) => this.#ask('setRetention', customerId, days);
  retentionOf: EventStore['retentionOf'] = (customerId) => this.#ask('retentionOf', customerId);
  exportUser: EventStore['exportUser'] = (...args) => this.#ask('exportUser', ...args);
  exportUbi: EventStore['exportUbi'] = (...args) => this.#ask('exportUbi', ...args);
  eraseUser: EventStore['eraseUser'] = (customerId, userId) => this.#ask('eraseUser', customerId, userId);
  erasure: EventStore['erasure'] = (jobId) => this.#ask('erasure', jobId);
  rebuild: EventStore['rebuild'] = () => this.#ask('rebuild');
  copyTo: EventStore['copyTo'] = (folder) => this.#ask('copyTo', folder);

  settled(): Promise<void> {
    this.#handSearchesOver();
    return this.#ask('settle');
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#handSearchesOver();
    this.#isClosed = true;
    if (this.#restart !== null) clearTimeout(this.#restart);
    if (this.#worker === null) return;
    const exit = once(this.#worker, 'exit');
    // Its reports of files that cannot be used were made before.
    await this.#send((id) => ({ kind: 'ask', id, name: 'close', args: [] })).catch(() => undefined);
    await exit;
  }

  #handSearchesOver(): void {
    if (this.#handOver !== null) clearTimeout(this.#handOver);
    this.#handOver = null;
    if (this.#searches.length === 0) return;
    this.#worker?.postMessage({ kind: 'searches', searches: this.#searches } satisfies Order);
    this.#searches = [];
  }

  #ask<Name extends keyof Questions>(
    name: Name,
    ...args: Parameters<Questions[Name]>
  ): Promise<Awaited<ReturnType<Questions[Name]>>> {
    return this.#send((id) => ({ kind: 'ask', id, name, args })) as Promise<Awaited<ReturnType<Questions[Name]>>>;
  }

  #send(order: (id: number) => Order): Promise<unknown> {
    const worker = this.#worker;
    if (worker === null) return Promise.reject(unavailable(endedText(this.#ended)));
    const id = this.#nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(id, { resolve, reject });
    worker.postMessage(order(id));
    return promise;
  }

  #settle(answer: Extract<Answer, { id: number }>): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if ('error' in answer)
      waiting?.reject(unavailable(`The store of events cannot be used: ${answer.error}. Try again.`));
    else waiting?.resolve(answer.value);
  }

  #end(cause: string, onFault: (message: string) => void): void {
    this.#worker = null;
    this.#ended = this.#isClosed ? 'it was closed' : cause;
    if (this.#handOver !== null) clearTimeout(this.#handOver);
    this.#handOver = null;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(unavailable(endedText(this.#ended)));
    if (this.#isClosed) return;
    onFault(endedText(cause));
    this.problems = [{ status: 'red', reason: endedText(cause) }];
    const waitMs = Math.min(RESTART_MAX_MS, RESTART_MIN_MS * 2 ** Math.min(this.#starts - 1, 20));
    this.#restart = setTimeout(() => {
      this.#restart = null;
      this.problems = [];
      this.#worker = this.#start();
    }, waitMs);
  }
}

const eventThread = new URL('./event-thread.js', import.meta.url);

function endedText(cause: string): string {
  return `The store of events has ended: ${cause}`;
}

/** For now: whoever sent events keeps them and sends them again. */
function unavailable(message: string): PelorusError {
  return new PelorusError('service_unavailable', message, { headers: { 'retry-after': '1' } });
}
