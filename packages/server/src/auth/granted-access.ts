import { PelorusError } from '@pelorus/contract';
import { GRANT_HEADER, readGrant } from '@pelorus/hosted';
import type { Access } from './access.js';
import { suffices } from './scopes.js';

/**
 * Lets in the calls that the gateway in front of this process granted: who knows `secret` names the operation that it
 * admitted, and no other is run, whatever path the request has.
 */
export function grantedAccess(secret: string): Access {
  return {
    admit({ operationId, scope: required }, { headers }) {
      const grant = readGrant(secret, headers[GRANT_HEADER]);
      const isGranted = grant !== undefined && grant.operationId === operationId && suffices(grant.scope, required);
      if (!isGranted) throw new PelorusError('forbidden', `The gateway granted no ${operationId}`);
      const { keyId, scope, filter } = grant;
      return { keyId, name: '', scope: scope === 'none' ? null : scope, indexes: null, filter, customerId: null };
    },
  };
}
