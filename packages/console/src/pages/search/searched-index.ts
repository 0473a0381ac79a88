import type { types } from '@pelorus/client';
import type { KnownField } from '../../documents/fields.js';
import { useKnownFields } from '../../documents/known-fields.js';
import { hasMeaning } from '../../documents/meaning.js';
import { useLoad } from '../../server/load.js';

/** An index as far as a search of it depends on what it is. */
interface SearchedIndex {
  /** Its fields, by some of its documents. */
  readonly known: readonly KnownField[];
  /** Undefined until they are known. */
  readonly settings: types.IndexSettingsResponse | undefined;
  /** False for an index that words alone can search. */
  readonly hasVectors: boolean;
  /** Tells that all of this is known, or that it cannot be had. */
  readonly isKnown: boolean;
}

export function useSearchedIndex(name: string): SearchedIndex {
  const fields = useKnownFields(name);
  const settings = useLoad((client, signal) => client.index(name).settings({ signal }), [name]);
  const stats = useLoad((client, signal) => client.index(name).stats({ signal }), [name]);
  return {
    known: fields.data ?? [],
    settings: settings.data,
    hasVectors: hasMeaning(settings.data, stats.data),
    isKnown: [fields, settings, stats].every(({ data, failure }) => data !== undefined || failure !== undefined),
  };
}
