import {
  leftOut,
  type Remote,
  type RemoteApi,
  type RemoteDocument,
  type RemotePage,
  vectorsOfDocuments,
} from './remote.js';

const PAGE_OBJECTS = 100;
/** Without a place before it the first page need not be in the order of the ids. */
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';
const SPACES: Readonly<Record<string, string>> = {
  cosine: 'angular',
  dot: 'dotproduct',
  'l2-squared': 'euclidean',
  manhattan: 'l1',
  hamming: 'hamming',
};

interface IndexConfig {
  readonly distance?: string;
}

interface Schema {
  readonly class?: string;
  readonly vectorIndexConfig?: IndexConfig;
  readonly vectorConfig?: Readonly<Record<string, { readonly vectorIndexConfig?: IndexConfig }>>;
}

interface StoredObject {
  readonly id: string;
  readonly properties?: Record<string, unknown>;
  readonly vector?: readonly unknown[];
  readonly vectors?: Readonly<Record<string, readonly unknown[]>>;
}

/** A collection of Weaviate. It takes the vector that is named, or else the first. */
export async function weaviateCollection(
  api: RemoteApi,
  collection: string,
  named: string | undefined,
): Promise<Remote> {
  const schema = await api.call<Schema>('GET', `/v1/schema/${encodeURIComponent(collection)}`);
  if (typeof schema.class !== 'string') throw api.unexpected('GET /v1/schema');
  const names = Object.keys(schema.vectorConfig ?? {});
  const name = names.length === 0 ? undefined : (named ?? names[0]);
  const config = name === undefined ? schema.vectorIndexConfig : schema.vectorConfig?.[name]?.vectorIndexConfig;
  const query = `class=${encodeURIComponent(schema.class)}&limit=${PAGE_OBJECTS}&include=vector`;
  const page = async (place: unknown): Promise<RemotePage> => {
    const after = encodeURIComponent(String(place ?? BEFORE_ALL));
    const { objects } = await api.call<{ objects?: readonly StoredObject[] }>(
      'GET',
      `/v1/objects?${query}&after=${after}`,
    );
    if (!Array.isArray(objects)) throw api.unexpected('GET /v1/objects');
    const documents = (objects as readonly StoredObject[]).map(
      ({ id, properties = {}, vector, vectors = {} }): RemoteDocument => {
        const own = name === undefined ? vector : vectors[name];
        return { id, fields: properties, vector: own?.length === 0 ? undefined : own };
      },
    );
    return { documents, next: documents.length < PAGE_OBJECTS ? undefined : documents.at(-1)?.id };
  };
  const own = name === undefined ? ['vector'] : names;
  const found = {
    field: () => name ?? 'vector',
    names: () => own,
    metric: config?.distance ?? 'cosine',
    spaces: SPACES,
  };
  return { ...(await vectorsOfDocuments(page, named, found)), note: leftOut(names, name), page };
}
