import { indexNotFound, type Operation, PelorusError, truncated } from '@pelorus/contract';
import { effectiveScope, type KeyRecord, type Keys } from '@pelorus/keys';
import type { Principal } from '../call.js';
import { RateLimit, sourceOf } from '../http/rate-limit.js';
import type { Access, Caller } from './access.js';
import { otherOrigin, sharingHeaders } from './credential-origins.js';
import { isListed } from './origins.js';
import { expiredKey, invalidKey, missingKey, presentedSecret } from './presented-key.js';
import { InsufficientScopeError, scopeTooLow, suffices } from './scopes.js';
import type { ShopperLimit } from './shopper-limit.js';

/** Keys that are refused from one address. */
const FAILED_ATTEMPTS = { burst: 20, perMinute: 20 } as const;

/** The rights that the index id of a shop gives its pages. */
export interface ShopAccess {
  readonly indexName: string;
  /**
   * Origins of the pages that may send it, such as `https://shop.example` or `https://*.shop.example`; null for any.
   */
  readonly origins: readonly string[] | null;
  /** Tells whether the settings of the shop ask for a key in place of the id. */
  readonly requiresKey: boolean;
  /** The reason that nobody is served; absent where the shop is open. */
  readonly closed?: PelorusError;
}

/** The shops whose pages call by an index id. */
export interface ShopDirectory {
  /** @param name of the index that is called: where its record cannot be read, no id tells that it is not the one */
  byIndexId(indexId: string, name?: string): ShopAccess | undefined;
  /** Finds the shop of that name, for browsers that ask before they send its id; undefined where there is none. */
  byIndexName(name: string): ShopAccess | undefined;
}

export interface KeyAccessOptions {
  readonly keys: Keys;
  /**
   * `full`: every operation takes a key of its scope. `contract`: every operation takes a key, and its scope counts where
   * the interface says so. `off`: none is asked for, but for what shops' pages and events are told by.
   */
  readonly enforcement: 'full' | 'contract' | 'off';
  /** Tells whether calls need a key even where there was never one. */
  readonly isAlwaysRequired: boolean;
  readonly shops?: ShopDirectory;
  /** Limits calls by the id of a shop; none where absent. */
  readonly shopperLimit?: ShopperLimit;
  /** Counts attempts with keys that are no good, by their sources; one of its own when absent. */
  readonly failures?: Pick<RateLimit, 'take'>;
  /** A clock that never goes back, in milliseconds. */
  readonly now?: () => number;
}

/** The caller without a key of an operation that asks for none: nobody, who sees no index. */
const nobody: Principal = { keyId: '', name: '', scope: null, indexes: [], filter: null, customerId: null };

