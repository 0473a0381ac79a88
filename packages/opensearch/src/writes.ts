import { setTimeout } from 'node:timers/promises';
import type { AddBatch, AddOptions, EmbeddingReport, EngineOptions, InputBatch, ItemsResponse } from '@pelorus/engine';
import { type ClusterAddBatch, ClusterRead, ClusterWrite } from '@pelorus/node';
import { type Connection, WRITE_PATIENCE_MS } from './connection.js';
import { codeOf, engineError, ofStatus } from './errors.js';
import type { Indexes } from './indexes.js';
import type { LackingFields } from './mapping.js';
import { readDocuments } from './reads.js';
import { applyUpdates } from './updates.js';

/** Times that a write is sent again which a node refused for want of an index that is there. */
export const ABSENCES_MAX = 3;
/** The first wait before actions that a cluster had no room for are sent again, and all of them, in milliseconds. */
const [FIRST_WAIT_MS, WAITS_MS] = [100, 30_000];

/**
 * Asks that searches see a write before it is answered. A shard that has no primary now, as its node went away, gets one
 * from its copies in a second or two, and is waited for.
 */
export const SEEN_AT_ONCE = { refresh: 'true', require_alias: 'true', timeout: '4s' } as const;

/** An index whose documents are written. */
export interface WrittenIndex {
  readonly name: string;
  /** Its name on the cluster. */
  readonly alias: string;
  readonly indexes: Indexes;
  readonly connection: Connection;
  readonly limits: EngineOptions;
}

/** The documents of one add request to an index on a cluster. */
export class OpenSearchAddBatch implements AddBatch {
  readonly #native: ClusterAddBatch;
  readonly #index: WrittenIndex;
  readonly envelope: Buffer;
  readonly count: number;

  constructor(native: ClusterAddBatch, index: WrittenIndex) {
    this.#native = native;
    this.#index = index;
    this.envelope = native.envelope;
    this.count = native.count;
  }

  async prepare(options: AddOptions): Promise<InputBatch> {
    const { name, indexes } = this.#index;
    const json = toJson(options);
    const { native } = await indexes.known(name);
    const prepared = await this.#native.prepare(native, json);
    if (!(prepared instanceof ClusterRead)) return prepared;
    await readDocuments(this.#index, prepared);
    const inputs = await this.#native.prepare(native, json, prepared);
    if (inputs instanceof ClusterRead) throw new TypeError('what was read is asked for again');
    return inputs;
  }

  async apply(vectors: Float32Array, report: EmbeddingReport): Promise<ItemsResponse> {
    const { name, indexes } = this.#index;
    const limits = toJson(this.#index.limits);
    const updates = await this.#native.fill(vectors, toJson(report));
    if (updates !== null) return applyUpdates(this.#index, updates);
    let { native: writtenFor } = await indexes.known(name);
    let write = await this.#native.write(writtenFor, limits);
    if (write.lacking !== null) {
      await indexes.extend(name, async ({ native }) => {
        // For the mapping that it was written for it would come out the same.
        if (native !== writtenFor) write = await this.#native.write(native, limits);
        writtenFor = native;
        return write.lacking === null ? undefined : fromJson<LackingFields>(write.lacking);
      });
    }
    this.#native.end();
    return send(this.#index, write);
  }
}

/** Deletes documents by their ids. */
export function deleteDocuments(index: WrittenIndex, request: object): Promise<ItemsResponse> {
  return send(index, ClusterWrite.deletion(toJson(request)));
}

/** Sends the actions of a write until each is settled: seen by searches when this resolves. */
async function send({ name, alias, indexes, connection }: WrittenIndex, write: ClusterWrite): Promise<ItemsResponse> {
  const querystring = {
    ...SEEN_AT_ONCE,
    filter_path: 'items.*.status,items.*.result,items.*.error.type,items.*.error.reason',
  };
  const request = { method: 'POST', path: `/${alias}/_bulk`, querystring };
  let [waitMs, waitedMs] = [FIRST_WAIT_MS, 0];
  let absences = 0;
  for (let body = await write.nextBody(); body !== null; body = await write.nextBody()) {
    let isBusy = false;
    try {
      const bulkBody = body;
      const answer = await connection.bytes(
        (client, options) => client.transport.request({ ...request, bulkBody }, options),
        { patience: { ms: WRITE_PATIENCE_MS } },
      );
      const { waiting, failure } = await write.take(answer);
      if (failure?.kind === 'index_not_found_exception') {
        const error = await indexes.missing(name);
        if (codeOf(error) !== 'service_unavailable' || ++absences > ABSENCES_MAX) throw error;
      } else if (failure !== undefined) throw ofStatus(failure.status, failure.kind, failure.reason);
      isBusy = waiting > 0 || failure !== undefined;
    } catch (error) {
      if (codeOf(error) !== 'too_many_requests') throw error;
      isBusy = true;
    }
    if (!isBusy) continue;
    if (waitedMs + waitMs > WAITS_MS)
      throw engineError('too_many_requests', 'The cluster has no room for more writes: send this again in a moment');
    await setTimeout(waitMs);
    waitedMs += waitMs;
    waitMs *= 2;
  }
  return write.response();
}

function toJson(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function fromJson<Value>(bytes: Buffer): Value {
  return JSON.parse(bytes.toString('utf8'));
}
