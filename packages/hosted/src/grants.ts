import { timingSafeEqual } from 'node:crypto';
import type { Operation, Scope } from '@pelorus/contract';

/** The header by which the gateway grants a call to the process of an index. */
export const GRANT_HEADER = 'x-pelorus-grant';

/** A call that the gateway admitted: one operation, at its scope, for a key. */
export interface Grant {
  readonly operationId: string;
  readonly scope: Scope;
  /** Empty for a call of the gateway's own. */
  readonly keyId: string;
  /** The filter that all documents of the call pass; null for none. */
  readonly filter: string | null;
}

/** The key that a call counts for, with the filter that it is bound to. */
export type GrantedKey = Pick<Grant, 'keyId' | 'filter'>;

/** The header of a grant. `secret` is known to the gateway and to one process of an index alone. */
export function writeGrant(
  secret: string,
  { operationId, scope }: Pick<Operation, 'operationId' | 'scope'>,
  { keyId, filter }: GrantedKey,
): string {
  // As a header has it; a mark before it tells it from none.
  const written = filter === null ? '-' : `=${Buffer.from(filter).toString('base64url')}`;
  return [secret, operationId, scope, written, keyId].join(' ');
}

/** Reads the grant of a header; undefined where it is missing or not of who has the secret. */
export function readGrant(secret: string, header: string | string[] | undefined): Grant | undefined {
  const [given = '', operationId = '', scope = 'none', written = '', ...keyId] =
    typeof header === 'string' ? header.split(' ') : [];
  const [sent, known] = [Buffer.from(given), Buffer.from(secret)];
  if (sent.length !== known.length || !timingSafeEqual(sent, known)) return undefined;
  if (written !== '-' && !written.startsWith('=')) return undefined;
  const filter = written === '-' ? null : Buffer.from(written.slice(1), 'base64url').toString();
  return { operationId, scope: scope as Scope, keyId: keyId.join(' '), filter };
}
