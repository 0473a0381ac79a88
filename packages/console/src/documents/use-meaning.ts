import { useLoad } from '../server/load.js';
import { loadMeaning } from './meaning.js';

interface Meaning {
  /** True until it is known, and where it cannot be. */
  readonly hasMeaning: boolean;
  /** Tells that it is known, or that it cannot be. */
  readonly isKnown: boolean;
}

/** Tells whether an index can be searched by meaning; undefined is an index that is not chosen yet. */
export function useMeaning(name: string | undefined): Meaning {
  const { data, failure } = useLoad(
    async (client, signal) => ({ name, hasMeaning: name === undefined || (await loadMeaning(client, name, signal)) }),
    [name],
  );
  // The answer about the index before is there for one more drawing of the page.
  const known = data?.name === name ? data : undefined;
  return { hasMeaning: known?.hasMeaning ?? true, isKnown: known !== undefined || failure !== undefined };
}
