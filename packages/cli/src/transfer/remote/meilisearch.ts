import { sourceOf } from '../../exact-json.js';
import { offsetPages } from './offset-pages.js';
import { leftOut, type Remote, type RemoteApi, type RemoteDocument, vectorsOfDocuments } from './remote.js';

const PAGE_DOCUMENTS = 256;

interface Embedder {
  readonly embeddings?: readonly unknown[];
}

type Result = Record<string, unknown> & { readonly _vectors?: Readonly<Record<string, Embedder | readonly unknown[]>> };

/** An index of Meilisearch. It takes the vector that is named, or else the first. */
export async function meilisearchIndex(api: RemoteApi, index: string, named: string | undefined): Promise<Remote> {
  const path = `/indexes/${encodeURIComponent(index)}`;
  const { primaryKey } = await api.call<{ primaryKey?: string | null }>('GET', path);
  if (typeof primaryKey !== 'string') throw api.unexpected(`GET ${path}`);
  let embedder = named;
  const embedders = new Set<string>();
  const page = offsetPages(async (offset, limit) => {
    const query = `offset=${offset}&limit=${limit}&retrieveVectors=true`;
    const { results } = await api.call<{ results?: readonly Result[] }>('GET', `${path}/documents?${query}`);
    if (!Array.isArray(results)) throw api.unexpected(`GET ${path}/documents`);
    return (results as readonly Result[]).map(({ _vectors = {}, ...fields }): RemoteDocument => {
      for (const name of Object.keys(_vectors)) embedders.add(name);
      embedder ??= Object.keys(_vectors)[0];
      const id = fields[primaryKey];
      return { id: sourceOf(id) ?? String(id), fields, vector: firstOf(_vectors[embedder ?? '']) };
    });
  }, PAGE_DOCUMENTS);
  // Its distance is that of the angle.
  const found = { metric: 'cosine', spaces: { cosine: 'angular' } };
  const [field, names] = [() => embedder ?? 'vector', () => [...embedders]];
  const vectors = await vectorsOfDocuments(page, named, { ...found, field, names });
  return { ...vectors, note: leftOut(names(), embedder), page };
}

/** The first embedding, which may stand alone. */
function firstOf(vectors: Embedder | readonly unknown[] | undefined): readonly unknown[] | undefined {
  const embeddings = Array.isArray(vectors) ? vectors : (vectors as Embedder | undefined)?.embeddings;
  const [first] = embeddings ?? [];
  return Array.isArray(first) ? first : first === undefined ? undefined : embeddings;
}
