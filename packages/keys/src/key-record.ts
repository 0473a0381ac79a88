/** The scopes of API keys; each may do everything that the next one may. */
export const keyScopes = ['admin', 'read_write', 'read'] as const;

export type KeyScope = (typeof keyScopes)[number];

/**
 * The digest and prefix of a secret, by which it is recognised. A key that was rotated has one more for as long as the
 * old one overlaps.
 */
export interface StoredSecret {
  /** SHA-256 of the secret, in hexadecimal digits. */
  readonly sha256: string;
  /** Its first characters, for its owner to tell it by. */
  readonly prefix: string;
  /** ISO 8601. Null for as long as the key is good. */
  readonly expiresAt: string | null;
}

interface KeyBase {
  readonly id: string;
  readonly name: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** ISO 8601. Null for a key that never expires. */
  readonly expiresAt: string | null;
  /** The current one last. */
  readonly secrets: readonly StoredSecret[];
}

/** A key that calls indexes. */
export interface ApiKey extends KeyBase {
  readonly kind: 'api';
  /** Null of a key that was made without one, as all were before there were scopes: it counts as `admin`. */
  readonly scope: KeyScope | null;
  /** Names of the indexes that it may call; null for all. */
  readonly indexes: readonly string[] | null;
  /** The filter that all documents of its calls pass; absent where it reaches every document. It never changes. */
  readonly filter?: string;
  /** Origins of the web pages that may send it; null for those that the server lets in anyway. */
  readonly origins: readonly string[] | null;
}

/** A key that sends the events of one customer, and may do nothing else. */
export interface TrackingKey extends KeyBase {
  readonly kind: 'tracking';
  readonly customerId: string;
  /** Origins of the web pages that may send it, such as `https://shop.example` or `https://*.shop.example`. */
  readonly origins: readonly string[];
  /** Tells whether a request without an Origin header, as servers send it, may carry the key. */
  readonly allowsNoOrigin: boolean;
}

export type KeyRecord = ApiKey | TrackingKey;

/** The scope that a key counts as; null for a tracking key. */
export function effectiveScope(key: Pick<ApiKey, 'kind' | 'scope'> | Pick<TrackingKey, 'kind'>): KeyScope | null {
  return key.kind === 'api' ? (key.scope ?? 'admin') : null;
}

/** Tells whether `key` may, at `nowMs`, do everything: managing keys takes that. */
export function isFullAdmin(key: KeyRecord, nowMs: number): boolean {
  if (key.kind !== 'api' || effectiveScope(key) !== 'admin') return false;
  return key.indexes === null && key.filter === undefined && !hasExpired(key, nowMs);
}

export function hasExpired({ expiresAt }: Pick<KeyRecord, 'expiresAt'>, nowMs: number): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= nowMs;
}
