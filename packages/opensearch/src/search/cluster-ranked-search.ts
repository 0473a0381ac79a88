import type { RankedSearch, ShareableRanking, Wait } from '@pelorus/engine';
import type { ClusterRanking } from '@pelorus/node';
import type { Connection } from '../connection.js';
import { engineError, ofStatus } from '../errors.js';
import { KEEP_ALIVE } from '../scans.js';
import { isGone, type KeptState, SearchCall } from './search-call.js';

/** All that another server needs to make the same ranking. */
export interface SharedRanking {
  /** The id of the index, as in `KnownIndex`. */
  readonly index: string;
  /** The plan, as JSON. */
  readonly plan: string;
  /** Rows of f32, little-endian, in base64. */
  readonly vectors: string;
  readonly pointInTime: string;
}

type Rank = (kept: KeptState) => Promise<ClusterRanking>;

/**
 * Keeps the state of an index, and the ranking that `rank` makes of it. The cluster forgets the state when the ranking
 * is closed, or when nobody has read a page for two minutes.
 */
export async function beginRanking(
  connection: Connection,
  index: string,
  shared: Omit<SharedRanking, 'pointInTime'>,
  rank: Rank,
): Promise<RankedSearch> {
  const query = { index: [index], keep_alive: KEEP_ALIVE, allow_partial_pit_creation: false };
  const created = await connection.call((client) => client.createPit(query));
  const { pit_id: pointInTime } = created;
  if (pointInTime === undefined) throw engineError('backend_data_parsing_error', 'A point in time has no id');
  const kept = { pointInTime, keepAlive: KEEP_ALIVE };
  try {
    return new ClusterRankedSearch(connection, kept, await rank(kept), { ...shared, pointInTime });
  } catch (error) {
    forget(connection, kept);
    throw error;
  }
}

/** Makes the ranking of another server once more, of the same state of the index. */
export async function sharedRanking(
  connection: Connection,
  shared: SharedRanking,
  rank: Rank,
): Promise<ShareableRanking> {
  const kept = { pointInTime: shared.pointInTime, keepAlive: KEEP_ALIVE };
  const ranking = new ClusterRankedSearch(connection, kept, await rank(kept), shared);
  ranking.share();
  return ranking;
}

/** The error of a state that the cluster does not have any more. */
export function gone(): Error {
  return engineError('snapshot_too_old', 'The cluster keeps the state that was read no more: begin without a cursor');
}

/** The cluster forgets by itself a state that it cannot be told to. */
function forget(connection: Connection, { pointInTime }: KeptState): void {
  const body = { pit_id: [pointInTime] };
  connection.call((client) => client.deletePit({ body })).catch(() => undefined);
}

class ClusterRankedSearch implements ShareableRanking {
  readonly #connection: Connection;
  readonly #kept: KeptState;
  readonly #ranking: ClusterRanking;
  readonly #shared: SharedRanking;
  readonly count: number;
  readonly memoryBytes: number;
  #isShared = false;
  #isClosed = false;

  constructor(connection: Connection, kept: KeptState, ranking: ClusterRanking, shared: SharedRanking) {
    this.#connection = connection;
    this.#kept = kept;
    this.#ranking = ranking;
    this.#shared = shared;
    this.count = ranking.count;
    this.memoryBytes = ranking.memoryBytes;
  }

  async page(start: number, limit: number, wait?: Wait): Promise<Buffer> {
    const call = new SearchCall(this.#connection, wait);
    const begin = () => this.#ranking.page(start, limit, call.cancellation);
    const { body, refusal } = await call.run(begin, '/_msearch', this.#kept);
    if (isGone(refusal, 'search_context_missing')) throw gone();
    if (refusal !== undefined) throw ofStatus(refusal.status, refusal.kind, refusal.reason);
    if (body === undefined) throw new TypeError('a page ends with a body');
    return body;
  }

  share(): SharedRanking {
    this.#isShared = true;
    return this.#shared;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#ranking.close();
    if (!this.#isShared) forget(this.#connection, this.#kept);
  }

  end(): void {
    this.close();
    if (this.#isShared) forget(this.#connection, this.#kept);
  }
}
