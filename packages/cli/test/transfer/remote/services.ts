import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { RemoteName } from '../../../src/transfer/remote/names.js';

/** Documents of each service here: more than a page has. */
export const COUNT = 600;

const VECTOR = (at: number) => [0.5, -1, at / 8];

/** Digits that JavaScript would round. */
const BIG = '9007199254740993';

/** Gives an answer; undefined for what the service does not have. */
export type Answer = (path: string, query: URLSearchParams, body: any) => string | undefined;

const range = (from: number, limit: number) =>
  Array.from({ length: Math.max(Math.min(limit, COUNT - from), 0) }, (_, at) => from + at);

/** Answers in the shapes that the services document, with the documents 0 to COUNT. */
const answers: Readonly<Record<RemoteName, Answer>> = {
  opensearch: (path, _query, body) => {
    if (path === '/products/_mapping') {
      return '{"products-1":{"mappings":{"properties":{"name":{"type":"text"},"vector":{"type":"knn_vector","dimension":3,"method":{"name":"hnsw","space_type":"innerproduct","engine":"faiss"}}}}}}';
    }
    if (path !== '/products/_search' || JSON.stringify(body.sort) !== '[{"_id":"asc"}]') return undefined;
    const from = body.search_after === undefined ? 0 : Number(body.search_after[0]) + 1;
    const hits = range(from, body.size).map(
      (at) =>
        `{"_index":"products-1","_id":"${at}","_score":null,"_source":{"name":"n ${at}","vector":${JSON.stringify(VECTOR(at))},"big":${BIG}},"sort":["${at}"]}`,
    );
    return `{"took":1,"timed_out":false,"_shards":{"total":1,"successful":1,"skipped":0,"failed":0},"hits":{"max_score":null,"hits":[${hits}]}}`;
  },
  qdrant: (path, _query, body) => {
    if (path === '/collections/products') {
      return `{"result":{"status":"green","points_count":${COUNT},"config":{"params":{"vectors":{"size":3,"distance":"Dot"},"shard_number":1}}},"status":"ok","time":0.0001}`;
    }
    if (path !== '/collections/products/points/scroll') return undefined;
    const from = Number(body.offset ?? 0);
    const points = range(from, body.limit).map(
      (at) => `{"id":${at},"payload":{"name":"n ${at}","big":${BIG}},"vector":${JSON.stringify(VECTOR(at))}}`,
    );
    const next = from + body.limit < COUNT ? from + body.limit : null;
    return `{"result":{"points":[${points}],"next_page_offset":${next}},"status":"ok","time":0.001}`;
  },
  typesense: (path) => {
    if (path === '/collections/products') {
      return `{"name":"products","num_documents":${COUNT},"created_at":1700000000,"default_sorting_field":"","enable_nested_fields":true,"fields":[{"facet":false,"index":true,"infix":false,"locale":"","name":"name","optional":false,"sort":false,"stem":false,"store":true,"type":"string"},{"facet":false,"hnsw_params":{"M":16,"ef_construction":200},"index":true,"infix":false,"locale":"","name":"vector","num_dim":3,"optional":true,"sort":false,"store":true,"type":"float[]","vec_dist":"ip"}]}`;
    }
    if (path !== '/collections/products/documents/export') return undefined;
    return range(0, COUNT).map(exported).join('\n');
  },
  meilisearch: (path, query) => {
    if (path === '/indexes/products') {
      return '{"uid":"products","createdAt":"2025-01-01T00:00:00Z","updatedAt":"2025-01-01T00:00:00Z","primaryKey":"sku"}';
    }
    if (path !== '/indexes/products/documents' || query.get('retrieveVectors') !== 'true') return undefined;
    const [offset, limit] = [Number(query.get('offset')), Number(query.get('limit'))];
    const results = range(offset, limit).map(
      (at) =>
        `{"sku":${at},"name":"n ${at}","big":${BIG},"_vectors":{"default":{"embeddings":[${JSON.stringify(VECTOR(at))}],"regenerate":false}}}`,
    );
    return `{"results":[${results}],"offset":${offset},"limit":${limit},"total":${COUNT}}`;
  },
  weaviate: (path, query) => {
    if (path === '/v1/schema/products') {
      return '{"class":"Products","properties":[{"name":"name","dataType":["text"]}],"vectorIndexType":"hnsw","vectorIndexConfig":{"distance":"l2-squared","ef":-1},"vectorizer":"none"}';
    }
    if (path !== '/v1/objects' || query.get('class') !== 'Products') return undefined;
    const after = query.get('after') ?? '';
    const from = after.startsWith('00000000-') ? 0 : Number(after) + 1;
    const objects = range(from, Number(query.get('limit'))).map(
      (at) =>
        `{"class":"Products","id":"${at}","properties":{"name":"n ${at}","big":${BIG}},"vector":${JSON.stringify(VECTOR(at))},"creationTimeUnix":1700000000000}`,
    );
    return `{"deprecations":[],"objects":[${objects}],"totalResults":${objects.length}}`;
  },
  chroma: (path, _query, body) => {
    const collections = '/api/v2/tenants/default_tenant/databases/default_database/collections';
    if (path === `${collections}/products`) {
      return '{"id":"0f0e","name":"products","configuration_json":{"hnsw":{"space":"cosine","ef_search":100}},"metadata":null,"dimension":3}';
    }
    if (path !== `${collections}/0f0e/get`) return undefined;
    const those = range(body.offset, body.limit);
    const metadatas = those.map((at) => `{"name":"n ${at}","big":${BIG}}`);
    return `{"ids":${JSON.stringify(those.map(String))},"embeddings":${JSON.stringify(those.map(VECTOR))},"documents":${JSON.stringify(those.map(() => null))},"uris":null,"metadatas":[${metadatas}],"include":["embeddings","metadatas","documents"]}`;
  },
};

/** A line of Typesense's export. */
export function exported(at: number): string {
  return `{"big":${BIG},"id":"${at}","name":"n ${at}","vector":${JSON.stringify(VECTOR(at))}}`;
}

/** The JSON of a document of a service as it is imported. */
export function imported(name: RemoteName, at: number): string {
  const sku = name === 'meilisearch' ? `"sku":${at},` : '';
  const own = name === 'typesense' ? `"big":${BIG},"name":"n ${at}"` : `${sku}"name":"n ${at}","big":${BIG}`;
  return `{"_id":"${at}",${own},"${name === 'meilisearch' ? 'default' : 'vector'}":{"vector":${JSON.stringify(VECTOR(at))}}}`;
}

export interface Service {
  readonly url: string;
  /** Requests that it was sent, with their keys. */
  readonly requests: { readonly path: string; readonly headers: IncomingMessage['headers'] }[];
  /** Answers in place of its own, by the number of the request. */
  readonly instead: Map<number, string>;
  end(): void;
}

/** Stands in for another service on the loopback interface, which answers as it does or as a test says. */
export async function serviceOf(name: RemoteName, answerOf: Answer = answers[name]): Promise<Service> {
  const requests: Service['requests'] = [];
  const instead: Service['instead'] = new Map();
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
    const body = await text(request);
    requests.push({ path: pathname, headers: request.headers });
    const parsed = body === '' ? undefined : JSON.parse(body);
    const answer = instead.get(requests.length) ?? answerOf(pathname, searchParams, parsed);
    response.writeHead(answer === undefined ? 404 : 200).end(answer ?? '{"message":"no such thing"}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  return { url, requests, instead, end: () => server.close().closeAllConnections() };
}
