import {
  hasVectors,
  numberOf,
  type Remote,
  type RemoteApi,
  type RemoteDocument,
  type RemotePage,
  vectorProblem,
  vectorsLike,
} from './remote.js';

const PAGE_RECORDS = 256;
const COLLECTIONS = '/api/v2/tenants/default_tenant/databases/default_database/collections';
const SPACES: Readonly<Record<string, string>> = { l2: 'euclidean', cosine: 'angular', ip: 'dotproduct' };

interface Collection {
  readonly id?: string;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
  readonly configuration_json?: { readonly hnsw?: { readonly space?: string } | null } | null;
}

interface Records {
  readonly ids?: readonly string[];
  readonly documents?: readonly (string | null)[] | null;
  readonly metadatas?: readonly (Record<string, unknown> | null)[] | null;
  readonly embeddings?: readonly (readonly unknown[] | null)[] | null;
}

/** A collection of Chroma, in the tenant and database that it has by default. Its text becomes the field `document`. */
export async function chromaCollection(api: RemoteApi, collection: string, named: string | undefined): Promise<Remote> {
  const path = `${COLLECTIONS}/${encodeURIComponent(collection)}`;
  const { id, metadata, configuration_json: configuration } = await api.call<Collection>('GET', path);
  if (typeof id !== 'string') throw api.unexpected(`GET ${path}`);
  const space = configuration?.hnsw?.space ?? metadata?.['hnsw:space'] ?? 'l2';
  const page = async (place: unknown): Promise<RemotePage> => {
    const offset = numberOf(place) ?? 0;
    const include = ['documents', 'metadatas', 'embeddings'];
    const get = `${COLLECTIONS}/${encodeURIComponent(id)}/get`;
    const records = await api.call<Records>('POST', get, { limit: PAGE_RECORDS, offset, include });
    if (!Array.isArray(records.ids)) throw api.unexpected(`POST ${get}`);
    const documents = (records.ids as readonly string[]).map((own, at): RemoteDocument => {
      const text = records.documents?.[at] ?? undefined;
      const fields = { ...(text !== undefined && { document: text }), ...records.metadatas?.[at] };
      return { id: own, fields, vector: records.embeddings?.[at] ?? undefined };
    });
    return { documents, next: documents.length < PAGE_RECORDS ? undefined : offset + PAGE_RECORDS };
  };
  const { documents } = await page(undefined);
  const vectors = vectorsLike('vector', documents, SPACES[String(space)]);
  const metric = vectors === undefined && hasVectors(documents) ? String(space) : undefined;
  return { vectors, problem: vectorProblem(named, ['vector'], metric), note: undefined, page };
}
