import { sourceOf } from '../../exact-json.js';
import {
  numberOf,
  type Remote,
  type RemoteApi,
  type RemoteDocument,
  type RemotePage,
  vectorProblem,
  vectorsLike,
} from './remote.js';

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
  const page = async (place: unknown): Promise<RemotePage> => {
    const offset = numberOf(place) ?? 0;
    const query = `offset=${offset}&limit=${PAGE_DOCUMENTS}&retrieveVectors=true`;
    const { results } = await api.call<{ results?: readonly Result[] }>('GET', `${path}/documents?${query}`);
    if (!Array.isArray(results)) throw api.unexpected(`GET ${path}/documents`);
    const documents = (results as readonly Result[]).map(({ _vectors = {}, ...fields }): RemoteDocument => {
      for (const name of Object.keys(_vectors)) embedders.add(name);
      embedder ??= Object.keys(_vectors)[0];
      const id = fields[primaryKey];
      return { id: sourceOf(id) ?? String(id), fields, vector: firstOf(_vectors[embedder ?? '']) };
    });
    return { documents, next: results.length < PAGE_DOCUMENTS ? undefined : offset + PAGE_DOCUMENTS };
  };
  const { documents } = await page(undefined);
  const problem = vectorProblem(named, [...embedders], undefined);
  const others = [...embedders].filter((name) => name !== embedder);
  const note = others.length === 0 ? undefined : `these vectors are left out: ${others.join(', ')}`;
  // Its distance is that of the angle.
  return { vectors: vectorsLike(embedder ?? 'vector', documents, 'angular'), problem, note, page };
}

/** The first embedding, which may stand alone. */
function firstOf(vectors: Embedder | readonly unknown[] | undefined): readonly unknown[] | undefined {
  const embeddings = Array.isArray(vectors) ? vectors : (vectors as Embedder | undefined)?.embeddings;
  const [first] = embeddings ?? [];
  return Array.isArray(first) ? first : first === undefined ? undefined : embeddings;
}
