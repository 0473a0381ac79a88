import { ExitCode } from '../../start-failure.js';
import { TransferFailure } from '../transfer-failure.js';
import {
  hasVectors,
  leftOut,
  numberOf,
  type Remote,
  type RemoteApi,
  type RemoteDocument,
  type RemotePage,
  type RemoteVectors,
  vectorProblem,
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

interface Hit {
  readonly _id: string;
  readonly _source?: Record<string, unknown>;
  readonly sort?: readonly unknown[];
}

interface Found {
  readonly pit_id?: string;
  readonly hits?: { readonly hits?: readonly Hit[] };
}

/** A place in the order of the ids, or in that of a point in time. */
type Place = string | { readonly pit: string; readonly after?: readonly unknown[] };

/** The time for which a point in time is kept after each page: as long may an import that stopped wait. */
const [KEPT, KEPT_MINUTES] = ['15m', 15] as const;

/** An index of OpenSearch or Elasticsearch. It takes the vector that is named, or else the first. */
export async function openSearchIndex(api: RemoteApi, index: string, named: string | undefined): Promise<Remote> {
  const path = `/${encodeURIComponent(index)}`;
  const [mapped] = Object.values(await api.call<Mappings>('GET', `${path}/_mapping`));
  if (typeof mapped?.mappings !== 'object') throw api.unexpected(`GET ${path}/_mapping`);
  const fields = Object.entries(mapped.mappings.properties ?? {}).filter(([, { type }]) => TYPES.includes(type ?? ''));
  const names = fields.map(([field]) => field);
  const vectors = fields.flatMap(vectorsOf);
  const taken = named === undefined ? vectors[0] : vectors.find(({ field }) => field === named);
  const others = names.filter((field) => field !== taken?.field);
  const pages = new Pages(api, path, taken?.field, others);
  const lost = taken !== undefined && !(await pages.findVectors());
  const [, untaken] = fields.find(([field]) => taken === undefined && field === (named ?? names[0])) ?? [];
  return {
    vectors: taken,
    problem: lost
      ? `The index does not show the vectors ${taken.field} of its documents`
      : vectorProblem(named, names, untaken && metricOf(untaken)),
    note: leftOut(names, taken?.field),
    page: (place) => pages.page(place as Place | undefined),
  };
}

/** The documents of an index in an order that stays. */
class Pages {
  readonly #api: RemoteApi;
  readonly #path: string;
  readonly #vector: string | undefined;
  readonly #omitted: ReadonlySet<string>;
  /** Asks for vectors, which Elasticsearch leaves out by default. */
  #source: object = {};
  #pit: string | undefined;

  constructor(api: RemoteApi, path: string, vector: string | undefined, others: readonly string[]) {
    this.#api = api;
    this.#path = path;
    this.#vector = vector;
    this.#omitted = new Set(vector === undefined ? others : [vector, ...others]);
  }

  /** Looks how vectors are got; tells whether they can be, where documents have some. */
  async findVectors(): Promise<boolean> {
    const { documents } = await this.page(undefined);
    if (documents.length === 0 || hasVectors(documents)) return true;
    for (const source of [{}, { _source: { exclude_vectors: false } }]) {
      this.#source = source;
      try {
        const { hits } = await this.#search(`${this.#path}/_search`, { query: { exists: { field: this.#vector } } }, 1);
        if (hits.length === 0 || hasVectors(this.#documents(hits))) return true;
      } catch (error) {
        // OpenSearch does not know how to exclude vectors.
        if (!(error instanceof TransferFailure)) throw error;
      }
    }
    this.#source = {};
    return false;
  }

  async page(place: Place | undefined): Promise<RemotePage> {
    if (typeof place === 'object') return this.#pageAfter(place);
    if (this.#pit !== undefined) return this.#pageAt({ pit: this.#pit });
    try {
      return await this.#pageById(place);
    } catch (error) {
      if (!(error instanceof TransferFailure) || place !== undefined) throw error;
      // Elasticsearch sorts by no ids, unless a setting lets it.
      const pit = await this.#pointInTime();
      if (pit === undefined) throw error;
      this.#pit = pit;
      return this.#pageAt({ pit });
    }
  }

  /** Without a state at the service an import can go on at any time. */
  async #pageById(place: string | undefined): Promise<RemotePage> {
    const order = { sort: [{ _id: 'asc' }], ...(place !== undefined && { search_after: [place] }) };
    const { hits } = await this.#search(`${this.#path}/_search`, order);
    return { documents: this.#documents(hits), next: hits.length < PAGE_DOCUMENTS ? undefined : hits.at(-1)?._id };
  }

  async #pageAt({ pit, after }: Exclude<Place, string>): Promise<RemotePage> {
    const order = { sort: [{ _shard_doc: 'asc' }], ...(after !== undefined && { search_after: after }) };
    const { pitId = pit, hits } = await this.#search('/_search', { pit: { id: pit, keep_alive: KEPT }, ...order });
    const sort = hits.length < PAGE_DOCUMENTS ? undefined : hits.at(-1)?.sort;
    return { documents: this.#documents(hits), next: sort && { pit: pitId, after: sort } };
  }

  /** @throws TransferFailure by which an import begins anew, where the point in time is no longer kept */
  async #pageAfter(place: Exclude<Place, string>): Promise<RemotePage> {
    try {
      return await this.#pageAt(place);
    } catch (error) {
      if (!(error instanceof TransferFailure) || !error.message.includes('answers 404')) throw error;
      const message = `The index is no longer kept as it was when the import began, ${KEPT_MINUTES} minutes after the last page: a new import begins anew`;
      throw new TransferFailure(message, ExitCode.NOT_STORED);
    }
  }

  async #pointInTime(): Promise<string | undefined> {
    try {
      const { id } = await this.#api.call<{ id?: string }>('POST', `${this.#path}/_pit?keep_alive=${KEPT}`);
      return typeof id === 'string' ? id : undefined;
    } catch (error) {
      if (error instanceof TransferFailure) return undefined;
      throw error;
    }
  }

  async #search(
    path: string,
    which: object,
    size = PAGE_DOCUMENTS,
  ): Promise<{ pitId: string | undefined; hits: readonly Hit[] }> {
    const ask = { size, track_total_hits: false, ...this.#source, ...which };
    const { hits, pit_id: pitId } = await this.#api.call<Found>('POST', path, ask);
    if (!Array.isArray(hits?.hits)) throw this.#api.unexpected(`POST ${path}`);
    return { pitId, hits: hits.hits };
  }

  #documents(hits: readonly Hit[]): RemoteDocument[] {
    return hits.map(({ _id: id, _source = {} }) => {
      const own = Object.entries(_source).filter(([name]) => !this.#omitted.has(name));
      const vector = this.#vector === undefined ? undefined : _source[this.#vector];
      return { id, fields: Object.fromEntries(own), vector: Array.isArray(vector) ? vector : undefined };
    });
  }
}

function vectorsOf([field, property]: [string, Property]): RemoteVectors[] {
  const { type, dimension, dims } = property;
  const spaceType = SPACES[metricOf(property)];
  const dimensions = numberOf(type === 'knn_vector' ? dimension : dims);
  return spaceType === undefined || dimensions === undefined ? [] : [{ field, dimensions, spaceType }];
}

function metricOf({ type, similarity = 'cosine', method, space_type: space = method?.space_type ?? 'l2' }: Property) {
  return type === 'knn_vector' ? space : similarity;
}
