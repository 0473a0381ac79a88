import { setTimeout } from 'node:timers/promises';
import type { engine } from '@pelorus/contract';
import type { ItemsResponse, UpdateBatch } from '@pelorus/engine';
import type { ClusterUpdates } from '@pelorus/node';
import { READ_PATIENCE_MS, WRITE_PATIENCE_MS } from './connection.js';
import { codeOf, engineError, ofStatus } from './errors.js';
import type { KnownIndex } from './indexes.js';
import type { LackingFields } from './mapping.js';
import { ABSENCES_MAX, SEEN_AT_ONCE, type WrittenIndex } from './writes.js';

/** For how long documents that others write all the time are read and merged again, in milliseconds. */
const PATIENCE_MS = 30_000;
/** Waits before a document is read again: up to these many milliseconds, by chance, so that writers do not meet again. */
const [WAIT_FIRST_MS, WAIT_MOST_MS] = [10, 500];

/** The documents of one update request to an index on a cluster. */
export class OpenSearchUpdateBatch implements UpdateBatch {
  readonly #native: ClusterUpdates;
  readonly #index: WrittenIndex;
  readonly #prepared: KnownIndex;
  readonly envelope: Buffer;
  readonly count: number;
  readonly nonObjectPlaces: readonly number[];

  /** @param prepared the index as it was when the request came, whose place another one may take */
  constructor(native: ClusterUpdates, index: WrittenIndex, prepared: KnownIndex) {
    this.#native = native;
    this.#index = index;
    this.#prepared = prepared;
    this.envelope = native.envelope;
    this.count = native.count;
    this.nonObjectPlaces = native.strays;
  }

  async apply(options: engine.UpdateOptions): Promise<ItemsResponse> {
    await this.#native.begin(this.#prepared.native, Buffer.from(JSON.stringify(options)));
    return applyUpdates(this.#index, this.#native);
  }
}

/** Writes updates that have begun, as long as others write the same documents. */
export async function applyUpdates(index: WrittenIndex, native: ClusterUpdates): Promise<ItemsResponse> {
  const { name, alias, indexes, connection } = index;
  const reading = { method: 'POST', path: `/${alias}/_mget` } as const;
  const end = performance.now() + PATIENCE_MS;
  let waitMs = WAIT_FIRST_MS;
  let absences = 0;
  for (let body = await native.wanted(); body !== null; body = await native.wanted()) {
    const wanted = body.toString();
    await connection.taken(
      (client, options) => client.transport.request({ ...reading, body: wanted }, options),
      (answer) =>
        native.take(answer).catch(async (error: unknown) => {
          throw codeOf(error) === 'index_not_found' ? await indexes.missing(name) : error;
        }),
      { patience: { ms: READ_PATIENCE_MS } },
    );
    const actions = await merged(index, native);
    if (actions === null) continue;
    const writing = { method: 'POST', path: `/${alias}/_bulk`, querystring: SEEN_AT_ONCE } as const;
    const refusal = await native.settle(
      await connection.bytes(
        (client, options) => client.transport.request({ ...writing, bulkBody: actions.toString() }, options),
        { patience: { ms: WRITE_PATIENCE_MS } },
      ),
    );
    if (refusal?.kind === 'index_not_found_exception') {
      const error = await indexes.missing(name);
      if (codeOf(error) !== 'service_unavailable' || ++absences > ABSENCES_MAX) throw error;
    } else if (refusal !== null) throw ofStatus(refusal.status, refusal.kind, refusal.reason);
    if (performance.now() > end)
      throw engineError('too_many_requests', 'Others write documents of this request all the time: send it again');
    await setTimeout(Math.random() * waitMs);
    waitMs = Math.min(2 * waitMs, WAIT_MOST_MS);
  }
  return native.response();
}

/** Merges updates into what was read, and gives the bulk body of that. The mapping knows all its fields. */
async function merged({ name, indexes, limits }: WrittenIndex, updates: ClusterUpdates): Promise<Buffer | null> {
  const json = Buffer.from(JSON.stringify(limits));
  let merged = await updates.merge((await indexes.known(name)).native, json);
  if (merged.lacking !== null || merged.isUnsure) {
    // Reads the mapping anew: another server may have made known what this one does not know.
    await indexes.extend(name, async ({ native }) => {
      merged = await updates.merge(native, json);
      return merged.lacking === null ? undefined : (JSON.parse(merged.lacking.toString()) as LackingFields);
    });
  }
  return updates.accept(merged);
}
