import { randomUUID } from 'node:crypto';
import { type ClusterOptions, Connection } from './connection.js';
import { causeKind, engineError } from './errors.js';
import { IndexNames } from './names.js';
import { examined } from './nodes.js';

/** Reads are short: one that a node does not answer is sent to another. In milliseconds. */
const READ = { maxRetries: 2, requestTimeout: 2_000, ignore: [404] };

/** A record as it is stored. */
interface Stored {
  /** The time at which this version was stored, in milliseconds of the epoch. */
  readonly time: number;
  /** No other version of any record has it, not even one of an index that is made anew. */
  readonly stamp: string;
  readonly value: unknown;
}

/** The answer to a request for a document. */
interface Found {
  readonly found?: boolean;
  readonly _seq_no?: number;
  readonly _primary_term?: number;
  readonly _source?: Partial<Stored>;
}

/**
 * Records that the servers of a cluster share, in an index of their own: reads are of the last acknowledged state of a
 * record, and a version is replaced once.
 */
export class SharedRecords {
  readonly #connection: Connection;
  readonly #alias: string;
  readonly #replicas: number;

  /**
   * @param alias of their index, which is made with the first record
   * @param replicas copies of it besides the first
   */
  constructor(connection: Connection, alias: string, replicas: number) {
    this.#connection = connection;
    this.#alias = alias;
    this.#replicas = replicas;
  }

  /**
   * Connects to a cluster, and examines it.
   * @throws EngineError
   */
  static async openKeys(options: ClusterOptions): Promise<SharedRecords> {
    const { prefix = 'pelorus', replicas = 1 } = options;
    const connection = await Connection.open(options);
    try {
      await examined(connection);
    } catch (error) {
      await connection.close();
      throw error;
    }
    return new SharedRecords(connection, new IndexNames(prefix).keys, replicas);
  }

  /** The record of an id, which need not be there. */
  record(id: string): SharedRecord {
    return {
      version: async () => versionOf(await this.#get(id, ['stamp'])),
      read: async () => {
        const found = await this.#get(id);
        const version = versionOf(found);
        return version === undefined ? undefined : { value: found._source?.value, version };
      },
      replace: (value, over) => this.#replace(id, value, over),
    };
  }

  /** Stores a record that is not there yet; returns where it is, for people. */
  async keep(id: string, value: object): Promise<string> {
    await this.#replace(id, value, undefined);
    return `document ${id} of index ${this.#alias}`;
  }

  async remove(id: string): Promise<void> {
    await this.#connection.call((client) => client.delete({ index: this.#alias, id }, { ignore: [404] }));
  }

  /** Removes the records that were stored so long ago. */
  async removeOlder(ageMs: number): Promise<void> {
    const [index, known] = [this.#alias, { ignore: [404] }];
    const query = { range: { time: { lt: Date.now() - ageMs } } };
    await this.#connection.call((client) => client.indices.refresh({ index }, known));
    await this.#connection.call((client) =>
      client.deleteByQuery({ index, body: { query }, conflicts: 'proceed' }, known),
    );
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  async #get(id: string, members?: string[]): Promise<Found> {
    const request = { index: this.#alias, id, ...(members !== undefined && { _source_includes: members }) };
    return (await this.#connection.call((client) => client.get(request, READ))) as Found;
  }

  async #replace(id: string, value: object, over: string | undefined): Promise<string | undefined> {
    const stamp = randomUUID();
    const body = { time: Date.now(), stamp, value } satisfies Stored;
    const place = { index: this.#alias, id, require_alias: true, body };
    const send = () =>
      this.#connection.call((client) =>
        client.index(over === undefined ? { ...place, op_type: 'create' } : { ...place, ...placeOf(over) }),
      );
    try {
      const stored = await send().catch(async (error: unknown) => {
        if (causeKind(error) !== 'index_not_found_exception' || over !== undefined) throw error;
        await this.#createIndex();
        return send();
      });
      return versionOf({ ...stored, _source: { stamp } });
    } catch (error) {
      const kind = causeKind(error);
      if (kind === 'index_not_found_exception') return undefined;
      if (kind !== 'version_conflict_engine_exception') throw error;
      // It was sent twice where the answer to the first was lost.
      const found = await this.#get(id, ['stamp']);
      return found._source?.stamp === stamp ? versionOf(found) : undefined;
    }
  }

  async #createIndex(): Promise<void> {
    const body = {
      aliases: { [this.#alias]: { is_write_index: true } },
      settings: { index: { number_of_shards: 1, number_of_replicas: this.#replicas } },
      mappings: {
        dynamic: 'strict' as const,
        properties: {
          time: { type: 'date' as const },
          stamp: { type: 'keyword' as const, index: false },
          value: { type: 'object' as const, enabled: false },
        },
      },
    };
    await this.#connection
      .call((client) => client.indices.create({ index: `${this.#alias}.v1`, body }))
      .catch((error: unknown) => {
        if (causeKind(error) !== 'resource_already_exists_exception') throw error;
      });
  }
}

/** A value that servers share, and replace one after the other. */
export interface SharedRecord {
  /** The version that is there; undefined where there is none. */
  version(): Promise<string | undefined>;
  read(): Promise<{ readonly value: unknown; readonly version: string } | undefined>;
  /**
   * Replaces the value; it is on all copies that are in step when this resolves.
   * @param over the version that it replaces; undefined where there is to be none
   * @returns the version that is there now; undefined where another server came first
   */
  replace(value: object, over: string | undefined): Promise<string | undefined>;
}

function versionOf({ _seq_no, _primary_term, _source }: Found): string | undefined {
  if (_seq_no === undefined || _primary_term === undefined) return undefined;
  return `${_seq_no} ${_primary_term} ${_source?.stamp}`;
}

function placeOf(version: string): { if_seq_no: number; if_primary_term: number } {
  const [seqNo, primaryTerm] = version.split(' ').map(Number);
  if (seqNo === undefined || primaryTerm === undefined)
    throw engineError('invalid_argument', `no version of a record: ${version}`);
  return { if_seq_no: seqNo, if_primary_term: primaryTerm };
}
