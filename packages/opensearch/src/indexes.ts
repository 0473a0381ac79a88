import { randomUUID } from 'node:crypto';
import type { EngineError, EngineOptions, StorageHealth, StoredDefinition } from '@pelorus/engine';
import { ClusterIndex, checkClusterDefinition, checkClusterRedefinition } from '@pelorus/node';
import { type Connection, READ_PATIENCE_MS } from './connection.js';
import { causeKind, codeOf, engineError, notFound, statusOf } from './errors.js';
import { type BlockedIndexes, HEALTH_MS, healthOf, type IndexRow, reasonAway } from './health.js';
import {
  addedFields,
  type DescribedIndex,
  definitionOf,
  hasDefinitionAlias,
  type IndexMeta,
  indexBody,
  type LackingFields,
  type Mapping,
  markedDefinition,
  replacedDefinition,
} from './mapping.js';
import { type IndexNames, MAPPING_VERSION, OLDEST_MAPPING_VERSION } from './names.js';

/** For how long a definition in memory is as good as the cluster's, in milliseconds. */
const DEFINITION_MS = 1_000;
/** For how long it is used while the cluster cannot tell another: without a manager nobody changes it, in milliseconds. */
const AWAY_MS = 30_000;
/** The time that a call which needs the manager waits for one to be elected. */
const MANAGER = { cluster_manager_timeout: '5s' } as const;
/** The same for health, which says that there is none. */
const HEALTH_LIMITS = { cluster_manager_timeout: '2s' } as const;
/** The same of a look at a definition that is in memory. */
const MANAGER_FOR_LOOK = { cluster_manager_timeout: '1s' } as const;

/** An index as it was at most a second ago. */
export interface KnownIndex {
  readonly definition: StoredDefinition;
  /** The definition as JSON. */
  readonly json: string;
  /** As in {@link IndexMeta}. */
  readonly id: string;
  /** The same with the fields of the mapping, for native code. */
  readonly native: ClusterIndex;
}

/** The physical index behind a name. */
interface Found extends DescribedIndex {
  readonly physical: string;
  readonly mappingVersion: number;
}

/** An index as it was read. */
interface Read {
  readonly index: KnownIndex;
  /** The cluster's answer that it was read from. */
  readonly answer: Buffer;
  readonly readAtMs: number;
  /** The time at which the cluster was asked last, whether it answered or not. */
  askedAtMs: number;
}

/** Times that a mapping which refuses fields is read anew. */
const EXTENSIONS_MAX = 3;
/** Looks at a mapping for fields that were added to it: others may add some that ask for more. */
const LOOKS_MAX = 20;

/** Codes of errors by which a cluster is away, or too busy to answer. */
const AWAY: ReadonlySet<unknown> = new Set(['service_unavailable', 'too_many_requests']);

const isAway = (error: unknown): boolean => AWAY.has(codeOf(error));

/** The indexes of a cluster: their creation, their end, and their definitions, which calls keep in memory. */
export class Indexes {
  readonly #connection: Connection;
  readonly #names: IndexNames;
  readonly #copies: { readonly shards: number; readonly replicas: number };
  /** As JSON. */
  readonly #limits: Buffer;
  readonly #known = new Map<string, Read>();
  readonly #reading = new Map<string, Promise<KnownIndex>>();
  /** The number of changes that another thread of this process has made. */
  readonly #changesNow: () => number;
  #changesSeen = 0;
  /** Definitions that were read before do not count, in milliseconds of `performance.now()`. */
  #staleBeforeMs = 0;
  #isClosed = false;
  /** By name, the last change of a mapping that is under way: they come one after the other. */
  readonly #changing = new Map<string, Promise<unknown>>();

  constructor(
    connection: Connection,
    names: IndexNames,
    copies: { readonly shards: number; readonly replicas: number },
    limits: EngineOptions,
    changesNow: () => number = () => 0,
  ) {
    this.#changesNow = changesNow;
    this.#connection = connection;
    this.#names = names;
    this.#copies = copies;
    this.#limits = Buffer.from(JSON.stringify(limits));
  }

