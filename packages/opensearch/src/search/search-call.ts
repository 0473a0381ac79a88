import { setTimeout as sleep } from 'node:timers/promises';
import type { Wait } from '@pelorus/engine';
import { Cancellation, type ClusterRefusal, type ClusterSearch, type ClusterStep } from '@pelorus/node';
import { type CallEnd, type Connection, GIVE_UPS, READ_PATIENCE_MS } from '../connection.js';
import { gone, late } from '../errors.js';
import { GivenUpError } from '../node-pool.js';

/** The waits before a search is run anew, in milliseconds: a shard has another copy as soon as the cluster has noticed. */
const AGAIN_MS = [100, 500];

/** A search before its first request. */
const NOTHING = new Uint8Array();

/** The end of a search: all but its requests. */
export type SearchEnd = Omit<ClusterStep, 'request'>;

/** A state of an index that is kept on the cluster. */
export interface KeptState {
  readonly pointInTime: string;
  /** The time for which it is kept from each search on, such as `5m`. */
  readonly keepAlive: string;
}

/** A call that searches, which ends when nobody waits for its answer any more. */
export class SearchCall {
  readonly cancellation: Cancellation;
  readonly end: CallEnd;
  readonly #connection: Connection;

  constructor(connection: Connection, wait: Wait | undefined) {
    const gone = new AbortController();
    const deadlineMs = wait?.deadlineMs ?? performance.now() + connection.timeoutMs;
    this.#connection = connection;
    this.end = { signal: gone.signal, deadlineMs };
    this.cancellation = Cancellation.after(deadlineMs - performance.now());
    wait?.onEnd(() => {
      this.cancellation.cancel();
      gone.abort();
    });
  }

  /** Runs a search, and anew where a node went away amid it. `begin` makes it. */
  async run(begin: () => ClusterSearch, path: string, kept?: KeptState): Promise<SearchEnd> {
    for (const waitMs of AGAIN_MS) {
      const end = await this.#runAtCopies(begin, path, kept);
      // A node that was away may have no shard yet of an index that is there.
      const isAbsent = isGone(end.refusal, 'index_not_found');
      const mayPass = isAbsent || (end.refusal?.status === 503 && end.refusal.kind !== 'cluster_block_exception');
      if (!mayPass || performance.now() + waitMs >= this.end.deadlineMs) return end;
      await sleep(waitMs, undefined, { signal: this.end.signal }).catch(() => undefined);
    }
    return this.#runAtCopies(begin, path, kept);
  }

  /** Runs a search, at other copies where it was given up after the loss of a node. */
  async #runAtCopies(begin: () => ClusterSearch, path: string, kept?: KeptState): Promise<SearchEnd> {
    for (let attempt = 0; attempt < GIVE_UPS; attempt++) {
      try {
        return await this.#run(begin(), path, kept, attempt);
      } catch (error) {
        if (!(error instanceof Error && error.cause instanceof GivenUpError)) throw error;
      }
    }
    return this.#run(begin(), path, kept, GIVE_UPS);
  }

  /** Waits for something that the search needs, until the end of the call. */
  async within<Value>(work: Promise<Value>): Promise<Value> {
    const { signal, deadlineMs } = this.end;
    const waiting = new AbortController();
    const left = Math.max(deadlineMs - performance.now(), 0);
    const ended = sleep(left, undefined, { signal: AbortSignal.any([signal, waiting.signal]) }).then(
      () => Promise.reject(late()),
      () => Promise.reject(gone()),
    );
    try {
      return await Promise.race([work, ended]);
    } finally {
      waiting.abort();
    }
  }

  /** Brings the requests of a search to a path and their answers back, until it ends. */
  async #run(search: ClusterSearch, path: string, kept: KeptState | undefined, attempt: number): Promise<SearchEnd> {
    let step = await search.step(NOTHING, this.#sending(kept, attempt));
    while (step.request !== undefined) {
      const answer = await this.#send(path, step.request, attempt);
      step = await search.step(answer, this.#sending(kept, attempt));
    }
    return step;
  }

  #send(path: string, lines: Buffer, attempt: number): Promise<Buffer> {
    const request = { method: 'POST', path, bulkBody: lines };
    return this.#connection.bytes((client, options) => client.transport.request(request, options), {
      end: this.end,
      ...(attempt < GIVE_UPS && { patience: { ms: READ_PATIENCE_MS, isTold: true } }),
    });
  }

  #sending(kept: KeptState | undefined, attempt: number) {
    return { ...kept, attempt, timeoutMs: this.end.deadlineMs - performance.now() };
  }
}

/** Tells whether a search was refused because there is no such index, or no such state of it any more. */
export function isGone(
  refusal: ClusterRefusal | undefined,
  kind: 'index_not_found' | 'search_context_missing',
): boolean {
  return refusal?.kind === `${kind}_exception`;
}
