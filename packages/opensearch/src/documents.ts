import type { EngineStats } from '@pelorus/engine';
import { clusterRefusalStatus } from '@pelorus/node';
import type { Connection } from './connection.js';
import { engineError, ofStatus } from './errors.js';

/** A deletion of everything takes as long as there is something, in milliseconds. */
const DELETE_ALL_MS = 3_600_000;

/** A server keeps nothing of an index in memory. */
const MEMORY = { vectors: 0, columns: 0, lexical: 0, filters: 0, suggestions: 0, documents: 0 } as const;

/** The documents of one index, by the alias of it. */
export class Documents {
  readonly #connection: Connection;
  readonly #index: string;

  constructor(connection: Connection, alias: string) {
    this.#connection = connection;
    this.#index = alias;
  }

  /** Returns counts of the whole cluster; memory is that of this process, which keeps nothing of an index. */
  async stats(): Promise<EngineStats> {
    const index = this.#index;
    // Lucene has a document for each chunk as well; a count is of ours alone. Chunks of replaced documents do not count.
    const [{ count }, { _all }] = await Promise.all([
      this.#connection.call(async (client) => whole(await client.count({ index }))),
      this.#connection.call(async (client) => whole(await client.indices.stats({ index, metric: ['docs'] }))),
    ]);
    const all = _all.primaries?.docs?.count ?? count;
    return {
      numberOfDocuments: count,
      numberOfVectors: Math.max(all - count, 0),
      numberOfSuggestions: 0,
      memoryBytes: 0,
      memory: MEMORY,
      work: null,
      audit: null,
    };
  }

  /** Deletes every document that there is now. Those that are written meanwhile stay. Returns their number. */
  async deleteAll(): Promise<number> {
    const index = this.#index;
    const query = { match_all: {} };
    const request = { index, body: { query }, refresh: true, conflicts: 'proceed', slices: 'auto' } as const;
    const answer = await this.#connection.call((client) =>
      client.deleteByQuery(request, { requestTimeout: DELETE_ALL_MS }),
    );
    const { deleted = 0, failures = [] } = answer as Deletion;
    const [failure] = failures;
    if (failure === undefined) return deleted;
    const kind = (failure.cause ?? failure.reason)?.type ?? '';
    const told = `it deleted ${deleted} documents and then failed: ${JSON.stringify(failure)}`;
    throw ofStatus(clusterRefusalStatus(failure.status ?? 500, kind), kind, told);
  }
}

/** The answer to a deletion that the call waited for. */
interface Deletion {
  readonly deleted?: number;
  readonly failures?: readonly {
    readonly status?: number;
    /** The failure of a document. */
    readonly cause?: { readonly type?: string };
    /** The failure of a shard that could not be searched. */
    readonly reason?: { readonly type?: string };
  }[];
}

/** An answer of all shards, as it came. @throws EngineError where some shard did not answer */
function whole<Answer extends { readonly body: { readonly _shards: { readonly failed: number } } }>(
  answer: Answer,
): Answer {
  const { failed } = answer.body._shards;
  if (failed > 0) throw engineError('service_unavailable', `${failed} shards of the index did not answer`);
  return answer;
}
