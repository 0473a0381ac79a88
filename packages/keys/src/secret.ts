import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { KeyScope } from './key-record.js';

const RANDOM_BYTES = 32;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Digits of base 62 that hold 256 bits, and those that hold 32. */
const RANDOM_DIGITS = 43;
const CHECKSUM_DIGITS = 6;
/** Characters of a secret that its owner is shown later, to tell it from others. */
const PREFIX_LENGTH = 8;

const letters = { admin: 'a', read_write: 'w', read: 'r' } as const satisfies Record<KeyScope, string>;

/** Secrets within a text. */
const secrets = new RegExp(`svc_[awrt]_[0-9A-Za-z]{${RANDOM_DIGITS + CHECKSUM_DIGITS}}`, 'g');

/**
 * A new secret: `svc_`, a letter for its scope (`t` for a tracking key), 256 random bits, and the CRC-32 of all before
 * it, by which whoever scans for leaked secrets tells one from a text that looks alike.
 *
 * @param scope null for a tracking key
 */
export function newSecret(scope: KeyScope | null): string {
  const digits = base62(BigInt(`0x${randomBytes(RANDOM_BYTES).toString('hex')}`), RANDOM_DIGITS);
  const text = `svc_${scope === null ? 't' : letters[scope]}_${digits}`;
  return text + checksumOf(text);
}

/** The digest of a secret, which is all that is kept of it. No slow hash: nobody searches through 256 random bits. */
export function digestOf(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

export function prefixOf(secret: string): string {
  return secret.slice(0, PREFIX_LENGTH);
}

/** `text` with the prefix alone of every secret in it: for texts that leave for answers, logs and the terminal. */
export function withoutKeySecrets(text: string): string {
  return text.includes('svc_') ? text.replace(secrets, (secret) => `${prefixOf(secret)}...`) : text;
}

function checksumOf(text: string): string {
  return base62(BigInt(crc32(text)), CHECKSUM_DIGITS);
}

function base62(value: bigint, digits: number): string {
  let text = '';
  for (let rest = value; text.length < digits; rest /= 62n) text = ALPHABET[Number(rest % 62n)] + text;
  return text;
}
