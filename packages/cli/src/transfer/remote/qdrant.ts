import { sourceOf } from '../../exact-json.js';
import {
  leftOut,
  numberOf,
  type Remote,
  type RemoteApi,
  type RemotePage,
  type RemoteVectors,
  vectorProblem,
} from './remote.js';

const PAGE_POINTS = 256;
const SPACES: Readonly<Record<string, string>> = {
  Cosine: 'angular',
  Dot: 'dotproduct',
  Euclid: 'euclidean',
  Manhattan: 'l1',
};

/** The name here of vectors that have none. */
const UNNAMED = 'vector';

interface VectorParams {
  readonly size?: unknown;
  readonly distance?: string;
}

interface Collection {
  readonly result?: {
    readonly config?: {
      readonly params?: { readonly vectors?: VectorParams | Readonly<Record<string, VectorParams>> };
    };
  };
}

interface Point {
  readonly id: unknown;
  readonly payload?: Record<string, unknown> | null;
  readonly vector?: readonly unknown[] | Readonly<Record<string, readonly unknown[]>> | null;
}

interface Scroll {
  readonly result?: { readonly points?: readonly Point[]; readonly next_page_offset?: unknown };
}

/** A collection of Qdrant. It takes the vector that is named, or else the first. */
export async function qdrantCollection(api: RemoteApi, collection: string, named: string | undefined): Promise<Remote> {
  const path = `/collections/${encodeURIComponent(collection)}`;
  const { result } = await api.call<Collection>('GET', path);
  const declared = result?.config?.params?.vectors;
  if (result === undefined || declared === undefined) throw api.unexpected(`GET ${path}`);
  const isSingle = sourceOf((declared as VectorParams).size) !== undefined;
  const name = isSingle ? '' : (named ?? Object.keys(declared)[0] ?? '');
  const params = isSingle ? (declared as VectorParams) : (declared as Record<string, VectorParams>)[name];
  const vectors = params && vectorsOf(name, params);
  const names = isSingle ? [UNNAMED] : Object.keys(declared);
  const metric = vectors === undefined && params !== undefined ? String(params.distance) : undefined;
  return {
    vectors,
    problem: vectorProblem(named, names, metric),
    note: isSingle ? undefined : leftOut(names, vectors?.field),
    async page(place): Promise<RemotePage> {
      const ask = {
        limit: PAGE_POINTS,
        with_payload: true,
        with_vector: true,
        ...(place !== undefined && { offset: place }),
      };
      const { result: found } = await api.call<Scroll>('POST', `${path}/points/scroll`, ask);
      if (!Array.isArray(found?.points)) throw api.unexpected(`POST ${path}/points/scroll`);
      const documents = (found.points as readonly Point[]).map(({ id, payload, vector }) => ({
        id: sourceOf(id) ?? String(id),
        fields: payload ?? {},
        vector: Array.isArray(vector)
          ? vector
          : (vector as Record<string, readonly unknown[]> | null | undefined)?.[name],
      }));
      return { documents, next: found.next_page_offset ?? undefined };
    },
  };
}

function vectorsOf(name: string, { size, distance = '' }: VectorParams): RemoteVectors | undefined {
  const [dimensions, spaceType] = [numberOf(size), SPACES[distance]];
  if (dimensions === undefined || spaceType === undefined) return undefined;
  return { field: name === '' ? UNNAMED : name, dimensions, spaceType };
}
