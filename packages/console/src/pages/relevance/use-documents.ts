import { type Loaded, useLoad } from '../../server/load.js';

type Document = Readonly<Record<string, unknown>>;

/** Documents of an index by their ids, as far as they are there: what a row of theirs shows. */
export function useDocuments(index: string, ids: readonly string[]): Loaded<ReadonlyMap<string, Document>> {
  return useLoad(
    async (client, signal) => {
      if (ids.length === 0) return new Map();
      const documents = await client.index(index).getMany(ids, { signal });
      return new Map(documents.flatMap((one) => (one === null ? [] : [[one._id, one] as const])));
    },
    [index, ids],
  );
}
