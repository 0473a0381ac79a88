import type { types } from '@pelorus/client';
import { type Loaded, useLoad } from '../server/load.js';
import { fieldsOf, type KnownField } from './fields.js';

const SAMPLE = 60;

/** The fields of an index, by some of its documents and by its settings. */
export function useKnownFields(indexName: string | undefined): Loaded<readonly KnownField[]> {
  return useLoad(
    async (client, signal) => {
      if (indexName === undefined) return [];
      const index = client.index(indexName);
      const search: types.SearchRequest = { q: '*', searchMethod: 'LEXICAL', limit: SAMPLE };
      const { hits } = await index.search(search, { signal });
      return fieldsOf(hits);
    },
    [indexName],
  );
}
