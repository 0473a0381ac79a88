import type { StorageEngine } from '../storage-engine.js';
import { CopyWork } from './copy-work.js';
import { codeOf, IndexCopy } from './index-copy.js';

/** Indexes that are copied at once. */
const INDEXES_MAX = 4;
/** Documents of an index that may wait; beyond that it is copied as a whole. */
const DOCUMENTS_MAX = 100_000;
/** Refused documents of an index that are known by their ids. */
const REFUSED_MAX = 1000;
const [FIRST_WAIT_MS, WAIT_MS_MAX] = [250, 30_000] as const;

/** The state of an index in the second engine. */
export interface CopyState {
  /** `in_step` where nothing waits; `refused` where the second engine does not take the index. */
  readonly state: 'in_step' | 'copying' | 'behind' | 'refused';
  /** Time at which the first copy failed that has not succeeded since. */
  readonly since: Date | null;
  /** The reason that copies fail, or are refused. */
  readonly reason: string | null;
  readonly pendingDocuments: number;
  readonly refusedDocuments: number;
}

interface Tracked {
  readonly copy: IndexCopy;
  work: CopyWork | undefined;
  isRunning: boolean;
  isWholeRunning: boolean;
  failures: number;
  since: Date | null;
  reason: string | null;
  isRefused: boolean;
  timer: NodeJS.Timeout | undefined;
  /** Counts the changes that were noted. */
  changes: number;
  readonly refused: Map<string, string>;
}

/** Copies to the second engine what changes in the first one, index by index, behind the calls that change it. */
export class Copier {
  readonly #first: StorageEngine;
  readonly #second: StorageEngine;
  readonly #warn: (message: string) => void;
  readonly #indexes = new Map<string, Tracked>();
  readonly #ready: string[] = [];
  #running = 0;
  #isClosed = false;
  #settled: (() => void)[] = [];

  constructor(first: StorageEngine, second: StorageEngine, warn: (message: string) => void) {
    this.#first = first;
    this.#second = second;
    this.#warn = warn;
  }