  /** Creates index, alias and definition by one change of the cluster's state. */
  async create(name: string, definition: StoredDefinition): Promise<void> {
    checkClusterDefinition(name, Buffer.from(JSON.stringify(definition)));
    // One that was rebuilt has another physical name.
    const isThere = await this.#look(name).then(
      () => true,
      (error: EngineError) => {
        if (error.code === 'index_not_found') return false;
        throw error;
      },
    );
    if (isThere) throw alreadyExists(name);
    const alias = this.#names.alias(name);
    const id = randomUUID();
    const body = indexBody(name, id, definition, alias, this.#copies);
    const index = this.#names.first(name);
    try {
      await this.#connection.call((client) => client.indices.create({ ...MANAGER, index, body }));
    } catch (error) {
      if (causeKind(error) !== 'resource_already_exists_exception') throw error;
      // It was sent twice where the answer to the first was lost.
      const found = await this.#look(name);
      if (found.mapping?._meta?.pelorus?.id !== id) throw alreadyExists(name);
    } finally {
      this.#changed();
    }
  }

  /** Gives an index a definition by which documents are stored and searched alike. The last of several calls counts. */
  async redefine(name: string, definition: StoredDefinition): Promise<void> {
    const json = JSON.stringify(definition);
    const alias = this.#names.alias(name);
    for (let tries = 0; ; tries++) {
      const found = this.#readable(name, await this.#look(name));
      const { json: known, number: before } = definitionOf(found.meta, found);
      if (known === json) return;
      checkClusterRedefinition(name, Buffer.from(known), Buffer.from(json));
      const bodies = [replacedDefinition(found.physical, alias, { json, before })];
      if (!hasDefinitionAlias(found, alias, before)) bodies.unshift(markedDefinition(found.physical, alias, before));
      try {
        for (const body of bodies)
          await this.#connection.call((client) => client.indices.updateAliases({ ...MANAGER, body }));
        return;
      } catch (error) {
        // Another change came first, or this one did, whose answer was lost.
        if (causeKind(error) !== 'aliases_not_found_exception' || tries === LOOKS_MAX) throw error;
      } finally {
        this.#changed();
      }
    }
  }

