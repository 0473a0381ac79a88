import type { engine } from '@pelorus/contract';
import type { ItemsResponse } from '@pelorus/engine';
import { type SuggestionChange, SuggestionLog } from '@pelorus/node';
import { type Connection, READ_PATIENCE_MS } from './connection.js';
import { causeKind, engineError } from './errors.js';

/** Entries of a log that are asked for at once: few where a server is likely to know them, more and more at its start. */
const [ENTRIES_FIRST, ENTRIES_MOST] = [1, 64];

/** A change of queries is proposed so often at most: each time that fails, another one has succeeded. */
const ATTEMPTS = 100;

/** The index with the logs of suggestions of all indexes. */
export interface SuggestionIndex {
  readonly alias: string;
  readonly replicas: number;
  readonly limits: engine.EngineOptions;
}

/**
 * The queries that one index suggests, in memory. Each call first asks the cluster for the next entry of the log of their
 * changes: what any server has acknowledged by then is seen. `crates/opensearch` says why it is a log.
 */
export class Suggestions {
  readonly #connection: Connection;
  readonly #index: SuggestionIndex;
  /** The one of the index that suggests them. */
  readonly id: string;
  #log = SuggestionLog.startingAt(1);
  /** The reading that begins when the one before is over; calls until then share it. */
  #waiting: Promise<SuggestionLog> | undefined;
  #reading: Promise<unknown> = Promise.resolve();
  #changing: Promise<unknown> = Promise.resolve();

  constructor(connection: Connection, index: SuggestionIndex, id: string) {
    this.#connection = connection;
    this.#index = index;
    this.id = id;
  }

