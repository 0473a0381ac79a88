import type { RankedSearch, SearchPlan, ShareableRanking, Wait, WrittenVector } from '@pelorus/engine';
import type { ClusterRanking, ClusterSearch } from '@pelorus/node';
import type { Connection } from '../connection.js';
import { engineError, ofStatus } from '../errors.js';
import type { Indexes } from '../indexes.js';
import type { IndexNames } from '../names.js';
import { beginRanking, gone, type SharedRanking, sharedRanking } from './cluster-ranked-search.js';
import { isGone, type KeptState, SearchCall, type SearchEnd } from './search-call.js';

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
    const { native: index } = await call.within(this.#indexes.known(name));
    const begin = () =>
      rows instanceof Float32Array
        ? index.search(json, rows, call.cancellation)
        : index.searchWritten(json, rows, call.cancellation);
    const { body } = await this.#checked(name, await call.run(begin, `/${this.#alias(name)}/_msearch`));
    if (body === undefined) throw new TypeError('a search ends with a body');
    return body;
  }

  /** See `StorageEngine.rank`. */
  async rank(name: string, plan: SearchPlan, vectors: Float32Array, wait: Wait | undefined): Promise<RankedSearch> {
    const call = new SearchCall(this.#connection, wait);
    const json = JSON.stringify(plan);
    const rows = vectors.slice();
    const { native, id } = await call.within(this.#indexes.known(name));
    const shared = { index: id, plan: json, vectors: Buffer.from(rows.buffer).toString('base64') };
    const begin = () => native.rank(Buffer.from(json), rows, call.cancellation);
    const ranked = beginRanking(this.#connection, this.#names.alias(name), shared, (kept) =>
      this.#ranking(name, call, begin, kept),
    );
    return this.#indexes.orMissing(name, ranked);
  }

  /** Makes a ranking of another server once more; undefined where it was of another index of that name. */
  async sharedRanking(name: string, shared: SharedRanking, wait?: Wait): Promise<ShareableRanking | undefined> {
    const call = new SearchCall(this.#connection, wait);
    const { native, id } = await call.within(this.#indexes.known(name));
    if (shared.index !== id) return undefined;
    const bytes = Buffer.from(shared.vectors, 'base64');
    const rows = new Float32Array(new Uint8Array(bytes).buffer);
    const begin = () => native.rank(Buffer.from(shared.plan), rows, call.cancellation);
    return sharedRanking(this.#connection, shared, (kept) => this.#ranking(name, call, begin, kept));
  }

  async #ranking(name: string, call: SearchCall, begin: () => ClusterSearch, kept: KeptState): Promise<ClusterRanking> {
    const { ranking } = await this.#checked(name, await call.run(begin, '/_msearch', kept));
    if (ranking === undefined) throw new TypeError('a search for all pages ends with a ranking');
    return ranking;
  }

  #alias(name: string): string {
    return encodeURIComponent(this.#names.alias(name));
  }

  async #checked(name: string, end: SearchEnd): Promise<SearchEnd> {
    if (end.refusal === undefined) return end;
    const { status, kind, reason } = end.refusal;
    if (isGone(end.refusal, 'search_context_missing')) throw gone();
    if (/max_?clause_?count/i.test(reason))
      throw engineError(
        'invalid_argument',
        `The search has more words in fields, and terms of its filter, than the nodes of the cluster take: name fewer, or raise their indices.query.bool.max_clause_count (${reason})`,
      );
    throw isGone(end.refusal, 'index_not_found') ? await this.#indexes.missing(name) : ofStatus(status, kind, reason);
  }
}
