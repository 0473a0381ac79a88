import type { Operation } from '@pelorus/contract';
import type { FastifyRequest } from 'fastify';
import type { Principal } from '../call.js';

/** The parts of a request that say who makes it, and of what index. */
export type Caller = Pick<FastifyRequest, 'headers' | 'ip' | 'params' | 'query'>;

/** Decides at the head of a request, before a byte of its body is read, whether it may be made. */
export interface Access {
  /**
   * Waits until it can be decided who may make calls of `operation`, to be asked right before {@link admit}; undefined where
   * that is so at once. Absent where it always is.
   * @throws PelorusError `service_unavailable`
   */
  ready?(operation: Operation): Promise<void> | undefined;
  /**
   * @returns who calls; undefined where nobody has to prove it
   * @throws PelorusError for who may not
   */
  admit(operation: Operation, request: Caller): Principal | undefined;
  /**
   * Tells whether pages of `origin` may send what proves who calls `operation`, of those that take more than an API
   * key, for the index `indexName` where it is of one. A browser asks before it sends it. Where absent, such operations
   * are for pages of this server alone, as all others.
   */
  allowsOrigin?(operation: Operation, origin: string, indexName: string | undefined): boolean;
}

/** The filter that the documents of a call have to pass besides its own: every request to the engine says it. */
export function withinOf({ principal }: { readonly principal: Principal | undefined }): string | null {
  return principal?.filter ?? null;
}

/** Tells whether the caller may know of the index `name` at all. */
export function mayCall(principal: Principal | undefined, name: string): boolean {
  return principal?.indexes == null || principal.indexes.includes(name);
}