  put(request: engine.PutQueriesRequest): Promise<ItemsResponse> {
    const [json, options] = [toJson(request), toJson(this.#index.limits)];
    return this.#change((log) => log.put(json, options));
  }

  async remove(request: engine.QueriesRequest): Promise<void> {
    const json = toJson(request);
    await this.#change((log) => log.remove(json));
  }

  async clear(): Promise<void> {
    await this.#change((log) => log.clear());
  }

  async get(request: engine.QueriesRequest): Promise<Buffer> {
    return (await this.#upToDate()).get(toJson(request));
  }

  async scan(request: engine.ScanQueriesRequest): Promise<Buffer> {
    return (await this.#upToDate()).scan(toJson(request));
  }

  async suggest(plan: engine.SuggestPlan): Promise<Buffer> {
    return (await this.#upToDate()).suggest(toJson(plan));
  }

  /** The number of queries, and bytes of memory that they take. */
  async stats(): Promise<{ readonly count: number; readonly memoryBytes: number }> {
    const log = await this.#upToDate();
    return { count: log.queryCount, memoryBytes: log.memoryBytes };
  }

  /** Makes changes one after the other: those of one process would only get in each other's way. */
  #change(propose: (log: SuggestionLog) => Promise<SuggestionChange>): Promise<ItemsResponse> {
    const changed = this.#changing.then(() => this.#append(propose));
    this.#changing = changed.then(() => this.#clean()).catch(() => undefined);
    return changed;
  }

  async #append(propose: (log: SuggestionLog) => Promise<SuggestionChange>): Promise<ItemsResponse> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const { number, changes, response } = await propose(await this.#upToDate());
      if (changes === undefined) return response;
      if (!(await this.#create(number, changes))) continue;
      // Nobody else learns of one that came after the log was cleaned beyond it.
      if ((await this.#upToDate()).start <= number) return response;
    }
    throw engineError('too_many_requests', 'Other servers change the suggestions of this index all the time');
  }

  /** Creates an entry; tells whether there was none of its number. */
  async #create(number: number, changes: Buffer): Promise<boolean> {
    const { alias, replicas } = this.#index;
    const body = Buffer.concat([
      Buffer.from(`{"index":${JSON.stringify(this.id)},"number":${number},"changes":`),
      changes,
      Buffer.from('}'),
    ]).toString();
    const request = { index: alias, id: `${this.id}.${number}`, op_type: 'create', require_alias: true } as const;
    // The client's types want an object, which it would write as this text.
    const send = () => this.#connection.call((client) => client.index({ ...request, body: body as unknown as object }));
    try {
      await send().catch(async (error: unknown) => {
        if (causeKind(error) !== 'index_not_found_exception') throw error;
        await createSuggestionIndex(this.#connection, alias, replicas);
        await send();
      });
      return true;
    } catch (error) {
      if (causeKind(error) === 'version_conflict_engine_exception') return false;
      throw error;
    }
  }

  /** Makes the log shorter, where that is due. */
  async #clean(): Promise<void> {
    const cleaning = await this.#log.clean();
    if (cleaning === null) return;
    const { number, changes, start } = cleaning;
    // Where another server was faster, the next change is an occasion.
    if (changes !== undefined && !(await this.#create(number, changes))) return;
    if ((await this.#upToDate()).start > number) return;
    const index = this.#index.alias;
    // Its version is the first entry: of two servers that clean, the one that comes further wins.
    const head = { index, id: this.id, version: start, version_type: 'external', require_alias: true } as const;
    await this.#connection.call((client) => client.index({ ...head, body: { index: this.id, start } }));
    await this.#connection.call((client) => client.indices.refresh({ index }));
    const filter = [{ term: { index: this.id } }, { range: { number: { lt: start } } }];
    const query = { bool: { filter } };
    await this.#connection.call((client) =>
      client.deleteByQuery({ index, body: { query }, conflicts: 'proceed', wait_for_completion: true }),
    );
  }

  /** Returns the log with all that was acknowledged before this call. */
  #upToDate(): Promise<SuggestionLog> {
    this.#waiting ??= this.#reading.then(() => {
      this.#waiting = undefined;
      const read = this.#read();
      this.#reading = read.catch(() => undefined);
      return read;
    });
    return this.#waiting;
  }

  async #read(): Promise<SuggestionLog> {
    let log = this.#log;
    for (let count = ENTRIES_FIRST; ; count = Math.min(8 * count, ENTRIES_MOST)) {
      const first = log.next;
      const entries = Array.from({ length: count }, (_, place) => `${this.id}.${first + place}`);
      const body = { ids: [...entries, this.id] };
      const index = this.#index.alias;
      const answer = await this.#connection.bytes((client, options) => client.mget({ index, body }, options), {
        patience: { ms: READ_PATIENCE_MS },
      });
      const next = await log.take(first, answer);
      if (next === 0) break;
      // Searches go on with what there was before, until all of the new one is read.
      if (next !== first) log = SuggestionLog.startingAt(next);
    }
    this.#log = log;
    return log;
  }
}

/** Removes what is left of the suggestions of an index that is gone. */
export async function removeSuggestions(connection: Connection, alias: string, id: string): Promise<void> {
  const query = { term: { index: id } };
  const known = { ignore: [404] };
  await connection.call((client) => client.indices.refresh({ index: alias }, known));
  await connection.call((client) =>
    client.deleteByQuery({ index: alias, body: { query }, conflicts: 'proceed' }, known),
  );
}

async function createSuggestionIndex(connection: Connection, alias: string, replicas: number): Promise<void> {
  const body = {
    aliases: { [alias]: { is_write_index: true } },
    settings: { index: { number_of_shards: 1, number_of_replicas: replicas } },
    mappings: {
      dynamic: 'strict' as const,
      properties: {
        index: { type: 'keyword' as const },
        number: { type: 'long' as const },
        start: { type: 'long' as const, index: false },
        changes: { type: 'object' as const, enabled: false },
      },
    },
  };
  await connection
    .call((client) => client.indices.create({ index: `${alias}.v1`, body }))
    .catch((error: unknown) => {
      if (causeKind(error) !== 'resource_already_exists_exception') throw error;
    });
}

function toJson(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