/** Lets in who has a key, or the id of a shop or a tracking key in place of one. */
export function keyAccess(options: KeyAccessOptions): Access {
  const { keys, enforcement, isAlwaysRequired, shops, shopperLimit } = options;
  const { failures = new RateLimit(FAILED_ATTEMPTS, options.now) } = options;
  const isRequired = () => enforcement !== 'off' && (isAlwaysRequired || keys.isRequired);

  /** @throws PelorusError where there is no such key; past the rate of such attempts 429 */
  function keyOf(secret: string, { ip, headers: { origin } }: Caller): KeyRecord {
    const found = keys.find(secret);
    // A good key is let in however many bad ones come from its address: behind a proxy all clients have the same.
    if (found === undefined || found.hasExpired) throw refusedAttempt(failures.take(sourceOf(ip)), found !== undefined);
    const { key } = found;
    if (key.kind === 'api' && key.origins !== null && origin !== undefined && !isListed(origin, key.origins)) {
      throw otherOrigin(origin);
    }
    keys.noteUse(key.id);
    return key;
  }

  function admitKey(operation: Operation, request: Caller): Principal | undefined {
    if (!isRequired()) return undefined;
    if (operation.scope === 'none') return whoeverCalls(request);
    const secret = secretOf(request);
    if (secret === undefined) throw missingKey();
    const principal = principalOf(keyOf(secret, request));
    requireScope(operation, principal);
    requireReach(operation, principal);
    requireIndex(operation, principal, request);
    return principal;
  }

  /**
   * The secret that a request carries; undefined where it carries none.
   * @throws PelorusError as `presentedSecret`; two that differ are an attempt as one that is no good
   */
  function secretOf(request: Caller): string | undefined {
    try {
      return presentedSecret(request);
    } catch (error) {
      if ((error as PelorusError).code !== 'invalid_api_key') throw error;
      throw refusedAttempt(failures.take(sourceOf(request.ip)), false);
    }
  }

  /** Identifies the caller of an operation for all: a key that is no good is none, though it counts as an attempt. */
  function whoeverCalls(request: Caller): Principal {
    try {
      const secret = secretOf(request);
      return secret === undefined ? nobody : principalOf(keyOf(secret, request));
    } catch {
      return nobody;
    }
  }

  function requireScope(operation: Operation, { scope, customerId }: Principal): void {
    if (scope === null && customerId !== null) {
      throw new InsufficientScopeError('A tracking key sends events: this operation requires an API key.', null);
    }
    const counts = enforcement === 'full' || operation.scopeTable !== null;
    if (counts && (scope === null || !suffices(scope, operation.scope))) throw scopeTooLow(operation);
  }

  /** A shop's page names its index by an id; servers have keys. */
  function admitShopper(operation: Operation, request: Caller): Principal | undefined {
    const indexId = indexIdOf(request);
    if (indexId === undefined || secretOf(request) !== undefined) {
      const principal = admitKey(operation, request);
      const { origin } = request.headers;
      if (origin !== undefined) requireOriginOfShop(request, origin);
      // Without a key nothing but its origin tells a page of this server from that of another site.
      if (principal === undefined && origin !== undefined) throw otherOrigin(origin);
      return principal;
    }
    const named = indexNameOf(request);
    const shop = shops?.byIndexId(indexId, named);
    if (shop === undefined || (named !== undefined && named !== shop.indexName)) {
      throw new PelorusError('invalid_index_id', 'The index id is not that of this index');
    }
    if (shop.closed !== undefined) {
      shopperLimit?.take(shop.indexName, request.ip, sharingHeaders(request));
      throw shop.closed;
    }
    // Told to who knows the id alone: to anybody else such a shop is like any other.
    if (shop.requiresKey) throw missingKey(': this index requires one, its index id is not enough');
    requireOrigin(request, shop.origins, true);
    // Counted last: a call refused for another reason takes nothing of the share of the shop.
    shopperLimit?.take(shop.indexName, request.ip, sharingHeaders(request));
    const who = { keyId: `index:${indexId}`, name: indexId, customerId: null, isPage: true };
    return { ...who, scope: 'read', indexes: [shop.indexName], filter: null };
  }

  /** A key without origins of its own is for the pages that its shop allows. */
  function requireOriginOfShop(request: Caller, origin: string): void {
    const secret = secretOf(request);
    const key = secret === undefined ? undefined : keys.find(secret)?.key;
    if (key?.origins != null) return;
    const shop = shops?.byIndexName(indexNameOf(request) ?? '');
    if (shop === undefined || shop.closed !== undefined || shop.origins === null) return;
    if (!isListed(origin, shop.origins)) throw otherOrigin(origin);
  }

  function admitEvents(request: Caller): Principal {
    // A page that is being left sends its events by `sendBeacon`, which carries no headers.
    const secret = secretOf(request) ?? (request.query as Record<string, string>).k;
    if (secret === undefined || secret === '') throw missingKey();
    const key = keyOf(secret, request);
    if (key.kind !== 'tracking') throw new InsufficientScopeError('This operation requires a tracking key.', null);
    requireOrigin(request, key.origins, key.allowsNoOrigin);
    return principalOf(key);
  }

  return {
    ready: ({ scope }) => (enforcement === 'off' || scope === 'none' ? undefined : keys.fresh?.()),

    admit(operation, request) {
      if (operation.credential === 'tracking') return admitEvents(request);
      return operation.credential === 'shopper' ? admitShopper(operation, request) : admitKey(operation, request);
    },

    allowsOrigin({ credential }, origin, indexName) {
      const all = keys.list().map(({ key }) => key);
      if (credential === 'tracking') return all.some((key) => key.kind === 'tracking' && isListed(origin, key.origins));
      if (credential !== 'shopper' || indexName === undefined) return false;
      const shop = shops?.byIndexName(indexName);
      const ofShop =
        shop !== undefined && !shop.requiresKey && (shop.origins === null || isListed(origin, shop.origins));
      const mayName = (key: KeyRecord) => key.kind === 'api' && (key.indexes?.includes(indexName) ?? true);
      return ofShop || all.some((key) => mayName(key) && isListed(origin, key.origins ?? []));
    },
  };
}

function refusedAttempt(waitSeconds: number, hasExpired: boolean): PelorusError {
  if (waitSeconds === 0) return hasExpired ? expiredKey() : invalidKey();
  return new PelorusError(
    'too_many_requests',
    'Too many requests with keys that are refused came from this address. Try again later.',
    { headers: { 'retry-after': String(waitSeconds) } },
  );
}

function principalOf(key: KeyRecord): Principal {
  return {
    keyId: key.id,
    name: key.name,
    scope: effectiveScope(key),
    indexes: key.kind === 'api' ? key.indexes : [],
    filter: key.kind === 'api' ? (key.filter ?? null) : null,
    customerId: key.kind === 'tracking' ? key.customerId : null,
  };
}

function indexIdOf({ headers, query }: Caller): string | undefined {
  const named = headers['x-svc-index-id'] || headers['x-marqo-index-id'] || (query as Record<string, string>).indexId;
  return (named as string | undefined) || undefined;
}

function indexNameOf({ params }: Caller): string | undefined {
  return (params as Record<string, string>).indexName;
}

/**
 * A key sees nothing outside its list: such an index is not even looked up, so that neither answer nor time can tell
 * whether it exists.
 */
function requireIndex(operation: Operation, { indexes }: Principal, request: Caller): void {
  if (indexes === null) return;
  const named = indexNameOf(request);
  if (named === undefined) {
    // At the endpoint of a hosted index every operation is of that index, which is looked at there.
    if (operation.scope === 'read' || 'endpointId' in (request.params as object)) return;
    throw new InsufficientScopeError('This operation requires an API key for all indexes.', null);
  }
  if (!indexes.includes(named)) throw indexNotFound(truncated(named));
}

/** A key with a filter calls only what keeps to it, whatever its scope and the enforcement of scopes. */
function requireReach(operation: Operation, { filter }: Principal): void {
  if (filter === null || operation.filteredKeys) return;
  throw new InsufficientScopeError(
    'This operation requires an API key without a filter: what it answers or changes is of all documents.',
    null,
  );
}

function requireOrigin({ headers: { origin } }: Caller, origins: readonly string[] | null, allowsNone: boolean): void {
  if (origin === undefined) {
    if (allowsNone) return;
    throw new PelorusError('origin_not_allowed', 'There is no Origin header: this key is for web pages only');
  }
  if (origins !== null && !isListed(origin, origins)) throw otherOrigin(origin);
}
