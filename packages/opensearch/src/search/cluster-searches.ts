import type { RankedSearch, SearchPlan, Wait, WrittenVector } from '@pelorus/engine';
import type { Connection } from '../connection.js';
import { notFound, ofStatus } from '../errors.js';
import type { Indexes } from '../indexes.js';
import type { IndexNames } from '../names.js';
import { beginRanking } from './cluster-ranked-search.js';
import { isGone, SearchCall, type SearchEnd } from './search-call.js';

/** The searches of the indexes of a cluster. */
export class ClusterSearches {
  readonly #connection: Connection;
  readonly #names: IndexNames;
  readonly #indexes: Indexes;

  constructor(connection: Connection, names: IndexNames, indexes: Indexes) {
    this.#connection = connection;
    this.#names = names;
    this.#indexes = indexes;
  }

  /** See `StorageEngine.search`. */
  async search(
    name: string,
    plan: SearchPlan,
    vectors: Float32Array | WrittenVector,
    wait: Wait | undefined,
  ): Promise<Buffer> {
    const call = new SearchCall(this.#connection, wait);
    const json = Buffer.from(JSON.stringify(plan));
    // The caller may use them again before the index is known.
    const rows = vectors instanceof Float32Array ? vectors.slice() : vectors.list.slice();
    const { native: index } = await this.#indexes.known(name);
    const search =
      rows instanceof Float32Array
        ? index.search(json, rows, call.cancellation)
        : index.searchWritten(json, rows, call.cancellation);
    const { body } = this.#checked(name, await call.run(search, `/${this.#alias(name)}/_msearch`));
    if (body === undefined) throw new TypeError('a search ends with a body');
    return body;
  }

  /** See `StorageEngine.rank`. */
  async rank(name: string, plan: SearchPlan, vectors: Float32Array, wait: Wait | undefined): Promise<RankedSearch> {
    const call = new SearchCall(this.#connection, wait);
    const json = Buffer.from(JSON.stringify(plan));
    const rows = vectors.slice();
    const { native: index } = await this.#indexes.known(name);
    const search = index.rank(json, rows, call.cancellation);
    return beginRanking(this.#connection, this.#names.alias(name), async (kept) => {
      const { ranking } = this.#checked(name, await call.run(search, '/_msearch', kept));
      if (ranking === undefined) throw new TypeError('a search for all pages ends with a ranking');
      return ranking;
    });
  }

  #alias(name: string): string {
    return encodeURIComponent(this.#names.alias(name));
  }

  #checked(name: string, end: SearchEnd): SearchEnd {
    if (end.refusal === undefined) return end;
    const { status, kind, reason } = end.refusal;
    throw isGone(end.refusal, 'index_not_found') ? notFound(name) : ofStatus(status, kind, reason);
  }
}
