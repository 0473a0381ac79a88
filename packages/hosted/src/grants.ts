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
}

/** The header of a grant. `secret` is known to the gateway and to one process of an index alone. */
export function writeGrant(
  secret: string,
  { operationId, scope }: Pick<Operation, 'operationId' | 'scope'>,
  keyId: string,
): string {
  return [secret, operationId, scope, keyId].join(' ');
}

/** Reads the grant of a header; undefined where it is missing or not of who has the secret. */
export function readGrant(secret: string, header: string | string[] | undefined): Grant | undefined {
  const [given = '', operationId = '', scope = 'none', ...keyId] = typeof header === 'string' ? header.split(' ') : [];
  const [sent, known] = [Buffer.from(given), Buffer.from(secret)];
  if (sent.length !== known.length || !timingSafeEqual(sent, known)) return undefined;
  return { operationId, scope: scope as Scope, keyId: keyId.join(' ') };
}
