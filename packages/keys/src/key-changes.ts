import { randomUUID } from 'node:crypto';
import { PelorusError } from '@pelorus/contract';
import { effectiveScope, isFullAdmin, type KeyRecord, type StoredSecret } from './key-record.js';
import type { IssuedKey, NewKey } from './keys.js';
import { digestOf, newSecret, prefixOf } from './secret.js';

// The rules of changes, wherever the records of keys are.

/** Secrets of one key that are good at once: the current one and those that still overlap with it. */
const SECRETS_MAX = 8;

/** The keys beside the one that changes. */
export interface OtherKeys {
  readonly others: Iterable<KeyRecord>;
  /** Tells that the environment gives a key that manages keys. */
  readonly hasEnvironmentKey: boolean;
  /** The time, in milliseconds of the epoch. */
  readonly nowMs: number;
}

/**
 * A key with a secret.
 * @param since the time that a key is not made before, be it that the clock was set back; ISO 8601
 */
export function issuedKey(wanted: NewKey, nowMs: number, since = ''): IssuedKey {
  const secret = newSecret(effectiveScope(wanted));
  const now = new Date(nowMs).toISOString();
  const createdAt = now < since ? since : now;
  const key = { id: randomUUID(), ...wanted, createdAt, secrets: [storedSecret(secret)] } as KeyRecord;
  return { key, secret };
}

/** @throws PelorusError `quota_exceeded` */
export function requireRoomForKey(count: number, countMax: number): void {
  if (count < countMax) return;
  throw new PelorusError('quota_exceeded', `There are ${count} keys, of at most ${countMax}`);
}

/** @throws PelorusError `last_admin_key` for a first key that could not manage keys */
export function checkNewKey(key: KeyRecord, keys: OtherKeys): void {
  requireAdmin(key, keys, 'The first key must be one that can manage keys');
}

/**
 * @param after the key that is to be; null where it ends
 * @throws PelorusError `last_admin_key` where nobody could manage keys afterwards
 */
export function checkChangedKey(before: KeyRecord, after: KeyRecord | null, keys: OtherKeys): void {
  if (isFullAdmin(before, keys.nowMs)) requireAdmin(after, keys, 'This is the last key that can manage keys');
}

/**
 * A key with another secret; the one it had is good for `overlapSeconds` more.
 * @throws PelorusError `operation_conflict_error` where too many secrets of it are still good
 */
export function rotatedKey(before: KeyRecord, overlapSeconds: number, nowMs: number): IssuedKey {
  const secret = newSecret(effectiveScope(before));
  const end = new Date(nowMs + overlapSeconds * 1000).toISOString();
  const ending = before.secrets.map((one) => ({ ...one, expiresAt: one.expiresAt ?? end }));
  const overlapping = ending.filter(({ expiresAt }) => Date.parse(expiresAt) > nowMs);
  if (overlapping.length >= SECRETS_MAX) {
    throw new PelorusError(
      'operation_conflict_error',
      `The key has ${overlapping.length} secrets that are still good, of at most ${SECRETS_MAX}: wait until one of them ends`,
    );
  }
  return { key: { ...before, secrets: [...overlapping, storedSecret(secret)] }, secret };
}

export function keyNotFound(): PelorusError {
  return new PelorusError('key_not_found', 'There is no key of that id');
}

/** The error of a change that others came before, again and again. */
export function keyBusy(): PelorusError {
  return new PelorusError('operation_conflict_error', 'Another process is changing this key. Try again later.');
}

function requireAdmin(key: KeyRecord | null, { others, hasEnvironmentKey, nowMs }: OtherKeys, reason: string): void {
  const all = key === null ? [...others] : [...others, key];
  if (hasEnvironmentKey || all.some((one) => isFullAdmin(one, nowMs))) return;
  throw new PelorusError(
    'last_admin_key',
    `${reason}: of scope admin, for all indexes, and not expired. There must always be one`,
  );
}

function storedSecret(secret: string): StoredSecret {
  return { sha256: digestOf(secret).toString('hex'), prefix: prefixOf(secret), expiresAt: null };
}