  defined(index: string): void {
    this.#note(index, (work) => {
      work.isDefined = true;
    });
  }

  dropped(index: string): void {
    const tracked = this.#of(index);
    tracked.refused.clear();
    this.#note(index, (work) => work.drop());
  }

  documents(index: string, ids: readonly string[]): void {
    if (ids.length > 0) this.#note(index, (work) => work.addDocuments(ids, DOCUMENTS_MAX));
  }

  allDocumentsDeleted(index: string): void {
    this.#of(index).refused.clear();
    this.#note(index, (work) => {
      work.documents.clear();
      work.isCleared = true;
    });
  }

  queries(index: string, texts: readonly string[]): void {
    this.#note(index, (work) => {
      for (const text of texts) work.queries.add(text);
    });
  }

  allQueries(index: string): void {
    this.#note(index, (work) => {
      work.areAllQueries = true;
    });
  }

  /** Copies an index as a whole, whatever the second engine has of it. */
  whole(index: string): void {
    const tracked = this.#of(index);
    tracked.refused.clear();
    this.#note(index, (work) => {
      work.isWhole = true;
    });
  }

  /** Every index that anything was noted of. */
  names(): string[] {
    return [...this.#indexes.keys()];
  }

  stateOf(index: string): CopyState {
    const tracked = this.#indexes.get(index);
    if (tracked === undefined)
      return { state: 'in_step', since: null, reason: null, pendingDocuments: 0, refusedDocuments: 0 };
    const { work, isRunning, isRefused, since, refused } = tracked;
    const [first] = refused;
    const refusal = first && `document '${first[0]}': ${first[1]}`;
    const isBehind = since !== null || refused.size > 0;
    const state = isRefused ? 'refused' : isBehind ? 'behind' : work !== undefined || isRunning ? 'copying' : 'in_step';
    const pendingDocuments = work?.documents.size ?? 0;
    return {
      state,
      since,
      reason: tracked.reason ?? refusal ?? null,
      pendingDocuments,
      refusedDocuments: refused.size,
    };
  }

  /** Tells whether all documents are copied, or about to be. */
  isWhole(index: string): boolean {
    const { work, isWholeRunning = false } = this.#indexes.get(index) ?? {};
    return isWholeRunning || work?.isWhole === true;
  }

  /** The number of changes to an index that were noted. */
  changesOf(index: string): number {
    return this.#indexes.get(index)?.changes ?? 0;
  }

  /** Waits until nothing is to be copied, or for so long; tells which. */
  async settled(timeoutMs: number): Promise<boolean> {
    if (this.#isSettled()) return true;
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([
      new Promise<void>((resolve) => this.#settled.push(resolve)),
      new Promise<void>((resolve) => {
        timer = setTimeout(resolve, timeoutMs);
      }),
    ]);
    clearTimeout(timer);
    return this.#isSettled();
  }

  /** Begins no copy any more. */
  close(): void {
    this.#isClosed = true;
    for (const { timer } of this.#indexes.values()) clearTimeout(timer);
  }

  #isSettled(): boolean {
    return [...this.#indexes.values()].every(({ work, isRunning, isRefused }) => !isRunning && (isRefused || !work));
  }

  #of(index: string): Tracked {
    const known = this.#indexes.get(index);
    if (known !== undefined) return known;
    const refused = new Map<string, string>();
    const copy = new IndexCopy(index, this.#first, this.#second, {
      copied: (ids) => {
        for (const id of ids) refused.delete(id);
      },
      refused: (id, message) => {
        if (refused.size === 0) this.#warn(`The second engine refuses document '${id}' of index ${index}: ${message}`);
        if (refused.size < REFUSED_MAX) refused.set(id, message);
      },
    });
    const none = { isRunning: false, isWholeRunning: false, failures: 0, since: null, reason: null, isRefused: false };
    const tracked = { copy, refused, ...none, work: undefined, timer: undefined, changes: 0 };
    this.#indexes.set(index, tracked);
    return tracked;
  }

  #note(index: string, change: (work: CopyWork) => void): void {
    const tracked = this.#of(index);
    tracked.work ??= new CopyWork();
    tracked.changes += 1;
    change(tracked.work);
    const { isDefined, isDropped, isWhole } = tracked.work;
    // An index that is refused is tried again where it changes itself, or somebody asks for that.
    if (tracked.isRefused && !isDefined && !isDropped && !isWhole) {
      tracked.work = undefined;
      return;
    }
    // Nobody knows the changes that came while it was refused.
    tracked.work.isWhole ||= tracked.isRefused;
    tracked.isRefused = false;
    if (tracked.timer === undefined) this.#enqueue(index);
  }

  #enqueue(index: string): void {
    if (!this.#ready.includes(index)) this.#ready.push(index);
    this.#start();
  }

  #start(): void {
    while (this.#running < INDEXES_MAX && !this.#isClosed) {
      const at = this.#ready.findIndex((index) => this.#indexes.get(index)?.isRunning === false);
      const [index] = at < 0 ? [] : this.#ready.splice(at, 1);
      if (index === undefined) return;
      this.#running += 1;
      void this.#run(this.#of(index), index).then(() => {
        this.#running -= 1;
        this.#start();
        if (this.#isSettled()) for (const resolve of this.#settled.splice(0)) resolve();
      });
    }
  }

  async #run(tracked: Tracked, index: string): Promise<void> {
    const { work } = tracked;
    if (work === undefined) return;
    tracked.work = undefined;
    tracked.isRunning = true;
    tracked.isWholeRunning = work.isWhole;
    try {
      await tracked.copy.run(work);
      if (tracked.since !== null) this.#warn(`Index ${index} is copied to the second engine again`);
      Object.assign(tracked, { failures: 0, since: null, reason: null, isRefused: false });
    } catch (error) {
      this.#failed(tracked, index, work, error as Error);
    } finally {
      tracked.isRunning = false;
      tracked.isWholeRunning = false;
    }
  }

  #failed(tracked: Tracked, index: string, work: CopyWork, error: Error): void {
    const newer = tracked.work;
    tracked.reason = error.message;
    if (codeOf(error) === 'invalid_argument') {
      this.#warn(`The second engine does not take index ${index}: ${error.message}`);
      tracked.isRefused = newer === undefined;
      if (newer !== undefined) this.#enqueue(index);
      return;
    }
    if (tracked.since === null) {
      tracked.since = new Date();
      this.#warn(`Index ${index} cannot be copied to the second engine, which is tried again: ${error.message}`);
    }
    if (newer === undefined) tracked.work = work;
    else newer.joinOlder(work, DOCUMENTS_MAX);
    const wait = Math.min(FIRST_WAIT_MS * 2 ** tracked.failures, WAIT_MS_MAX);
    tracked.failures += 1;
    tracked.timer = setTimeout(() => {
      tracked.timer = undefined;
      this.#enqueue(index);
    }, wait).unref();
  }
}
