import { timingSafeEqual } from 'node:crypto';
import { hasExpired, type KeyRecord } from './key-record.js';
import type { FoundKey, KeyEntry, ListedKey } from './keys.js';
import { digestOf } from './secret.js';

/** The name and id of the key that the environment gives. */
const ENVIRONMENT_KEY = 'environment';

/** The key of a secret among entries by digest, at a moment. */
export function findAmong(entries: ReadonlyMap<string, KeyEntry>, secret: string, nowMs: number): FoundKey | undefined {
  const digest = digestOf(secret);
  // How long a look-up by a digest takes says nothing of a secret: nobody can choose its digest.
  const entry = entries.get(placeOf(digest));
  if (entry === undefined || !timingSafeEqual(digest, entry.digest)) return undefined;
  if (entry.endsAtMs <= nowMs) return undefined;
  return { key: entry.key, hasExpired: hasExpired(entry.key, nowMs) };
}

/** The secrets of keys, and that of the environment, by digest. */
export function entriesOf(keys: Iterable<KeyRecord>, admin: KeyEntry | undefined): ReadonlyMap<string, KeyEntry> {
  const entries = admin === undefined ? [] : [admin];
  for (const key of keys) {
    for (const { sha256, expiresAt } of key.secrets) {
      const endsAtMs = expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt);
      entries.push({ key, digest: Buffer.from(sha256, 'hex'), endsAtMs });
    }
  }
  return new Map(entries.map((entry) => [placeOf(entry.digest), entry]));
}

/** The entry of a secret that no record holds; undefined where there is none. */
export function environmentEntry(secret: string, nowMs: number): KeyEntry | undefined {
  if (secret === '') return undefined;
  const key: KeyRecord = {
    ...{ id: ENVIRONMENT_KEY, kind: 'api', name: ENVIRONMENT_KEY, scope: 'admin', indexes: null, origins: null },
    ...{ createdAt: new Date(nowMs).toISOString(), expiresAt: null, secrets: [] },
  };
  return { key, digest: digestOf(secret), endsAtMs: Number.POSITIVE_INFINITY };
}

/** Keys in the order in which they were made, with the times of their last uses. */
export function listed(keys: Iterable<KeyRecord>, lastUsed: ReadonlyMap<string, string>): readonly ListedKey[] {
  return [...keys]
    .map((key) => ({ key, lastUsedAt: lastUsed.get(key.id) ?? null }))
    .sort((a, b) => compareTexts(a.key.createdAt, b.key.createdAt) || compareTexts(a.key.id, b.key.id));
}

/** The place of a digest in a map. */
function placeOf(digest: Uint8Array): string {
  return Buffer.from(digest.buffer, digest.byteOffset, digest.length).toString('latin1');
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
