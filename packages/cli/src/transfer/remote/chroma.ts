import { offsetPages } from './offset-pages.js';
import { type Remote, type RemoteApi, type RemoteDocument, vectorsOfDocuments } from './remote.js';

const PAGE_RECORDS = 256;
const COLLECTIONS = '/api/v2/tenants/default_tenant/databases/default_database/collections';
/** The field that the text of a record becomes. */
const TEXT = 'document';
/** The field that a field of metadata of that name becomes. */
const OWN_TEXT = 'own_document';
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
  let hasOwnText = false;
  const page = offsetPages(async (offset, limit) => {
    const include = ['documents', 'metadatas', 'embeddings'];
    const get = `${COLLECTIONS}/${encodeURIComponent(id)}/get`;
    const records = await api.call<Records>('POST', get, { limit, offset, include });
    if (!Array.isArray(records.ids)) throw api.unexpected(`POST ${get}`);
    return (records.ids as readonly string[]).map((own, at): RemoteDocument => {
      const text = records.documents?.[at] ?? undefined;
      const { [TEXT]: ownText, ...metadata } = records.metadatas?.[at] ?? {};
      hasOwnText ||= ownText !== undefined;
      const fields = {
        ...(text !== undefined && { [TEXT]: text }),
        ...metadata,
        ...(ownText !== undefined && { [OWN_TEXT]: ownText }),
      };
      const isTwice = ownText !== undefined && OWN_TEXT in metadata;
      return {
        id: own,
        fields,
        vector: records.embeddings?.[at] ?? undefined,
        ...(isTwice && { problem: `The field '${TEXT}' becomes '${OWN_TEXT}', which is there` }),
      };
    });
  }, PAGE_RECORDS);
  const found = { field: () => 'vector', names: () => ['vector'], metric: String(space), spaces: SPACES };
  return {
    ...(await vectorsOfDocuments(page, named, found)),
    get note() {
      return hasOwnText ? `the field ${TEXT} of metadata, which is not the text, becomes ${OWN_TEXT}` : undefined;
    },
    page,
  };
}
