import type { OperationIdOf } from '@pelorus/contract';
import type { Resources } from './resources.js';

/** The stage of life of a hosted index. */
export type IndexState = 'CREATING' | 'READY' | 'MODIFYING' | 'DELETING' | 'DELETED' | 'FAILED';

/** An id that a shop had before. */
export interface EarlierIndexId {
  readonly indexId: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

/** The data that make a hosted index a shop's. */
export interface ShopRecord {
  /** The public id by which shoppers' pages name the index. */
  readonly indexId: string;
  /** The oldest first; some may have expired. Absent where the id was never replaced. */
  readonly earlierIds?: readonly EarlierIndexId[];
  readonly modelType: string;
  /** Field of products with the names of their collections. */
  readonly collectionField: string;
  /** Set once there are files of the shop in the folder of the index: where they are gone from then on, they are lost. */
  readonly hasFiles?: boolean;
}

/** Counts that an index reports of itself. */
export interface IndexCounts {
  readonly numberOfDocuments: number;
  readonly memoryBytes: number;
}

/**
 * The record of a hosted index: all that is known of it besides its documents. It outlives the process that serves it.
 */
export interface HostedIndex {
  /** Part of its endpoint; never used again for another. */
  readonly id: string;
  readonly name: string;
  readonly state: IndexState;
  /** The reason that it is `FAILED`; null in any other state. */
  readonly failure: string | null;
  /** ISO 8601, UTC; `changedAt` is when it came into its state. */
  readonly createdAt: string;
  readonly changedAt: string;
  /** As they were asked for, without the members that only a hosted index has. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly resources: Resources;
  /** Null for an index that is no shop's. */
  readonly shop: ShopRecord | null;
  /** Counts that it had when it came into its state, or the service ended; absent where it was never asked. */
  readonly counts?: IndexCounts | null;
}

/** An index whose record cannot be used: nothing of it is touched, nobody else gets its id or its name. */
export interface DamagedIndex {
  readonly id: string;
  /** Null where nothing tells it any more. */
  readonly name: string | null;
  readonly reason: string;
}

/** The settings from which an index is created. */
export interface IndexOrder {
  readonly settings: Readonly<Record<string, unknown>>;
  /** The smallest when absent. */
  readonly resources?: Resources;
  readonly shop?: ShopRecord;
}

/** A request to the data interface of an index. */
export interface IndexRequest {
  /** By its name: the operation of an index is never read off a path. */
  readonly operation: OperationIdOf<'search'>;
  /** JSON. */
  readonly body?: Buffer | string;
  readonly signal?: AbortSignal;
}

export interface IndexAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** The hosted indexes of a service: what its control plane, its shops and its events see of them. */
export interface HostedIndexes {
  /** In order of their names; those that are deleted are not among them. The same array until one of them changes. */
  list(): readonly HostedIndex[];
  /** Tells whether there is an index of that id, also when its record cannot be read. */
  has(id: string): boolean;
  /** Folder of an index, which goes with it: for files that others keep of it. */
  folderOf(id: string): string;
  /**
   * Returns the current index of that name, or the last one, deleted, for a day.
   * @throws PelorusError `backend_data_parsing_error` where its record cannot be read
   */
  get(name: string): HostedIndex | undefined;
  /**
   * Accepts an index, which is `CREATING` until its process serves it. Its settings have been checked.
   * @throws PelorusError `index_already_exists`; `quota_exceeded`
   */
  create(name: string, order: IndexOrder): Promise<HostedIndex>;
  /**
   * Changes the data that make an index that of a shop. Resolves once that is durable.
   * @throws PelorusError `index_not_found`, of an index that is no shop's too; `operation_conflict_error` while it is in a
   * transition; what `change` throws
   */
  changeShop(name: string, change: (shop: ShopRecord) => ShopRecord): Promise<HostedIndex>;
  /**
   * Notes in the record of a shop's index that there are files of the shop, in whatever state it is. Durable when it resolves.
   * @throws PelorusError `index_not_found`
   */
  noteShopFiles(id: string): Promise<void>;
  /** @throws PelorusError `index_not_found`; `operation_conflict_error` while it is in another transition */
  delete(name: string): Promise<void>;
  /**
   * Calls the index itself. Its answer is handed on as it is, refusals among them.
   * @throws PelorusError `index_not_found`; `service_unavailable` where its process cannot be reached
   */
  call(name: string, request: IndexRequest): Promise<IndexAnswer>;
}
