import { invalidArgument, PelorusError, truncated } from '@pelorus/contract';
import { type AliasChange, type IndexAliases, requireKnown } from '@pelorus/engine';
import { mayCall } from '../auth/access.js';
import type { Handlers, Services } from '../call.js';
import { checkIndexName } from './names.js';

type AliasOperation = 'listAliases' | 'changeAliases' | 'getAlias' | 'putAlias' | 'deleteAlias';

/** Other names of indexes. */
export function aliasHandlers({ engine, indexChanges }: Services): Pick<Handlers, AliasOperation> {
  const aliases = (): IndexAliases => {
    if (engine.aliases !== undefined) return engine.aliases;
    throw new PelorusError(
      'bad_request',
      'Indexes on an OpenSearch cluster have no aliases here: call them by their names',
    );
  };
  const known = () => {
    const now = aliases().now();
    requireKnown(now);
    return now.indexes;
  };
  const change = async (changes: readonly AliasChange[]) => {
    for (const { alias } of changes.filter(({ index }) => index !== null)) checkIndexName(alias);
    await indexChanges.run(() => aliases().change(changes));
  };
  return {
    listAliases: ({ principal }) => {
      const seen = [...known()]
        .filter(([aliasName]) => mayCall(principal, aliasName))
        .sort(([a], [b]) => (a < b ? -1 : 1));
      return { body: { results: seen.map(([aliasName, indexName]) => ({ aliasName, indexName })) } };
    },

    getAlias: ({ params: { aliasName }, principal }) => {
      const indexName = mayCall(principal, aliasName) ? known().get(aliasName) : undefined;
      if (indexName === undefined) throw new PelorusError('alias_not_found', `Alias ${truncated(aliasName)} not found`);
      return { body: { aliasName, indexName } };
    },

    putAlias: async ({ params: { aliasName }, body: { indexName } }) => {
      await change([{ alias: aliasName, index: truncated(indexName) }]);
      return { body: { aliasName, indexName } };
    },

    changeAliases: async ({ body: { changes } }) => {
      const names = new Set(changes.map(({ aliasName }) => aliasName));
      if (names.size < changes.length) {
        throw invalidArgument('changes name an alias more than once: one of several would count');
      }
      await change(
        changes.map(({ aliasName, indexName }) => ({
          alias: truncated(aliasName),
          index: indexName === null ? null : truncated(indexName),
        })),
      );
      return { body: { acknowledged: true } };
    },

    deleteAlias: async ({ params: { aliasName } }) => {
      await change([{ alias: truncated(aliasName), index: null }]);
      return { body: { acknowledged: true } };
    },
  };
}
