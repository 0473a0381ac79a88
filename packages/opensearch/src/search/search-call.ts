import type { Wait } from '@pelorus/engine';
import { Cancellation, type ClusterRefusal, type ClusterSearch, type ClusterStep } from '@pelorus/node';
import type { CallEnd, Connection } from '../connection.js';

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

  /** Brings the requests of a search to a path and their answers back, until it ends. */
  async run(search: ClusterSearch, path: string, kept?: KeptState): Promise<SearchEnd> {
    let step = await search.step(NOTHING, this.#sending(kept));
    while (step.request !== undefined) {
      const answer = await this.#send(path, step.request);
      step = await search.step(answer, this.#sending(kept));
    }
    return step;
  }

  #send(path: string, lines: Buffer): Promise<Buffer> {
    const request = { method: 'POST', path, bulkBody: lines };
    // A search that did not arrive, or whose answer did not, is sent to another node.
    return this.#connection.bytes(
      (client, options) => client.transport.request(request, { ...options, maxRetries: 2 }),
      this.end,
    );
  }

  #sending(kept: KeptState | undefined) {
    return { ...kept, timeoutMs: this.end.deadlineMs - performance.now() };
  }
}

/** Tells whether a search was refused because there is no such index, or no such state of it any more. */
export function isGone(
  refusal: ClusterRefusal | undefined,
  kind: 'index_not_found' | 'search_context_missing',
): boolean {
  return refusal?.kind === `${kind}_exception`;
}