  /** Deletes an index; returns the id that it had. */
  async drop(name: string): Promise<string | undefined> {
    const found = await this.#look(name);
    let tries = 0;
    try {
      await this.#connection.call((client) => {
        tries += 1;
        // One that is gone at the second try was dropped by the first, whose answer was lost.
        const ignored = tries > 1 ? { ignore: [404] } : {};
        return client.indices.delete({ ...MANAGER, index: found.physical }, ignored);
      });
      return found.mapping?._meta?.pelorus?.id;
    } catch (error) {
      if (causeKind(error) === 'index_not_found_exception') throw notFound(name);
      throw error;
    } finally {
      this.#changed();
    }
  }

  async list(): Promise<readonly string[]> {
    const names = new Set<string>();
    if (this.#isClosed) return [];
    for (const { index } of await this.#rows()) {
      const read = index === undefined ? undefined : this.#names.read(index);
      if (read !== undefined) names.add(read.name);
    }
    return [...names].sort();
  }

  /** Returns the definition as it was at most a second ago: the same object while it is the same. */
  async definition(name: string): Promise<StoredDefinition> {
    return (await this.known(name)).definition;
  }

  /** Returns the index as it was at most a second ago, or as a change by this server has left it. */
  known(name: string): Promise<KnownIndex> {
    this.#follow();
    const known = this.#known.get(name);
    const freshSinceMs = Math.max(this.#staleBeforeMs, performance.now() - DEFINITION_MS);
    if (known !== undefined && known.askedAtMs >= freshSinceMs) return Promise.resolve(known.index);
    const running = this.#reading.get(name);
    if (running !== undefined) return running;
    const read = this.#readOrKept(name).finally(() => {
      if (this.#reading.get(name) === read) this.#reading.delete(name);
    });
    this.#reading.set(name, read);
    return read;
  }

  /**
   * Gives the error for an index that some node does not know: `index_not_found` where the manager does not either. A node
   * that was away may have no shard yet of one that is there.
   */
  async missing(name: string): Promise<unknown> {
    try {
      await this.#read(name);
    } catch (error) {
      return error;
    }
    const message = `A node of the cluster does not have its part of index ${name} yet: send this again in a moment`;
    return engineError('service_unavailable', message);
  }

  /** Waits for a call that names the alias of an index, and fails as {@link missing} says where there was none. */
  async orMissing<Answer>(name: string, answer: Promise<Answer>): Promise<Answer> {
    try {
      return await answer;
    } catch (error) {
      throw statusOf(error) === 404 ? await this.missing(name) : error;
    }
  }

  /** Reads a definition anew, or takes that in memory while the cluster has no manager, or cannot be reached. */
  async #readOrKept(name: string): Promise<KnownIndex> {
    const known = this.#known.get(name);
    const nowMs = performance.now();
    const isRecent = known !== undefined && known.readAtMs >= Math.max(this.#staleBeforeMs, nowMs - AWAY_MS);
    if (!isRecent) return this.#read(name);
    try {
      return await this.#read(name, true);
    } catch (error) {
      if (!isAway(error)) throw error;
      known.askedAtMs = performance.now();
      return known.index;
    }
  }

  /** After a change of another thread, what was read before may be old. */
  #follow(): void {
    const changes = this.#changesNow();
    if (changes === this.#changesSeen) return;
    this.#changesSeen = changes;
    this.#changed();
  }

  /** Makes all that was asked for before a change old. */
  #changed(): void {
    this.#staleBeforeMs = performance.now();
    this.#reading.clear();
  }

  /**
   * Adds fields to the mapping until `lacking`, which gets the index as it is now, finds that nothing is missing any
   * more.
   */
  async extend(name: string, lacking: (index: KnownIndex) => Promise<LackingFields | undefined>): Promise<void> {
    const before = this.#changing.get(name);
    const change = (async () => {
      await before?.catch(() => undefined);
      await this.#extend(name, lacking);
    })();
    this.#changing.set(name, change);
    try {
      await change;
    } finally {
      if (this.#changing.get(name) === change) this.#changing.delete(name);
    }
  }

  async #extend(name: string, lacking: (index: KnownIndex) => Promise<LackingFields | undefined>): Promise<void> {
    const index = this.#names.alias(name);
    for (let tries = 0; ; tries++) {
      const known = await this.#read(name);
      const fields = await lacking(known);
      if (fields === undefined) return;
      if (tries === LOOKS_MAX)
        throw engineError(
          'backend_data_parsing_error',
          `The mapping of index ${name} lacks fields that were added to it`,
        );
      const body = addedFields(known.definition, fields);
      try {
        await this.#connection.call((client) => client.indices.putMapping({ ...MANAGER, index, body }));
      } catch (error) {
        const kind = causeKind(error);
        if (kind === 'index_not_found_exception') throw notFound(name);
        // Another server has set the same field otherwise, which a new look tells; or there is no room for more.
        if (kind !== 'illegal_argument_exception') throw error;
        if (tries < EXTENSIONS_MAX) continue;
        throw engineError('bad_request', `Index ${name} takes no such fields: ${(error as Error).message}`, error);
      }
    }
  }

  /** @param isLook tells that the definition in memory serves as well where there is no answer */
  async #read(name: string, isLook = false): Promise<KnownIndex> {
    const readAtMs = performance.now();
    const read = await this.#readAt(name, readAtMs, isLook).catch((error: unknown) => {
      if (!isAway(error)) this.#known.delete(name);
      throw error;
    });
    this.#known.set(name, read);
    return read.index;
  }

  async #readAt(name: string, readAtMs: number, isLook: boolean): Promise<Read> {
    const answer = await this.#answer(name, isLook);
    const known = this.#known.get(name);
    // An index of many fields has a mapping of megabytes, which is asked for each second and seldom another one.
    if (known?.answer.equals(answer)) return { ...known, readAtMs, askedAtMs: readAtMs };
    const before = known?.index;
    const found = this.#readable(name, this.#found(name, fromJson<Described>(answer)));
    const { meta, mapping } = found;
    const { id } = meta;
    const { json } = definitionOf(meta, found);
    const isSame = before?.id === id && before.json === json;
    const definition = isSame ? before.definition : (JSON.parse(json) as StoredDefinition);
    const defined = { ...mapping, _meta: { pelorus: { ...meta, definition: json } } };
    const native = ClusterIndex.read(Buffer.from(JSON.stringify(defined)), this.#limits);
    return { index: { id, json, definition, native }, answer, readAtMs, askedAtMs: readAtMs };
  }

  /** The problems of the cluster and of its indexes, in our words; a cluster that is away is red. */
  async health(): Promise<StorageHealth> {
    if (this.#isClosed) return { status: 'green', indexes: [] };
    try {
      const [rows, blocked] = await Promise.all([this.#rows(true), this.#blocked()]);
      return healthOf(rows, blocked, (physical) => this.#names.read(physical)?.name);
    } catch (error) {
      if (!isAway(error)) throw error;
      return { status: 'red', indexes: [], reasons: [reasonAway(error as EngineError)] };
    }
  }

  /** Finds no index from now on. */
  close(): void {
    this.#isClosed = true;
    this.#known.clear();
  }

  /** Every index that begins as ours do, with its state. */
  async #rows(isHealth = false): Promise<readonly IndexRow[]> {
    const index = this.#names.pattern;
    const [limits, once] = isHealth ? [HEALTH_LIMITS, { isTriedOnce: true }] : [MANAGER, {}];
    const request = { ...limits, index, format: 'json' as const, h: ['index', 'health'] };
    const rows = await this.#connection.call(
      (client) => client.cat.indices(request, isHealth ? { requestTimeout: HEALTH_MS } : {}),
      once,
    );
    return rows as readonly IndexRow[];
  }

  /** The physical indexes that take no writes, with the settings that say so. */
  async #blocked(): Promise<BlockedIndexes> {
    const request = { ...HEALTH_LIMITS, index: this.#names.pattern, name: 'index.blocks.*', flat_settings: true };
    const answer = await this.#connection.call(
      (client) => client.indices.getSettings(request, { requestTimeout: HEALTH_MS }),
      { isTriedOnce: true },
    );
    return answer as BlockedIndexes;
  }

  /** An index of this version with its definition. */
  #readable(name: string, found: Found): Found & { readonly meta: IndexMeta } {
    const { mappingVersion, mapping } = found;
    const meta = mapping?._meta?.pelorus;
    if (mappingVersion > MAPPING_VERSION)
      throw engineError('backend_data_parsing_error', `Index ${name} was made by a newer version of Pelorus`);
    if (mappingVersion < OLDEST_MAPPING_VERSION)
      throw engineError(
        'backend_data_parsing_error',
        `Index ${name} was made by an older version of Pelorus: export it with that one, delete it, and import it here`,
      );
    if (meta === undefined)
      throw engineError('backend_data_parsing_error', `Index ${name} has no definition in its mapping any more`);
    return { ...found, meta };
  }

  async #look(name: string): Promise<Found> {
    return this.#found(name, fromJson<Described>(await this.#answer(name)));
  }

  #found(name: string, described: Described): Found {
    for (const [physical, { mappings: mapping, aliases = {} }] of Object.entries(described)) {
      const read = this.#names.read(physical);
      if (read !== undefined) return { physical, mappingVersion: read.mappingVersion, mapping, aliases };
    }
    throw notFound(name);
  }

  /** The index behind a name, with its mapping and aliases, as the cluster answers it. */
  async #answer(name: string, isLook = false): Promise<Buffer> {
    if (this.#isClosed) throw notFound(name);
    const path = `/${encodeURIComponent(this.#names.alias(name))}`;
    const request = { method: 'GET', path, querystring: isLook ? MANAGER_FOR_LOOK : MANAGER };
    try {
      return await this.#connection.bytes((client, options) => client.transport.request(request, options), {
        isTriedOnce: isLook,
        ...(isLook && { patience: { ms: READ_PATIENCE_MS, isTold: true } }),
      });
    } catch (error) {
      if (statusOf(error) !== 404) throw error;
      await this.#checkStarted();
      throw notFound(name);
    }
  }

  /** A cluster that waits for most of its nodes after a start says of every index that it is not there. */
  async #checkStarted(): Promise<void> {
    const looking = this.#connection.call((client) => client.cluster.health(MANAGER_FOR_LOOK));
    const { status, active_shards } = (await looking.catch((error: unknown) => {
      // Whoever may not ask believes the first answer.
      if (isAway(error)) throw error;
      return {};
    })) as { readonly status?: string; readonly active_shards?: number };
    if (status === 'red' && active_shards === 0)
      throw engineError('service_unavailable', 'The cluster has no index yet: it waits for its nodes');
  }
}

type Described = Readonly<
  Record<string, { readonly mappings?: Mapping; readonly aliases?: DescribedIndex['aliases'] }>
>;

function alreadyExists(name: string): Error {
  return engineError('index_already_exists', `Index ${name} already exists`);
}

function fromJson<Value>(bytes: Buffer): Value {
  return JSON.parse(bytes.toString('utf8'));
}
