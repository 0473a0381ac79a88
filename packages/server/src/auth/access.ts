import type { Operation, Scope } from '@pelorus/contract';
import type { FastifyRequest } from 'fastify';

/** The caller that the key of a request stands for. */
export interface Principal {
  readonly keyId: string;
  readonly name: string;
  /** Null of a key for events, which may send them and nothing else. */
  readonly scope: Exclude<Scope, 'none'> | null;
  /** Names of the indexes that it may call; null for all. */
  readonly indexes: readonly string[] | null;
  /** The customer whose events a key for events sends; null of any other key. */
  readonly customerId: string | null;
  /** Tells whether a page calls by the public id of a shop, and not a key; false when absent. */
  readonly isPage?: boolean;
}

/** Decides at the head of a request, before a byte of its body is read, whether it may be made. */
export interface Access {
  /**
   * @returns who calls; undefined where nobody has to prove it
   * @throws PelorusError for who may not
   */
  admit(operation: Operation, request: FastifyRequest): Principal | undefined;
  /**
   * Tells whether pages of `origin` may send what proves who calls `operation`, of those that take more than an API
   * key, for the index `indexName` where it is of one. A browser asks before it sends it. Where absent, such operations
   * are for pages of this server alone, as all others.
   */
  allowsOrigin?(operation: Operation, origin: string, indexName: string | undefined): boolean;
}

/** Tells whether the caller may know of the index `name` at all. */
export function mayCall(principal: Principal | undefined, name: string): boolean {
  return principal?.indexes == null || principal.indexes.includes(name);
}
