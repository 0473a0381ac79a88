import {
  numberOf,
  type Remote,
  type RemoteApi,
  type RemoteDocument,
  type RemotePage,
  type RemoteVectors,
} from './remote.js';

const PAGE_DOCUMENTS = 256;
/** Types of fields of vectors. */
const TYPES = ['knn_vector', 'dense_vector'];
/** Metrics by the names that OpenSearch and Elasticsearch have for them. */
const SPACES: Readonly<Record<string, string>> = {
  cosinesimil: 'angular',
  cosine: 'angular',
  innerproduct: 'dotproduct',
  dot_product: 'dotproduct',
  max_inner_product: 'dotproduct',
  l2: 'euclidean',
  l2_norm: 'euclidean',
  l1: 'l1',
  linf: 'linf',
};

interface Property {
  readonly type?: string;
  readonly dimension?: unknown;
  readonly space_type?: string;
  readonly method?: { readonly space_type?: string };
  readonly dims?: unknown;
  readonly similarity?: string;
}

type Mappings = Readonly<
  Record<string, { readonly mappings?: { readonly properties?: Readonly<Record<string, Property>> } }>
>;

interface Found {
  readonly hits?: {
    readonly hits?: readonly { readonly _id: string; readonly _source?: Record<string, unknown> }[];
  };
}

/** An index of OpenSearch or Elasticsearch. It takes the vector that is named, or else the first. */
export async function openSearchIndex(api: RemoteApi, index: string, named: string | undefined): Promise<Remote> {
  const path = `/${encodeURIComponent(index)}`;
  const [mapped] = Object.values(await api.call<Mappings>('GET', `${path}/_mapping`));
  if (typeof mapped?.mappings !== 'object') throw api.unexpected(`GET ${path}/_mapping`);
  const fields = Object.entries(mapped.mappings.properties ?? {}).filter(([, { type }]) => TYPES.includes(type ?? ''));
  const vectors = fields.flatMap(vectorsOf);
  const taken = named === undefined ? vectors[0] : vectors.find(({ field }) => field === named);
  const others = fields.map(([field]) => field).filter((field) => field !== taken?.field);
  return {
    vectors: taken,
    note: others.length === 0 ? undefined : `these vectors are left out: ${others.join(', ')}`,
    async page(place): Promise<RemotePage> {
      // Without a state at the service an import can go on at any time.
      const order = { sort: [{ _id: 'asc' }], ...(place !== undefined && { search_after: [place] }) };
      const ask = { size: PAGE_DOCUMENTS, track_total_hits: false, ...order };
      const { hits } = await api.call<Found>('POST', `${path}/_search`, ask);
      if (!Array.isArray(hits?.hits)) throw api.unexpected(`POST ${path}/_search`);
      const found = hits.hits as NonNullable<NonNullable<Found['hits']>['hits']>;
      const documents = found.map(({ _id: id, _source = {} }): RemoteDocument => {
        const own = Object.entries(_source).filter(([name]) => name !== taken?.field && !others.includes(name));
        const vector = taken === undefined ? undefined : _source[taken.field];
        return { id, fields: Object.fromEntries(own), vector: Array.isArray(vector) ? vector : undefined };
      });
      return { documents, next: found.length < PAGE_DOCUMENTS ? undefined : found.at(-1)?._id };
    },
  };
}

function vectorsOf([field, property]: [string, Property]): RemoteVectors[] {
  const {
    type,
    dimension,
    dims,
    similarity = 'cosine',
    method,
    space_type: space = method?.space_type ?? 'l2',
  } = property;
  const spaceType = SPACES[type === 'knn_vector' ? space : similarity];
  const dimensions = numberOf(type === 'knn_vector' ? dimension : dims);
  return spaceType === undefined || dimensions === undefined ? [] : [{ field, dimensions, spaceType }];
}
