import { PelorusError } from '@pelorus/contract';
import type { Handlers } from '../call.js';

type AliasOperation = 'listAliases' | 'changeAliases' | 'getAlias' | 'putAlias' | 'deleteAlias';

/** Refuses aliases: a hosted index has an endpoint of its own, to which clients are pointed. */
export function hostedAliasHandlers(): Pick<Handlers<'hosted'>, AliasOperation> {
  const refuse = (): never => {
    throw new PelorusError(
      'bad_request',
      'Hosted indexes have no aliases: each has an endpoint, so that clients reach another index at another endpoint',
    );
  };
  return { listAliases: refuse, changeAliases: refuse, getAlias: refuse, putAlias: refuse, deleteAlias: refuse };
}
